#include "lab/world/prepare.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/hash.h"
#include "common/base/path.h"
#include "common/plat/file.h"
#include "common/plat/process.h"
#include "lab/world/hosts.h"
#include "lab/world/last_words.h"
#include "lab/world/site.h"

enum { FIXTURES_DEADLINE_MS = 300000, KEYS_DEADLINE_MS = 30000 };

/* Until the program ended, or we are told to stop, which leaves it to mgc_process_free. */
static bool await_end(struct mgc_process *process, int64_t deadline_ns, int stop_fd,
    struct mgc_exit *ret_ending, struct mgc_error *err)
{
    struct pollfd fds[2] = {
        {.fd = mgc_process_fd(process), .events = POLLIN}, {.fd = stop_fd, .events = POLLIN}};
    while (poll(fds, 2, mgc_deadline_poll_ms(deadline_ns)) < 0 && errno == EINTR)
        ;
    if (fds[1].revents != 0)
        return mgc_error_set(err, MGC_E_CANCELLED, "told to stop");
    return mgc_process_wait(process, deadline_ns, ret_ending, err);
}

/* Run a program to its end, its output into log/NAME.log. */
static bool run(const struct mgc_lab_layout *layout, const char *const *argv, const char *name,
    int64_t limit_ms, int stop_fd, struct mgc_error *err)
{
    char log[MGC_LAB_PATH_MAX + 32], text[64], words[200];
    struct mgc_exit ending = {0};
    snprintf(log, sizeof log, "%s/%s.log", layout->log, name);
    const struct mgc_process_spec spec = {
        .argv = argv, .stdout_path = log, .stderr_path = log, .die_with_us = true};
    struct mgc_process *process = mgc_process_start(&spec, err);
    if (process == NULL)
        return false;
    bool ok = await_end(process, mgc_deadline_in_ms(limit_ms), stop_fd, &ending, err);
    mgc_process_free(process);
    if (ok && (ending.kind != MGC_EXIT_CODE || ending.value != 0))
        return mgc_error_set(err, MGC_E_FAILED, "%s ended with %s (%s); see %s",
            mgc_path_base(argv[0]), mgc_exit_text(&ending, text, sizeof text),
            mgc_lab_last_words(log, words, sizeof words), log);
    return ok;
}

static bool same_text(const char *path, const char *text)
{
    struct mgc_buf buf = {0};
    bool same = mgc_file_exists(path) && mgc_file_read(path, 4096, &buf, NULL) &&
                strcmp(mgc_buf_text(&buf), text) == 0;
    mgc_buf_destroy(&buf);
    return same;
}

/* The stamp is the generator's own hash and its parameter: another generator, other fixtures. It
 * is written last, so fixtures that were cut short are made anew. */
static bool prepare_fixtures(const struct mgc_lab_layout *layout,
    const struct mgc_lab_prepare *options, struct mgc_error *err)
{
    char program[MGC_LAB_PATH_MAX], path[MGC_LAB_PATH_MAX + 16], hash[MGC_SHA256_HEX_SIZE];
    char stamp[MGC_SHA256_HEX_SIZE + 32], number[24];
    if (!mgc_lab_layout_find(layout, "mglab-fixtures", program, err) ||
        !mgc_sha256_file(program, hash, NULL, err))
        return false;
    snprintf(path, sizeof path, "%s/stamp", layout->fixtures);
    snprintf(number, sizeof number, "%" PRId64, options->frames_divisor);
    snprintf(stamp, sizeof stamp, "%s /%s\n", hash, number);
    if (same_text(path, stamp))
        return true;
    const char *const argv[] = {program, "--frames-divisor", number, layout->fixtures, NULL};
    return mgc_file_remove(path, err) &&
           run(layout, argv, "fixtures", FIXTURES_DEADLINE_MS, options->stop_fd, err) &&
           mgc_file_write(path, stamp, strlen(stamp), 0644, err);
}

static bool add_key(const struct mgc_lab_layout *layout, const char *program, const char *worker,
    const char *role, const char *address, int stop_fd, struct mgc_error *err)
{
    char out[MGC_LAB_PATH_MAX + 32], log[48];
    snprintf(out, sizeof out, "%s/%s.enrol", layout->enrol, worker);
    snprintf(log, sizeof log, "keys-%s", worker);
    const char *const argv[] = {program, "keys", "add", "--keys", layout->keys, worker, "--role",
        role, "--address", address, "--out", out, NULL};
    return run(layout, argv, log, KEYS_DEADLINE_MS, stop_fd, err);
}

