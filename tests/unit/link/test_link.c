/* Which worker has a role, over a real bus on loopback. */
#include "coordinator/link/link.h"

#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "coordinator/link/peers.h"
#include "tests/unit/bus/world.h"

/* The coordinator's end is the link's here; the world brings keys and workers. */
struct fixture {
    struct world *world;
    struct mgc_link *link;
    struct mgc_seat *seat; /* with anyone */
    struct mgc_buf notes;
};

static void on_note(void *user, const char *text)
{
    struct fixture *f = user;
    mgc_buf_printf(&f->notes, "%s\n", text);
    mgc_loop_quit(f->world->loop);
}

static void on_over(void *user)
{
}

static const struct mgc_seat_ops ops = {.over = on_over};

static void make(struct fixture *f, struct world *world)
{
    unsigned port = world_free_port();
    char endpoint[64];
    snprintf(endpoint, sizeof(endpoint), "tcp://127.0.0.1:%u", port);
    struct mgc_bus_server_config config = {.endpoint = endpoint,
        .keys = &world->ring,
        .run_id = "run",
        .build = "link-test",
        .heartbeat_ms = WORLD_HEARTBEAT_MS,
        .silence_ms = WORLD_SILENCE_MS};
    *f = (struct fixture){.world = world};
    f->link = mgc_link_new(world->loop, &config, on_note, f, NULL);
    assert_non_null(f->link);
    world_set_address(&world->worker, 0, port);
    world_set_address(&world->other, 0, port);
}

static void wait_note(struct fixture *f, const char *text)
{
    int64_t due_ns = mgc_deadline_in_ms(WORLD_DEADLINE_MS);
    while (!f->notes.len || !strstr(mgc_buf_text(&f->notes), text)) {
        if (mgc_deadline_past(due_ns))
            fail_msg("no note '%s' in '%s'", text, f->notes.len ? mgc_buf_text(&f->notes) : "");
        world_run_for(f->world, 20);
    }
    mgc_buf_clear(&f->notes);
}

static void destroy(struct fixture *f)
{
    world_stop_worker(&f->world->worker);
    world_stop_worker(&f->world->other);
    mgc_link_free(f->link);
    mgc_buf_destroy(&f->notes);
}

static void a_worker_that_stands_by_takes_over(void **state)
{
    struct fixture f;
    struct mgc_clock_offset offset;
    make(&f, *state);
    f.seat = mgc_link_seat(f.link, NULL, &ops, &f, NULL);
    assert_non_null(f.seat);
    world_start_worker(f.world, &f.world->worker);
    wait_note(&f, "worker 'one' (wsl) joined from p?c");
    world_start_worker(f.world, &f.world->other);
    wait_note(&f, "worker 'two' joined, but 'one' already has the role 'wsl'; it stands by");
    world_stop_worker(&f.world->worker);
    wait_note(&f, "worker 'two' (wsl) joined from p?c");
    struct mgc_msg msg = {.kind = MGC_MSG_CANCEL, .task_ref = {.task_id = 1, .text = (char *)""}};
    assert_true(mgc_seat_send(f.seat, MGC_ROLE_WSL, &msg));
    world_wait_messages(f.world, &f.world->other.seen.messages, 1);
    assert_false(mgc_seat_send(f.seat, MGC_ROLE_HOST, &msg));
    assert_false(mgc_seat_clock(f.seat, MGC_ROLE_HOST, &offset));
    world_start_worker(f.world, &f.world->worker); /* comes back, and stands by now */
    wait_note(&f, "worker 'one' joined, but 'two' already has the role 'wsl'; it stands by");
    struct mgc_results results = {0};
    assert_true(mgc_seat_hosts(f.seat, &results, NULL));
    assert_int_equal(results.host_count, 2);
    assert_string_equal(results.hosts[0].name, "one");
    assert_int_equal(results.hosts[0].sessions, 2);
    assert_string_equal(results.hosts[1].os, "os");
    mgc_results_destroy(&results);
    destroy(&f);
}

