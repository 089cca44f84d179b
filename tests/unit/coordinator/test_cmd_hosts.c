/* mgcoord keys and mgcoord hosts as a person uses them, with workers that only say hello. */
#include "tests/unit/coordinator/plan_fixture.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "common/base/hash.h"
#include "common/bus/client.h"
#include "common/bus/keys.h"
#include "common/json/json.h"

struct bench {
    struct fixture *fixture;
    int port;
    pid_t workers[2];
};

/* ---- running mgcoord ------------------------------------------------------------------------- */

/* Run "mgcoord ARGS" by the shell; the exit code. Output of both streams into ret_text, may be
 * NULL. */
static int run(struct mgc_buf *ret_text, const char *args)
{
    char command[1024], piece[512];
    const char *program = getenv("MGC_TEST_MGCOORD");
    assert_non_null(program);
    snprintf(command, sizeof(command), "'%s' %s 2>&1", program, args);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    size_t len;
    while ((len = fread(piece, 1, sizeof(piece), out)) > 0) {
        if (ret_text)
            mgc_buf_append(ret_text, piece, len);
    }
    int status = pclose(out);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void expect(int exit_code, const char *args, const char *part)
{
    struct mgc_buf text = {0};
    int got = run(&text, args);
    if (got != exit_code || !strstr(mgc_buf_text(&text), part))
        fail_msg("mgcoord %s: exit %d (expected %d), expected '%s' in:\n%s", args, got, exit_code,
            part, mgc_buf_text(&text));
    mgc_buf_destroy(&text);
}

/* ---- workers --------------------------------------------------------------------------------- */

static void on_lost(void *user, const struct mgc_error *why)
{
    (void)why;
    mgc_bus_client_resume(*(struct mgc_bus_client **)user);
}

static void on_joined(void *user, const struct mgc_msg_welcome *welcome, uint64_t epoch)
{
    (void)user;
    (void)welcome;
    (void)epoch;
}

static void on_message(void *user, const struct mgc_msg *msg)
{
    (void)user;
    (void)msg;
}

/* What the worker's log would say, for the parent to read. */
static void on_not_joined(void *user, const char *address, const struct mgc_error *why)
{
    (void)user;
    (void)address;
    FILE *log = fopen("worker.log", "ae");
    if (log) {
        fprintf(log, "%s\n", why->text);
        fclose(log);
    }
}

/* The child: says hello until it is killed. */
static void be_worker(const char *enrol, const char *role, int64_t protocol)
{
    static const struct mgc_bus_client_ops ops = {on_joined, on_lost, on_message, on_not_joined};
    struct mgc_enrolment enrolment;
    struct mgc_msg_hello hello = {.protocol_min = protocol,
        .protocol_max = protocol,
        .role = (char *)role,
        .build = (char *)"test-build",
        .host = (char *)"test-host",
        .os = (char *)"TestOS 1",
        .boot_id = (char *)"b"};
    struct mgc_bus_client_config config = {
        .enrolment = &enrolment, .hello = &hello, .retry_min_ms = 50, .retry_max_ms = 200};
    struct mgc_bus_client *client = NULL;
    struct mgc_error err;
    struct mgc_loop *loop = NULL;
    if (mgc_random_init(&err) && mgc_enrolment_load(enrol, &enrolment, &err))
        loop = mgc_loop_new(&err);
    if (loop)
        client = mgc_bus_client_new(loop, &config, &ops, &client, &err);
    if (client)
        mgc_loop_run(loop, &err);
    _exit(1);
}

static pid_t start_worker_of(const char *enrol, const char *role, int64_t protocol)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        be_worker(enrol, role, protocol);
    return pid;
}

static pid_t start_worker(const char *enrol, const char *role)
{
    return start_worker_of(enrol, role, MGC_PROTOCOL_MAX);
}

/* ---- fixture --------------------------------------------------------------------------------- */

static int free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    close(fd);
    return ntohs(address.sin_port);
}

static int setup(void **state)
{
    struct bench *bench = calloc(1, sizeof(*bench));
    struct mgc_buf site = {0};
    assert_non_null(bench);
    fixture_setup(state);
    bench->fixture = *state;
    bench->port = free_port();
    mgc_buf_printf(&site, "bind: tcp://127.0.0.1:%d\nkeys: keys\n%s", bench->port,
        mgc_buf_text(&bench->fixture->site));
    fixture_write("site.yaml", mgc_buf_text(&site));
    mgc_buf_destroy(&site);
    unsetenv("MGCOORD_SITE");
    assert_int_equal(run(NULL, "keys init"), 0);
    assert_int_equal(run(NULL, "keys add pc"), 0);
    assert_int_equal(run(NULL, "keys add ubuntu"), 0);
    *state = bench;
    return 0;
}