/* "done" is written last; without it whatever is there is half of something. */
static bool add_pair(const struct mgc_lab_layout *layout, const char *program,
    const struct mgc_lab_prepare *options, int number, struct mgc_error *err)
{
    const struct mgc_lab_roster *roster = &options->roster;
    struct mgc_lab_pair pair;
    char of_host[64], of_wsl[64];
    int port = mgc_lab_roster_bus_port(roster);
    mgc_lab_roster_pair(roster, number, &pair);
    snprintf(of_host, sizeof of_host, "tcp://%s:%d",
        roster->loopback ? "127.0.0.1" : MGC_LAB_WSL_LAN, port);
    snprintf(of_wsl, sizeof of_wsl, "tcp://127.0.0.1:%d", port);
    return add_key(layout, program, pair.host, "host", of_host, options->stop_fd, err) &&
           add_key(layout, program, pair.wsl, "wsl", of_wsl, options->stop_fd, err);
}

/* What the enrolments are for: other labs have other addresses and names. */
static void mode_text(const struct mgc_lab_roster *roster, char *ret_text, size_t size)
{
    int len = snprintf(ret_text, size, "%s", roster->loopback ? "loopback\n" : "");
    if (mgc_lab_roster_several(roster))
        snprintf(ret_text + len, size - (size_t)len, "%d pairs of several\n", roster->pairs);
}

static bool prepare_keys(const struct mgc_lab_layout *layout, const struct mgc_lab_prepare *options,
    struct mgc_error *err)
{
    char mode[64];
    char program[MGC_LAB_PATH_MAX], done[MGC_LAB_PATH_MAX + 16];
    snprintf(done, sizeof done, "%s/done", layout->enrol);
    mode_text(&options->roster, mode, sizeof mode);
    if (same_text(done, mode))
        return true;
    if (!mgc_lab_layout_find(layout, "mgcoord", program, err) ||
        !mgc_dir_remove(layout->keys, err) || !mgc_dir_remove(layout->enrol, err) ||
        !mgc_dir_make(layout->enrol, 0700, err))
        return false;
    const char *const init[] = {program, "keys", "init", "--keys", layout->keys, NULL};
    if (!run(layout, init, "keys-init", KEYS_DEADLINE_MS, options->stop_fd, err))
        return false;
    for (int i = 1; i <= options->roster.pairs; i++) {
        if (!add_pair(layout, program, options, i, err))
            return false;
    }
    return mgc_file_write(done, mode, strlen(mode), 0600, err);
}

static bool read_fixtures(const struct mgc_lab_layout *layout,
    struct mgc_lab_fixtures *ret_fixtures, struct mgc_error *err)
{
    char path[MGC_LAB_PATH_MAX + 16];
    struct mgc_buf text = {0};
    snprintf(path, sizeof path, "%s/fixtures.json", layout->fixtures);
    bool ok = mgc_file_read(path, MGC_LAB_FIXTURES_BYTES, &text, err) &&
              (mgc_lab_fixtures_parse(mgc_buf_text(&text), text.len, ret_fixtures, err) ||
                  mgc_error_prefix(err, "%s", path));
    mgc_buf_destroy(&text);
    return ok;
}

static bool prepare_site(const struct mgc_lab_layout *layout, const struct mgc_lab_prepare *options,
    struct mgc_error *err)
{
    char client[MGC_LAB_PATH_MAX], library[MGC_LAB_PATH_MAX];
    struct mgc_buf text = {0};
    struct mgc_lab_fixtures fixtures;
    const struct mgc_lab_site site = {.layout = layout,
        .fixtures = &fixtures,
        .client = client,
        .library = library,
        .heartbeat_ms = options->heartbeat_ms,
        .silence_ms = options->silence_ms,
        .roster = &options->roster};
    if (!mgc_lab_layout_find(layout, "mobilegl_trace_replay", client, err) ||
        !mgc_lab_layout_find(layout, "libMobileGL.so", library, err) ||
        !read_fixtures(layout, &fixtures, err))
        return false;
    bool ok = mgc_lab_site_print(&site, &text)
                  ? mgc_file_write(layout->site, mgc_buf_text(&text), text.len, 0644, err)
                  : mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the site file");
    mgc_buf_destroy(&text);
    return ok;
}

bool mgc_lab_prepare(const struct mgc_lab_layout *layout, const struct mgc_lab_prepare *options,
    struct mgc_error *err)
{
    if (!prepare_fixtures(layout, options, err))
        return mgc_error_prefix(err, "fixtures");
    if (!prepare_keys(layout, options, err))
        return mgc_error_prefix(err, "keys");
    if (!prepare_site(layout, options, err))
        return mgc_error_prefix(err, "site");
    return true;
}
