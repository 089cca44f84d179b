/* Both ends of control: the server on a loop in a thread, as in a run; the client here. */
#include "common/base/clock.h"
#include "coordinator/control/server.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/plat/stop.h"
#include "coordinator/control/client.h"
#include "coordinator/control/socket.h"
#include "coordinator/store/run_dir.h"
#include "tests/lib/check.h"
#include "tests/lib/tmpdir.h"

struct run {
    struct mgc_run_dir dir;
    struct mgc_loop *loop;
    struct mgc_control_server *server;
    struct mgc_stop bell; /* rung from outside: tell one event, or end */
    bool end;
    pthread_t thread;
};

static bool on_request(
    void *user, enum mgc_control_request request, json_t *body, struct mgc_error *err)
{
    struct run *run = user;
    if (request == MGC_CONTROL_CANCEL)
        return mgc_error_set(err, MGC_E_BUSY, "already");
    if (request == MGC_CONTROL_KEYS) /* asks elsewhere */
        mgc_control_server_hold(run->server);
    json_object_set_new(body, "did", json_string(mgc_control_request_name(request)));
    return true;
}

static void on_bell(void *user)
{
    struct run *run = user;
    mgc_stop_lower(&run->bell);
    if (__atomic_load_n(&run->end, __ATOMIC_ACQUIRE))
        mgc_loop_quit(run->loop);
    else
        mgc_control_server_tell(run->server, json_pack("{s:s}", "event", "tick"));
    mgc_control_server_answer(run->server, json_pack("{s:s}", "did", "late"));
}

static void *serve(void *arg)
{
    struct run *run = arg;
    mgc_loop_run(run->loop, NULL);
    return NULL;
}

static void start(struct run *run, const char *results, const char *run_id)
{
    struct mgc_error err;
    *run = (struct run){.bell = MGC_STOP_INIT};
    assert_true(mgc_run_dir_open(&run->dir, results, run_id, &err));
    assert_true(mgc_run_dir_make(&run->dir, &err));
    assert_true(mgc_stop_init(&run->bell, &err));
    run->loop = mgc_loop_new(&err);
    assert_non_null(run->loop);
    assert_true(mgc_loop_add_fd(run->loop, run->bell.read_fd, on_bell, run, &err));
    run->server = mgc_control_server_new(run->loop, run->dir.path, run_id, on_request, run, &err);
    assert_non_null(run->server);
    assert_true(mgc_run_dir_announce(&run->dir, mgc_control_server_path(run->server), &err));
    assert_int_equal(pthread_create(&run->thread, NULL, serve, run), 0);
}

static void stop(struct run *run)
{
    __atomic_store_n(&run->end, true, __ATOMIC_RELEASE);
    mgc_stop_raise(&run->bell);
    pthread_join(run->thread, NULL);
    mgc_control_server_free(run->server);
    mgc_loop_free(run->loop);
    mgc_stop_destroy(&run->bell);
    mgc_run_dir_close(&run->dir);
}

static void a_question_gets_its_answer(void **state)
{
    struct run run;
    struct mgc_control_client client;
    struct mgc_error err = {0};
    const char *root = tmpdir_file("answer");
    start(&run, root, "run1");
    assert_true(mgc_control_open(&client, root, &err));
    assert_string_equal(client.run.run_id, "run1");
    assert_int_equal(client.run.pid, getpid());
    json_t *body = mgc_control_ask(&client, MGC_CONTROL_HOSTS, &err);
    assert_non_null(body);
    assert_string_equal(json_string_value(json_object_get(body, "did")), "hosts");
    json_decref(body);
    mgc_control_close(&client);
    assert_true(mgc_control_open(&client, root, &err));
    assert_null(mgc_control_ask(&client, MGC_CONTROL_CANCEL, &err));
    assert_int_equal(err.code, MGC_E_BUSY);
    assert_string_equal(err.text, "already");
    mgc_control_close(&client);
    stop(&run);
}

static void *ring_soon(void *arg)
{
    struct run *run = arg;
    for (int i = 0; i < 50; i++) { /* one of them comes after the question */
        mgc_sleep_ms(20);
        mgc_stop_raise(&run->bell);
    }
    return NULL;
}