static int teardown(void **state)
{
    struct bench *bench = *state;
    for (size_t i = 0; i < 2; i++) {
        if (bench->workers[i] <= 0)
            continue;
        kill(bench->workers[i], SIGKILL);
        waitpid(bench->workers[i], NULL, 0);
    }
    *state = bench->fixture;
    free(bench);
    return fixture_teardown(state);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_all_there(void **state)
{
    struct bench *bench = *state;
    bench->workers[0] = start_worker("pc.enrol", "host");
    bench->workers[1] = start_worker("ubuntu.enrol", "wsl");
    struct mgc_buf text = {0};
    assert_int_equal(run(&text, "hosts --json --wait 60s"), 0);
    json_t *doc = json_loadb(mgc_buf_text(&text), text.len, 0, NULL);
    assert_non_null(doc);
    assert_int_equal(json_array_size(doc), 2);
    json_t *pc = json_array_get(doc, 0);
    assert_string_equal(json_string_value(json_object_get(pc, "worker")), "pc");
    assert_string_equal(json_string_value(json_object_get(pc, "state")), "ready");
    assert_string_equal(json_string_value(json_object_get(pc, "host")), "test-host");
    assert_string_equal(json_string_value(json_object_get(pc, "build")), "test-build");
    assert_true(json_is_integer(json_object_get(pc, "offset_ns")));
    assert_true(json_integer_value(json_object_get(pc, "uncertainty_ns")) > 0);
    json_decref(doc);
    mgc_buf_destroy(&text);
}

static void test_one_absent(void **state)
{
    struct bench *bench = *state;
    bench->workers[0] = start_worker("pc.enrol", "host");
    expect(3, "hosts --wait 1s", "ubuntu  wsl   absent");
}

static void test_revoked(void **state)
{
    struct bench *bench = *state;
    expect(0, "keys revoke pc", "pc is refused");
    expect(0, "keys list", "pc                   host  revoked");
    bench->workers[0] = start_worker("pc.enrol", "host");
    expect(3, "hosts --wait 500ms", "pc      host  revoked");
}

/* Both sides can know it, and both say what to do. */
static void test_no_common_protocol(void **state)
{
    static const char sentence[] = "no common protocol version: coordinator speaks";
    struct bench *bench = *state;
    struct mgc_buf log = {0};
    bench->workers[0] = start_worker_of("pc.enrol", "host", MGC_PROTOCOL_MAX + 8);
    expect(3, "hosts --wait 3s", sentence);
    for (int tries = 0; tries < 20 && !strstr(mgc_buf_text(&log), sentence); tries++) {
        run(NULL, "hosts --wait 1s");
        mgc_buf_clear(&log);
        mgc_file_read("worker.log", 1 << 20, &log, NULL);
    }
    assert_non_null(strstr(mgc_buf_text(&log), sentence));
    assert_non_null(strstr(mgc_buf_text(&log), "update the older one"));
    mgc_buf_destroy(&log);
}

static void test_port_is_taken(void **state)
{
    struct bench *bench = *state;
    struct sockaddr_in address = {.sin_family = AF_INET,
        .sin_port = htons((uint16_t)bench->port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(fd, 1), 0);
    char who[64];
    snprintf(who, sizeof(who), "is in use by process %ld", (long)getpid());
    expect(3, "hosts --wait 60s", who);
    close(fd);
}

static void test_keys(void **state)
{
    (void)state;
    expect(2, "keys init", "exists and is kept");
    expect(2, "keys add pc", "exists and is kept");
    expect(2, "keys add stranger", "role of 'stranger' is not known");
    expect(0, "keys add stranger --role wsl --address tcp://10.0.0.1:40700 --out s.enrol",
        "stranger may connect as wsl");
    expect(0, "keys list --json", "\"worker\": \"stranger\"");
    expect(2, "keys revoke nobody", "no worker 'nobody'");
    expect(2, "keys frobnicate", "unknown command 'frobnicate'");
    struct mgc_enrolment enrolment;
    struct mgc_error err;
    assert_true(mgc_enrolment_load("s.enrol", &enrolment, &err));
    assert_string_equal(enrolment.addresses[0], "tcp://10.0.0.1:40700");
    mgc_enrolment_destroy(&enrolment);
    assert_true(mgc_dir_remove("keys", &err));
    expect(2, "hosts", "expected those that `mgcoord keys init` makes");
    assert_true(mgc_file_remove("site.yaml", &err));
    expect(2, "keys list --site gone.yaml", "or say which key directory: --keys DIR");
}

/* Nothing is built for a command line that cannot work. */
static void test_lab_options(void **state)
{
    (void)state;
    expect(2, "run crosshost --lab --site site.yaml", "leave --site out");
    expect(2, "run crosshost --lab --lab-link string", "no link profile");
    expect(2, "run crosshost --lab --lab-fault client-slow=x", "--fault");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_all_there),
        TEST(test_one_absent),
        TEST(test_revoked),
        TEST(test_no_common_protocol),
        TEST(test_port_is_taken),
        TEST(test_lab_options),
        TEST(test_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
