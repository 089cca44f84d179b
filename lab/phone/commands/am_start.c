/* am start and am start-service, in Android's words (ActivityManagerShellCommand). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/parse.h"
#include "lab/phone/commands/am.h"
#include "lab/phone/control.h"

enum { START_HEAD_WORDS = 4, ANSWER_MAX = 32 };

/* What starting the activity manager's own program costs on a phone. */
static void pay_start(void)
{
    static const char *const words[] = {"am-cost", NULL};
    char text[ANSWER_MAX];
    int64_t ms;
    if (mgl_control_get(words, text, sizeof(text)) == MGL_CONTROL_OK &&
        mgc_parse_int(text, 0, 60000, &ms))
        mgc_sleep_ms(ms);
}

/* Ask PID 1 to start the component; extras go along as "T:key=value". */
static enum mgl_control_result start_component(
    const char *kind, const struct mgl_intent *intent, char ret_answer[ANSWER_MAX])
{
    const char *words[START_HEAD_WORDS + MGL_INTENT_EXTRAS_MAX + 1] = {
        "start", kind, intent->package, intent->class_name};
    char *extras[MGL_INTENT_EXTRAS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < intent->extra_count; i++) {
        if (asprintf(&extras[count], "%c:%s=%s", intent->extras[i].type, intent->extras[i].key,
                intent->extras[i].value) < 0)
            continue;
        words[START_HEAD_WORDS + count] = extras[count];
        count++;
    }
    pay_start();
    enum mgl_control_result result = mgl_control_get(words, ret_answer, ANSWER_MAX);
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

static int permission_denial(const struct mgl_intent *intent, const char *uid)
{
    struct mgc_buf text = {0};
    mgl_intent_print(intent, &text);
    fprintf(stderr,
        "\nException occurred while executing 'start':\njava.lang.SecurityException: Permission "
        "Denial: starting %s from null (pid=%d, uid=%u) not exported from uid %s\n",
        mgc_buf_text(&text), (int)getpid(), getuid(), uid);
    mgc_buf_destroy(&text);
    return MGL_AM_REFUSED;
}

static int no_such_class(const struct mgl_intent *intent)
{
    char class_name[512];
    mgl_intent_full_class(intent, class_name, sizeof(class_name));
    fprintf(stderr, "Error type 3\nError: Activity class {%s/%s} does not exist.\n",
        intent->package, class_name);
    return 1;
}

/* `how` is PID 1's word for what happened: cold, warm or front. */
static int started(const struct mgl_intent *intent, const char *how, int64_t began_ns)
{
    bool front = strcmp(how, "front") == 0;
    if (front)
        fputs("Warning: Activity not started, its current task has been brought to the front\n",
            stderr);
    if (!intent->wait)
        return 0;
    struct mgc_buf name = {0};
    long long ms = (long long)((mgc_mono_ns() - began_ns) / MGC_NS_PER_MS);
    mgl_intent_print_component(intent, &name);
    printf("Status: ok\nLaunchState: %s\nActivity: %s\n",
        front                      ? "UNKNOWN (0)"
        : strcmp(how, "cold") == 0 ? "COLD"
                                   : "WARM",
        mgc_buf_text(&name));
    if (!front)
        printf("TotalTime: %lld\n", ms);
    printf("WaitTime: %lld\nComplete\n", ms);
    mgc_buf_destroy(&name);
    return 0;
}

int mgl_am_start(int argc, char **argv)
{
    struct mgl_intent intent;
    char answer[ANSWER_MAX];
    int64_t began_ns = mgc_mono_ns();
    if (!parse_intent(argc, argv, &intent))
        return MGL_AM_REFUSED;
    if (intent.stop && intent.package[0]) {
        printf("Stopping: %s\n", intent.package);
        const char *const words[] = {"force-stop", intent.package, NULL};
        mgl_control_call(words, NULL, NULL);
    }
    mgl_am_print(&intent, "Starting");
    if (!intent.package[0]) {
        fprintf(stderr, "Error: Activity not started, unable to resolve Intent { act=%s }\n",
            intent.action ? intent.action : "null");
        return 1;
    }
    switch (start_component("activity", &intent, answer)) {
    case MGL_CONTROL_OK:
        return started(&intent, answer, began_ns);
    case MGL_CONTROL_LOST:
        return mgl_am_dead();
    case MGL_CONTROL_REFUSED:
        return permission_denial(&intent, answer);
    default:
        return no_such_class(&intent);
    }
}

int mgl_am_start_service(int argc, char **argv)
{
    struct mgl_intent intent;
    char answer[ANSWER_MAX];
    if (!parse_intent(argc, argv, &intent))
        return MGL_AM_REFUSED;
    mgl_am_print(&intent, "Starting service");
    switch (start_component("service", &intent, answer)) {
    case MGL_CONTROL_OK:
        return 0;
    case MGL_CONTROL_LOST:
        return mgl_am_dead();
    case MGL_CONTROL_REFUSED:
        fprintf(stderr, "Error: Requires permission not exported from uid %s\n", answer);
        return MGL_AM_REFUSED;
    default:
        fputs("Error: Not found; no service started.\n", stderr);
        return MGL_AM_REFUSED;
    }
}
