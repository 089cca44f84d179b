/* am: the activity manager, as far as a phone with one app needs it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lab/phone/commands/am.h"
#include "lab/phone/control.h"

int mgl_am_dead(void)
{
    fputs("cmd: Failure calling service activity: Broken pipe (32)\n", stderr);
    return MGL_EXIT_DEAD;
}

void mgl_am_print(const struct mgl_intent *intent, const char *verb)
{
    struct mgc_buf text = {0};
    mgl_intent_print(intent, &text);
    printf("%s: %s\n", verb, mgc_buf_text(&text));
    fflush(stdout); /* before what goes to standard error */
    mgc_buf_destroy(&text);
}

/* A package that is not installed has nothing to stop: Android says nothing and succeeds. */
static int am_force_stop(int argc, char **argv)
{
    if (argc < 2) {
        fputs("Exception occurred while executing 'force-stop':\n"
              "java.lang.IllegalArgumentException: Argument expected after \"force-stop\"\n",
            stderr);
        return MGL_AM_REFUSED;
    }
    const char *const words[] = {"force-stop", argv[argc - 1], NULL};
    switch (mgl_control_call(words, NULL, NULL)) {
    case MGL_CONTROL_LOST:
        return mgl_am_dead();
    case MGL_CONTROL_REFUSED:
        fprintf(stderr,
            "Exception occurred while executing 'force-stop':\njava.lang.SecurityException: "
            "Permission Denial: forceStopPackage() from pid=%d, uid=%u requires "
            "android.permission.FORCE_STOP_PACKAGES\n",
            (int)getpid(), getuid());
        return MGL_AM_REFUSED;
    default:
        return 0;
    }
}

/* Nobody on this phone listens to broadcasts, so to send one would only look like success. */
static int am_broadcast(int argc, char **argv)
{
    struct mgl_intent intent;
    struct mgc_error err;
    if (!mgl_intent_parse(argc - 1, argv + 1, &intent, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return MGL_AM_REFUSED;
    }
    mgl_am_print(&intent, "Broadcasting");
    fprintf(stderr,
        "Security exception: Permission Denial: not allowed to send broadcast %s from pid=%d, "
        "uid=%u\n\njava.lang.SecurityException: Permission Denial: not allowed to send broadcast "
        "%s from pid=%d, uid=%u\n",
        intent.action ? intent.action : "null", (int)getpid(), getuid(),
        intent.action ? intent.action : "null", (int)getpid(), getuid());
    return MGL_AM_REFUSED;
}

int mgl_command_am(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } subcommands[] = {
        {"start", mgl_am_start},
        {"start-activity", mgl_am_start},
        {"startservice", mgl_am_start_service},
        {"start-service", mgl_am_start_service},
        {"start-foreground-service", mgl_am_start_service},
        {"startforegroundservice", mgl_am_start_service},
        {"force-stop", am_force_stop},
        {"broadcast", am_broadcast},
    };
    if (argc < 2) {
        fputs("Activity manager (activity) commands: start, start-service, "
              "start-foreground-service, force-stop, broadcast\n",
            stderr);
        return MGL_AM_REFUSED;
    }
    for (size_t i = 0; i < sizeof(subcommands) / sizeof(subcommands[0]); i++)
        if (strcmp(subcommands[i].name, argv[1]) == 0)
            return subcommands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "Unknown command: %s\n", argv[1]);
    return MGL_AM_REFUSED;
}
