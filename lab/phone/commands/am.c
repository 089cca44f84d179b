/* am: the activity manager, as far as a phone with one app needs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/parse.h"
#include "lab/phone/commands/commands.h"
#include "lab/phone/commands/intent.h"
#include "lab/phone/control.h"

enum { EXIT_REFUSED = 255, START_HEAD_WORDS = 4 };

static int dead(void)
{
    fputs("cmd: Failure calling service activity: Broken pipe (32)\n", stderr);
    return MGL_EXIT_DEAD;
}

static int print_start(const struct mgl_intent *intent, const char *verb)
{
    struct mgc_buf text = {0};
    mgl_intent_print(intent, &text);
    printf("%s: %s\n", verb, mgc_buf_text(&text));
    fflush(stdout); /* before what goes to standard error */
    mgc_buf_destroy(&text);
    return 0;
}

/* What starting the activity manager's own program costs on a phone. */
static void pay_start(void)
{
    static const char *const words[] = {"am-cost", NULL};
    char text[32];
    int64_t ms;
    if (mgl_control_get(words, text, sizeof(text)) == MGL_CONTROL_OK &&
        mgc_parse_int(text, 0, 60000, &ms))
        mgc_sleep_ms(ms);
}

/* Ask PID 1 to start the component; extras go along as "key=value". */
static enum mgl_control_result start_component(const char *kind, const struct mgl_intent *intent)
{
    const char *words[START_HEAD_WORDS + MGL_INTENT_EXTRAS_MAX + 1] = {
        "start", kind, intent->package, intent->class_name};
    char *extras[MGL_INTENT_EXTRAS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < intent->extra_count; i++) {
        if (intent->extras[i].type == 'n' ||
            asprintf(&extras[count], "%s=%s", intent->extras[i].key, intent->extras[i].value) < 0)
            continue;
        words[START_HEAD_WORDS + count] = extras[count];
        count++;
    }
    pay_start();
    enum mgl_control_result result = mgl_control_call(words, NULL, NULL);
    while (count > 0)
        free(extras[--count]);
    return result;
}

static bool parse_intent(int argc, char **argv, struct mgl_intent *ret_intent)
{
    struct mgc_error err;
    if (mgl_intent_parse(argc - 1, argv + 1, ret_intent, &err))
        return true;
    fprintf(stderr, "%s\n", err.text);
    return false;
}

static int am_start(int argc, char **argv)
{
    struct mgl_intent intent;
    if (!parse_intent(argc, argv, &intent))
        return EXIT_REFUSED;
    print_start(&intent, "Starting");
    if (!intent.package[0]) {
        fprintf(stderr, "Error: Activity not started, unable to resolve Intent { act=%s }\n",
            intent.action ? intent.action : "null");
        return 1;
    }
    switch (start_component("activity", &intent)) {
    case MGL_CONTROL_OK:
        return 0;
    case MGL_CONTROL_LOST:
        return dead();
    default:
        break;
    }
    char class_name[512];
    mgl_intent_full_class(&intent, class_name, sizeof(class_name));
    fprintf(stderr, "Error type 3\nError: Activity class {%s/%s} does not exist.\n", intent.package,
        class_name);
    return 1;
}

static int am_start_service(int argc, char **argv)
{
    struct mgl_intent intent;
    if (!parse_intent(argc, argv, &intent))
        return EXIT_REFUSED;
    print_start(&intent, "Starting service");
    switch (start_component("service", &intent)) {
    case MGL_CONTROL_OK:
        return 0;
    case MGL_CONTROL_LOST:
        return dead();
    case MGL_CONTROL_REFUSED:
        fputs("Error: Requires permission not exported from uid 10123\n", stderr);
        return EXIT_REFUSED;
    default:
        fputs("Error: Not found; no service started.\n", stderr);
        return EXIT_REFUSED;
    }
}

/* A package that is not installed has nothing to stop: Android says nothing and succeeds. */
static int am_force_stop(int argc, char **argv)
{
    if (argc < 2) {
        fputs("Exception occurred while executing 'force-stop':\n"
              "java.lang.IllegalArgumentException: Argument expected after \"force-stop\"\n",
            stderr);
        return EXIT_REFUSED;
    }
    const char *const words[] = {"force-stop", argv[argc - 1], NULL};
    switch (mgl_control_call(words, NULL, NULL)) {
    case MGL_CONTROL_LOST:
        return dead();
    case MGL_CONTROL_REFUSED:
        fprintf(stderr,
            "Exception occurred while executing 'force-stop':\njava.lang.SecurityException: "
            "Permission Denial: forceStopPackage() from pid=%d, uid=%u requires "
            "android.permission.FORCE_STOP_PACKAGES\n",
            (int)getpid(), getuid());
        return EXIT_REFUSED;
    default:
        return 0;
    }
}

/* Nobody on this phone listens to broadcasts, so to send one would only look like success. */
static int am_broadcast(int argc, char **argv)
{
    struct mgl_intent intent;
    if (!parse_intent(argc, argv, &intent))
        return EXIT_REFUSED;
    print_start(&intent, "Broadcasting");
    fprintf(stderr,
        "Security exception: Permission Denial: not allowed to send broadcast %s from pid=%d, "
        "uid=%u\n\njava.lang.SecurityException: Permission Denial: not allowed to send broadcast "
        "%s from pid=%d, uid=%u\n",
        intent.action ? intent.action : "null", (int)getpid(), getuid(),
        intent.action ? intent.action : "null", (int)getpid(), getuid());
    return EXIT_REFUSED;
}

int mgl_command_am(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } subcommands[] = {
        {"start", am_start},
        {"start-activity", am_start},
        {"startservice", am_start_service},
        {"start-service", am_start_service},
        {"start-foreground-service", am_start_service},
        {"startforegroundservice", am_start_service},
        {"force-stop", am_force_stop},
        {"broadcast", am_broadcast},
    };
    if (argc < 2) {
        fputs("Activity manager (activity) commands: start, start-service, "
              "start-foreground-service, force-stop, broadcast\n",
            stderr);
        return EXIT_REFUSED;
    }
    for (size_t i = 0; i < sizeof(subcommands) / sizeof(subcommands[0]); i++)
        if (strcmp(subcommands[i].name, argv[1]) == 0)
            return subcommands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "Unknown command: %s\n", argv[1]);
    return EXIT_REFUSED;
}
