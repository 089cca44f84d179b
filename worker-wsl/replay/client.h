/* How the cross-host replay client is started and what is made of its end: pure text.
 *
 * Command line and environment are those of the public contract of mobilegl_trace_replay over TCP,
 * as tools/device_bench/disagg/crosshost_accept.sh sets them (client flags: trace_replay_cli.cpp).
 * The environment is built from nothing: a variable of the worker's own must not change a
 * measurement.
 */
#ifndef WORKER_WSL_REPLAY_CLIENT_H
#define WORKER_WSL_REPLAY_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/plat/process.h"

enum mgc_replay_mode { MGC_REPLAY_BENCHMARK, MGC_REPLAY_SSIM };

struct mgc_replay_params { /* strings are borrowed */
    enum mgc_replay_mode mode;
    const char *client, *library, *trace; /* paths */
    const char *golden;                   /* ssim only */
    const char *output;                   /* directory for everything that it writes */
    const char *address, *token, *backend;
    int64_t port, credit;
    int64_t width, height;
    int64_t target_call;                             /* ssim only */
    int64_t crop_x, crop_y, crop_width, crop_height; /* width 0: no crop; ssim only */
    double ssim_threshold;                           /* ssim only */
    bool benchmark_finish;                           /* benchmark only, as the next */
    int64_t benchmark_tail_frames;
};

/* A NULL-ended list of strings that grows; for argv and envp. */
enum { MGC_REPLAY_STRINGS_MAX = 64 };
struct mgc_replay_strings {
    char *items[MGC_REPLAY_STRINGS_MAX + 1]; /* owned */
    size_t count;
    bool failed; /* no memory or no room */
};
void mgc_replay_strings_destroy(struct mgc_replay_strings *strings); /* wipes; takes zeroed */

/* Rules between parameters, which the schema cannot say: what an ssim run needs. */
bool mgc_replay_check(const struct mgc_replay_params *params, struct mgc_error *err);
/* False: no memory. The environment holds the token. */
bool mgc_replay_args(const struct mgc_replay_params *params, struct mgc_replay_strings *ret_args);
bool mgc_replay_env(const struct mgc_replay_params *params, struct mgc_replay_strings *ret_env);

/* Text of rc.txt: "rc=<n> secs=<n>\n", with 124 for a run that was ended by its time limit (as
 * timeout(1) has it) and 128 + n for signal n (as a shell has it). */
void mgc_replay_rc_text(
    const struct mgc_exit *exit, bool timed_out, int64_t wall_ns, char *ret_text, size_t size);

#endif
