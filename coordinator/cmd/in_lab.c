#include "coordinator/cmd/in_lab.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/path.h"
#include "common/plat/host.h"
#include "coordinator/cmd/exit_code.h"
#include "coordinator/cmd/options.h"

/* Installed, mglab stands beside mgcoord; in a build tree, in lab/world/. */
static bool find_mglab(const char *self, char ret_path[MGC_PATH_MAX], struct mgc_error *err)
{
    static const char *const places[] = {"mglab", "../lab/world/mglab"};
    char dir[MGC_PATH_MAX];
    snprintf(dir, sizeof(dir), "%s", self);
    *strrchr(dir, '/') = '\0';
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        if (mgc_path_join(ret_path, MGC_PATH_MAX, dir, places[i]) && access(ret_path, X_OK) == 0)
            return true;
    }
    return mgc_error_set(err, MGC_E_NOT_FOUND,
        "no mglab beside %s: this build has no lab (meson setup -Dlab=enabled)", self);
}

/* How many arguments an option takes up at argv[i]; 0: it is not a lab option. */
static int lab_option_length(char **argv, int i)
{
    if (strcmp(argv[i], "--lab") == 0 || strcmp(argv[i], "--lab-loopback") == 0)
        return 1;
    if (strncmp(argv[i], "--lab-", 6) != 0)
        return 0;
    return strchr(argv[i], '=') ? 1 : 2;
}

static void add_option(const char **args, int *n, const char *name, const char *value)
{
    if (!value)
        return;
    args[(*n)++] = name;
    args[(*n)++] = value;
}

static int exec_mglab(
    const struct mgc_lab_options *lab, const char *mglab, const char *self, int argc, char **argv)
{
    /* mglab run --interrupted-code N --state S --frames-divisor N --link L --phones N --pairs M
     * --loopback --fault F... -- self + argv + NULL */
    const char **args = calloc((size_t)argc + 18 + 2 * lab->faults.count, sizeof(*args));
    if (!args)
        return ENOMEM;
    char interrupted[16];
    snprintf(interrupted, sizeof(interrupted), "%d", MGC_EXIT_INTERRUPTED);
    int n = 0;
    args[n++] = mglab;
    args[n++] = "run";
    add_option(args, &n, "--interrupted-code", interrupted);
    add_option(args, &n, "--state", lab->state);
    add_option(args, &n, "--frames-divisor", lab->frames_divisor);
    add_option(args, &n, "--link", lab->link);
    add_option(args, &n, "--phones", lab->phones);
    add_option(args, &n, "--pairs", lab->pairs);
    if (lab->loopback)
        args[n++] = "--loopback";
    for (size_t i = 0; i < lab->faults.count; i++)
        add_option(args, &n, "--fault", lab->faults.items[i]);
    args[n++] = "--";
    args[n++] = self;
    for (int i = 0; i < argc;) {
        int length = lab_option_length(argv, i);
        if (length == 0)
            args[n++] = argv[i++];
        i += length;
    }
    execv(mglab, (char **)(void *)args);
    int failure = errno;
    free(args);
    return failure;
}

/* A Ctrl-C while the programs change would end mglab with half a lab and the signal's exit code.
 * The mask passes through exec; mglab reads what waits. */
static void hold_signals(void)
{
    static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sigaddset(&held, numbers[i]);
    sigprocmask(SIG_BLOCK, &held, NULL);
}

int mgc_run_in_lab(const struct mgc_lab_options *lab, int argc, char **argv)
{
    struct mgc_error err = {0};
    char self[MGC_PATH_MAX], mglab[MGC_PATH_MAX];
    if (!mgc_host_program(self, sizeof(self), &err) || !find_mglab(self, mglab, &err)) {
        mgc_cmd_fail(&err);
        return MGC_EXIT_USAGE;
    }
    hold_signals();
    mgc_error_errno(&err, exec_mglab(lab, mglab, self, argc, argv), "start '%s'", mglab);
    return mgc_cmd_fail(&err);
}
