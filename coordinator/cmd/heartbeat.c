/* mgcoord heartbeat: is all well with the runs on this bench? For a check from outside, such as
 * cron or a monitoring agent. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "coordinator/cmd/commands.h"
#include "coordinator/cmd/exit_code.h"
#include "coordinator/cmd/options.h"
#include "coordinator/night/heartbeat.h"
#include "coordinator/store/run_dir.h"

struct heartbeat_options {
    struct mgc_plan_options site;
    const char *plan;
    int64_t max_age_ms;
};

/* -1: the path is there; else the exit code. */
static int find_file(const struct heartbeat_options *options, char ret_path[MGC_PATH_MAX])
{
    struct mgc_site site;
    struct mgc_error err = {0};
    int code = mgc_site_options_load(&options->site, &site);
    if (code != MGC_EXIT_OK)
        return code;
    bool fits = mgc_heartbeat_path(&site, ret_path);
    mgc_site_destroy(&site);
    if (fits)
        return -1;
    mgc_error_set(&err, MGC_E_USAGE, "heartbeat: path is too long");
    return mgc_cmd_fail(&err);
}

/* Is that file's lock held? Not by mgc_lock_take, which would write into it. */
static bool is_free(const char *lock_path)
{
    int fd = open(lock_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is_free = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) == 0;
    if (fd >= 0)
        close(fd);
    return is_free;
}

/* Locks of another machine may not be seen here. */
static bool is_local(const char *path)
{
    static const unsigned long remote[] = {FUSE_SUPER_MAGIC, NFS_SUPER_MAGIC, CIFS_SUPER_MAGIC,
        SMB_SUPER_MAGIC, SMB2_SUPER_MAGIC, V9FS_MAGIC};
    struct statfs fs;
    if (statfs(path, &fs) != 0)
        return false;
    for (size_t i = 0; i < sizeof(remote) / sizeof(remote[0]); i++) {
        if (((unsigned long)fs.f_type & 0xffffffffUL) == remote[i])
            return false;
    }
    return true;
}

/* A heartbeat file in the run's results root, no copy of it: the lock beside it tells at once
 * whether the run is there. One that ended in order has taken its name out of the lock file, so
 * that is read last. */
static bool was_killed(const char *path, const struct mgc_heartbeat *heartbeat)
{
    char lock_path[MGC_PATH_MAX], run_path[MGC_PATH_MAX];
    struct mgc_run_note note;
    struct stat here, there;
    const char *name = mgc_path_base(path);
    int len = snprintf(lock_path, sizeof(lock_path), "%.*s" MGC_RUN_LOCK, (int)(name - path), path);
    int run_len =
        snprintf(run_path, sizeof(run_path), "%.*s%s", (int)(name - path), path, heartbeat->run_id);
    if (len < 0 || len >= (int)sizeof(lock_path) || run_len < 0 || run_len >= (int)sizeof(run_path))
        return false;
    return heartbeat->state == MGC_HEARTBEAT_RUNNING && stat(run_path, &here) == 0 &&
           stat(heartbeat->dir, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino && is_local(lock_path) && is_free(lock_path) &&
           mgc_run_note_read(lock_path, &note) && strcmp(note.run_id, heartbeat->run_id) == 0;
}

/* One sentence on standard output, whatever it is: that is what the check is for. */
static int check(const struct heartbeat_options *options, const char *path)
{
    struct mgc_heartbeat heartbeat;
    struct mgc_error err = {0};
    struct mgc_buf sentence = {0};
    bool good = mgc_heartbeat_read(path, &heartbeat, &err);
    if (good)
        good = mgc_heartbeat_judge(
            &heartbeat, options->plan, mgc_wall_ns(), options->max_age_ms, &sentence);
    else if (err.code == MGC_E_NOT_FOUND)
        mgc_buf_printf(&sentence, "no heartbeat at '%s': no run has begun", path);
    else
        mgc_buf_printf(&sentence, "nobody can tell how the last run went: %s", err.text);
    if (good && was_killed(path, &heartbeat)) {
        good = false;
        mgc_buf_clear(&sentence);
        mgc_buf_printf(&sentence,
            "run '%s' was killed at cell %zu of %zu: its process is gone; next: mgcoord run "
            "--resume",
            heartbeat.run_id, heartbeat.index, heartbeat.cells);
    }
    printf("%s: %s\n", good ? "ok" : "alarm", mgc_buf_text(&sentence));
    mgc_buf_destroy(&sentence);
    return good ? MGC_EXIT_OK : MGC_EXIT_GATE;
}

int mgc_cmd_heartbeat(int argc, char **argv)
{
    static const struct mgc_cli_option rows[] = {
        MGC_SITE_OPTION(struct heartbeat_options, site),
        {"max-age", 'a', "TIME",
            "how long ago the last run may have ended, and how long one may take (default: 26h)",
            mgc_cli_duration_ms, offsetof(struct heartbeat_options, max_age_ms), NULL},
        {"plan", 'p', "NAME", "it has to be a run of this plan", mgc_cli_string,
            offsetof(struct heartbeat_options, plan), NULL},
        {0},
    };
    static const struct mgc_cli cli = {.program = "mgcoord heartbeat",
        .synopsis = "[options] [FILE]",
        .summary = "Is all well with the runs on this bench? FILE is what the plan's key "
                   "'heartbeat' names; without it heartbeat.json in the site's results root.",
        .options = rows,
        .max_operands = 1,
        .notes = "Prints one sentence. Exit codes: 0 the last run ended well and is no older than "
                 "--max-age, or one is on and gives signs of life; 1 there is none, it is older, "
                 "it failed or was interrupted, or one hangs or was killed; 2 usage."};
    struct heartbeat_options options = {.max_age_ms = 26 * 3600 * INT64_C(1000)};
    char path[MGC_PATH_MAX];
    char **operands;
    int count, code = mgc_cmd_parse(&cli, argc, argv, &options, &operands, &count);
    if (code < 0 && count == 0)
        code = find_file(&options, path);
    return code >= 0 ? code : check(&options, count ? operands[0] : path);
}