static void an_answer_may_come_later_and_others_are_served_meanwhile(void **state)
{
    struct run run;
    struct mgc_control_client waits, gone, other;
    struct mgc_error err = {0};
    pthread_t bell;
    const char *root = tmpdir_file("later");
    start(&run, root, "run1");
    assert_true(mgc_control_open(&gone, root, &err));
    struct mgc_buf line = {0};
    mgc_control_put_request(&line, MGC_CONTROL_KEYS);
    assert_int_equal(write(gone.fd, line.data, line.len), line.len);
    mgc_buf_destroy(&line);
    mgc_control_close(&gone);
    assert_true(mgc_control_open(&other, root, &err));
    json_decref(mgc_control_ask(&other, MGC_CONTROL_HOSTS, &err));
    mgc_control_close(&other);
    assert_int_equal(err.code, MGC_OK);
    assert_true(mgc_control_open(&waits, root, &err));
    assert_int_equal(pthread_create(&bell, NULL, ring_soon, &run), 0);
    json_t *body = mgc_control_ask(&waits, MGC_CONTROL_KEYS, &err);
    assert_non_null(body);
    assert_string_equal(json_string_value(json_object_get(body, "did")), "late");
    json_decref(body);
    mgc_control_close(&waits);
    pthread_join(bell, NULL);
    stop(&run);
}

static void a_watcher_hears_events_and_the_end(void **state)
{
    struct run run;
    struct mgc_control_client client;
    struct mgc_error err = {0};
    const char *root = tmpdir_file("watch");
    start(&run, root, "run1");
    assert_true(mgc_control_open(&client, root, &err));
    json_t *body = mgc_control_ask(&client, MGC_CONTROL_WATCH, &err);
    assert_non_null(body);
    json_decref(body);
    for (int i = 0; i < 3; i++) {
        mgc_stop_raise(&run.bell);
        json_t *event = mgc_control_next(&client, -1, &err);
        assert_non_null(event);
        json_decref(event);
    }
    stop(&run);
    assert_null(mgc_control_next(&client, -1, &err));
    assert_int_equal(err.code, MGC_E_LOST);
    mgc_control_close(&client);
}

static int connect_raw(const struct run *run)
{
    struct mgc_error err = {0};
    int fd = mgc_control_connect(mgc_control_server_path(run->server), &err);
    assert_true(fd >= 0);
    return fd;
}

/* What comes until the other side closes. */
static void read_all(int fd, char *text, size_t size)
{
    size_t len = 0;
    ssize_t got;
    while ((got = read(fd, text + len, size - 1 - len)) > 0)
        len += (size_t)got;
    text[len] = '\0';
    close(fd);
}

static bool asks(const char *root, struct mgc_error *err)
{
    struct mgc_control_client client;
    json_t *body = mgc_control_open(&client, root, err)
                       ? mgc_control_ask(&client, MGC_CONTROL_HOSTS, err)
                       : NULL;
    mgc_control_close(&client);
    json_decref(body);
    return body != NULL;
}

static void a_question_gets_in_however_many_are_there(void **state)
{
    enum { MANY = 40 };
    struct run run;
    struct mgc_control_client watchers[MANY];
    struct mgc_error err = {0};
    int idle[MANY];
    char text[512];
    size_t refused = 0;
    const char *root = tmpdir_file("crowd");
    start(&run, root, "run1");
    for (size_t i = 0; i < MANY; i++) {
        assert_true(mgc_control_open(&watchers[i], root, &err));
        json_t *body = mgc_control_ask(&watchers[i], MGC_CONTROL_WATCH, &err);
        refused += !body;
        assert_true(body || err.code == MGC_E_BUSY);
        json_decref(body);
    }
    assert_true(refused > 0 && refused < MANY);
    assert_true(asks(root, &err));
    for (size_t i = 0; i < MANY; i++)
        idle[i] = connect_raw(&run);
    assert_true(asks(root, &err));
    read_all(idle[0], text, sizeof(text)); /* was told why it had to go */
    assert_non_null(strstr(text, "busy"));
    for (size_t i = 1; i < MANY; i++)
        close(idle[i]);
    for (size_t i = 0; i < MANY; i++)
        mgc_control_close(&watchers[i]);
    stop(&run);
}

static void strange_clients_do_no_harm(void **state)
{
    struct run run;
    struct mgc_control_client client;
    struct mgc_error err = {0};
    char text[1024], flood[8000];
    const char *root = tmpdir_file("strange");
    start(&run, root, "run1");
    close(connect_raw(&run));
    int fd = connect_raw(&run);
    assert_int_equal(write(fd, "nonsense\n", 9), 9);
    read_all(fd, text, sizeof(text));
    assert_non_null(strstr(text, "\"ok\":false"));
    fd = connect_raw(&run);
    memset(flood, 'x', sizeof(flood));
    assert_true(send(fd, flood, sizeof(flood), MSG_NOSIGNAL) > 0);
    read_all(fd, text, sizeof(text));
    int silent[20]; /* more than the server takes */
    for (size_t i = 0; i < 20; i++)
        silent[i] = connect_raw(&run);
    for (size_t i = 0; i < 20; i++)
        close(silent[i]);
    /* It may still count those that have just gone, and turn us away for a moment. */
    json_t *body = NULL;
    for (int64_t deadline = mgc_deadline_in_ms(30000); !body && !mgc_deadline_past(deadline);) {
        assert_true(mgc_control_open(&client, root, &err));
        body = mgc_control_ask(&client, MGC_CONTROL_HOSTS, &err);
        mgc_control_close(&client);
    }
    assert_non_null(body);
    json_decref(body);
    stop(&run);
}