/* Seats of three phones: two of one worker, one of the other. */
static void a_seat_has_the_worker_that_it_names(void **state)
{
    struct fixture f;
    char one[] = "one", other[] = "two";
    char *const with_one[MGC_ROLE_COUNT] = {[MGC_ROLE_WSL] = one};
    char *const with_other[MGC_ROLE_COUNT] = {[MGC_ROLE_WSL] = other};
    struct mgc_results results = {0};
    make(&f, *state);
    struct mgc_seat *first = mgc_link_seat(f.link, with_one, &ops, &f, NULL);
    struct mgc_seat *second = mgc_link_seat(f.link, with_one, &ops, &f, NULL);
    struct mgc_msg msg = {.kind = MGC_MSG_CANCEL, .task_ref = {.task_id = 1, .text = (char *)""}};
    assert_true(first && second);
    world_start_worker(f.world, &f.world->other);
    wait_note(&f, "worker 'two' joined, but no phone of this run is served by it; left idle");
    assert_false(mgc_seat_send(first, MGC_ROLE_WSL, &msg));
    world_stop_worker(&f.world->other);
    struct mgc_seat *third = mgc_link_seat(f.link, with_other, &ops, &f, NULL);
    world_start_worker(f.world, &f.world->other);
    wait_note(&f, "worker 'two' (wsl) joined from p?c");
    world_start_worker(f.world, &f.world->worker);
    wait_note(&f, "worker 'one' (wsl) joined from p?c");
    assert_true(mgc_seat_send(first, MGC_ROLE_WSL, &msg));
    assert_true(mgc_seat_send(third, MGC_ROLE_WSL, &msg));
    msg.task_ref.task_id = 2;
    assert_true(mgc_seat_send(second, MGC_ROLE_WSL, &msg));
    world_wait_messages(f.world, &f.world->worker.seen.messages, 2);
    world_wait_messages(f.world, &f.world->other.seen.messages, 1);
    world_stop_worker(&f.world->worker);
    wait_note(&f, "worker 'one' (wsl) lost");
    assert_false(mgc_seat_send(second, MGC_ROLE_WSL, &msg)); /* nobody takes its place */
    assert_true(mgc_seat_send(third, MGC_ROLE_WSL, &msg));
    assert_true(mgc_seat_hosts(third, &results, NULL));
    assert_int_equal(results.host_count, 1);
    assert_string_equal(results.hosts[0].name, "two");
    mgc_results_destroy(&results);
    destroy(&f);
}

/* ---- the list alone ---- */

static struct mgc_peer *join(struct mgc_peers *peers, const char *name, const char *role)
{
    struct mgc_msg_hello hello = {.role = (char *)role,
        .host = (char *)"pc",
        .os = (char *)"os",
        .build = (char *)"b",
        .boot_id = (char *)"boot"};
    return mgc_peers_joined(peers, name, &hello, NULL);
}

static void a_free_role_goes_to_who_stands_by(void **state)
{
    struct mgc_peers peers = {0};
    struct mgc_peer *one = join(&peers, "one", "host"), *two = join(&peers, "two", "host");
    struct mgc_peer *three = join(&peers, "three", "host");
    assert_null(join(&peers, "four", "cook"));
    assert_null(mgc_peers_find(&peers, "four"));
    assert_ptr_equal(mgc_peers_pick(&peers, MGC_ROLE_HOST, ""), one);
    assert_ptr_equal(mgc_peers_pick(&peers, MGC_ROLE_HOST, "three"), three);
    assert_null(mgc_peers_pick(&peers, MGC_ROLE_HOST, "five"));
    assert_null(mgc_peers_pick(&peers, MGC_ROLE_WSL, "two"));
    mgc_peers_lost(two);
    mgc_peers_lost(one);
    assert_ptr_equal(mgc_peers_pick(&peers, MGC_ROLE_HOST, ""), three);
    assert_null(mgc_peers_pick(&peers, MGC_ROLE_HOST, "one"));
    assert_ptr_equal(join(&peers, "one", "host"), one);
    assert_int_equal(one->record.sessions, 2);
    mgc_peers_destroy(&peers);
    mgc_peers_destroy(&peers);
    mgc_peers_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            a_worker_that_stands_by_takes_over, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(
            a_seat_has_the_worker_that_it_names, world_setup, world_teardown),
        cmocka_unit_test(a_free_role_goes_to_who_stands_by),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