static void without_a_run_there_is_none(void **state)
{
    struct mgc_control_client client;
    struct mgc_error err = {0};
    struct run run;
    const char *root = tmpdir_file("none");
    assert_false(mgc_control_open(&client, root, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
    mgc_control_close(&client);
    start(&run, root, "run1");
    stop(&run);
    assert_false(mgc_control_open(&client, root, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
}

/* What kill -9 leaves: a note, and a socket that nobody listens on. */
static void a_killed_run_is_no_run(void **state)
{
    struct mgc_control_client client;
    struct mgc_error err = {0};
    const char *root = tmpdir_file("killed"), *lock = tmpdir_file("killed/mgcoord.lock");
    char note[256];
    assert_true(mgc_dir_make(root, 0777, NULL));
    int len = snprintf(
        note, sizeof(note), "2147483\nrun run1\nsocket %s\n", tmpdir_file("killed/gone.sock"));
    assert_true(mgc_file_write(lock, note, (size_t)len, 0600, NULL));
    assert_false(mgc_control_open(&client, root, &err));
    assert_int_equal(err.code, MGC_E_NOT_FOUND);
}

static void a_run_without_control_is_named(void **state)
{
    struct mgc_run_dir dir;
    struct mgc_control_client client;
    struct mgc_error err = {0};
    const char *root = tmpdir_file("deaf");
    assert_true(mgc_run_dir_open(&dir, root, "run1", NULL));
    assert_false(mgc_control_open(&client, root, &err));
    assert_int_equal(err.code, MGC_E_LOST);
    assert_non_null(strstr(err.text, "run 'run1'"));
    mgc_run_dir_close(&dir);
}

static void a_long_path_gets_a_short_socket(void **state)
{
    char name[160], root[MGC_PATH_MAX];
    struct run run;
    struct mgc_control_client client;
    struct mgc_error err = {0};
    struct stat info;
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    snprintf(root, sizeof(root), "%s", tmpdir_file(name));
    const char *runtime = tmpdir_file("runtime");
    assert_true(mgc_dir_make(runtime, 0700, NULL));
    setenv("XDG_RUNTIME_DIR", runtime, 1);
    start(&run, root, "run1");
    assert_non_null(strstr(mgc_control_server_path(run.server), "/runtime/mgcoord/run1.sock"));
    assert_int_equal(stat(mgc_control_server_path(run.server), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_true(mgc_control_open(&client, root, &err));
    mgc_control_close(&client);
    stop(&run);
    unsetenv("XDG_RUNTIME_DIR");
}

static void a_trap_in_the_users_place_is_refused(void **state)
{
    char path[MGC_PATH_MAX];
    struct mgc_error err = {0};
    const char *runtime = tmpdir_file("trap"), *own = tmpdir_file("trap/mgcoord");
    assert_true(mgc_dir_make(own, 0777, NULL));
    assert_int_equal(chmod(own, 0777), 0);
    setenv("XDG_RUNTIME_DIR", runtime, 1);
    assert_int_equal(mgc_control_listen("/nowhere", "run1", path, &err), -1);
    assert_int_equal(err.code, MGC_E_DENIED);
    unsetenv("XDG_RUNTIME_DIR");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_question_gets_its_answer),
        cmocka_unit_test(an_answer_may_come_later_and_others_are_served_meanwhile),
        cmocka_unit_test(a_watcher_hears_events_and_the_end),
        cmocka_unit_test(a_question_gets_in_however_many_are_there),
        cmocka_unit_test(strange_clients_do_no_harm),
        cmocka_unit_test(without_a_run_there_is_none),
        cmocka_unit_test(a_killed_run_is_no_run),
        cmocka_unit_test(a_run_without_control_is_named),
        cmocka_unit_test(a_long_path_gets_a_short_socket),
        cmocka_unit_test(a_trap_in_the_users_place_is_refused),
    };
    return cmocka_run_group_tests(tests, tmpdir_setup, tmpdir_teardown);
}
