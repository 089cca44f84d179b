/* logcat: print the phone's log, or follow it. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/parse.h"
#include "lab/phone/commands/commands.h"
#include "lab/phone/control.h"
#include "lab/phone/log_text.h"

struct logcat {
    struct mgl_log_filter filter;
    struct mgl_log_format format;
    bool dump, clear, show_size, silent;
    uint64_t new_size; /* 0: leave it */
    int64_t tail;      /* -1: all */
    int64_t since_ns;
    int64_t pid; /* 0: any */
    bool began;  /* the first line has been printed */
};

static int fail(const char *fmt, const char *value)
{
    fputs("logcat: ", stderr);
    fprintf(stderr, "%s%s%s\n", fmt, value ? " " : "", value ? value : "");
    return 1;
}

/* -t and -T: a number of entries, or a time to start from. */
static bool parse_start(struct logcat *logcat, const char *text)
{
    if (mgc_parse_int(text, 0, INT64_MAX, &logcat->tail))
        return true;
    return mgl_log_time_parse(text, mgc_wall_ns(), &logcat->since_ns);
}

/* There is one ring; the names of Android's others are accepted. */
static bool known_buffer(const char *names)
{
    char copy[128], *rest = copy, *name;
    snprintf(copy, sizeof(copy), "%s", names);
    while ((name = strsep(&rest, ",")))
        if (strcmp(name, "main") != 0 && strcmp(name, "system") != 0 &&
            strcmp(name, "crash") != 0 && strcmp(name, "default") != 0 && strcmp(name, "all") != 0)
            return false;
    return true;
}

static bool set_formats(struct logcat *logcat, const char *names)
{
    char copy[128], *rest = copy, *name;
    snprintf(copy, sizeof(copy), "%s", names);
    while ((name = strsep(&rest, ",")))
        if (!mgl_log_format_set(&logcat->format, name))
            return false;
    return true;
}

enum { OPTION_PID = 256 };

/* 0 when fine. */
static int take_option(struct logcat *logcat, int option)
{
    switch (option) {
    case 'd':
        logcat->dump = true;
        return 0;
    case 'c':
        logcat->clear = true;
        return 0;
    case 'g':
        logcat->show_size = true;
        return 0;
    case 's':
        logcat->silent = true;
        return 0;
    case 'G':
        if (mgl_log_size_parse(optarg, &logcat->new_size) && logcat->new_size > 0)
            return 0;
        return fail("Invalid -G size", optarg);
    case 't':
        logcat->dump = true;
        /* fall through */
    case 'T':
        return parse_start(logcat, optarg) ? 0 : fail("Invalid -t/-T value", optarg);
    case 'v':
        return set_formats(logcat, optarg) ? 0 : fail("Invalid parameter to -v:", optarg);
    case 'b':
        return known_buffer(optarg) ? 0 : fail("Unknown log buffer", optarg);
    case OPTION_PID:
        return mgc_parse_int(optarg, 1, INT32_MAX, &logcat->pid) ? 0
                                                                 : fail("Invalid --pid", optarg);
    default:
        return 1; /* getopt has said what is wrong */
    }
}

static int parse_options(struct logcat *logcat, int argc, char **argv)
{
    static const struct option longs[] = {{"pid", required_argument, NULL, OPTION_PID},
        {"dump", no_argument, NULL, 'd'}, {"clear", no_argument, NULL, 'c'},
        {"format", required_argument, NULL, 'v'}, {"buffer", required_argument, NULL, 'b'}, {0}};
    int option;
    while ((option = getopt_long(argc, argv, "dcgsG:t:T:v:b:", longs, NULL)) != -1)
        if (take_option(logcat, option) != 0)
            return 1;
    if (logcat->silent)
        logcat->filter.otherwise = MGL_LOG_SILENT;
    for (int i = optind; i < argc; i++)
        if (!mgl_log_filter_add_all(&logcat->filter, argv[i]))
            return fail("Invalid filter expression", argv[i]);
    const char *tags = getenv("ANDROID_LOG_TAGS");
    if (optind == argc && !logcat->silent && tags && *tags &&
        !mgl_log_filter_add_all(&logcat->filter, tags))
        return fail("Invalid filter expression in ANDROID_LOG_TAGS", NULL);
    return 0;
}

static void print_record(const uint8_t *data, size_t len, void *arg)
{
    struct logcat *logcat = arg;
    struct mgl_log_record record;
    if (!mgl_log_record_decode(data, len, &record) ||
        (logcat->pid && record.pid != (uint32_t)logcat->pid) ||
        !mgl_log_filter_shows(&logcat->filter, record.entry.tag, record.entry.prio))
        return;
    if (!logcat->began)
        puts("--------- beginning of main");
    logcat->began = true;
    struct mgc_buf text = {0};
    mgl_log_format_append(&text, &logcat->format, &record);
    fwrite(mgc_buf_text(&text), 1, text.len, stdout);
    mgc_buf_destroy(&text);
    if (!logcat->dump)
        fflush(stdout);
}

static int read_log(struct logcat *logcat)
{
    char tail[32], since[32];
    snprintf(tail, sizeof(tail), "%lld", (long long)logcat->tail);
    snprintf(since, sizeof(since), "%lld", (long long)logcat->since_ns);
    const char *const words[] = {"log-read", logcat->dump ? "dump" : "follow", tail, since, NULL};
    if (mgl_control_call(words, print_record, logcat) == MGL_CONTROL_OK)
        return 0;
    return fail("Unexpected EOF!", NULL); /* the log has gone: so does its reader */
}

static void print_bytes(const char *what, uint64_t bytes)
{
    if (bytes >= 1024 * 1024)
        printf("%llu MiB%s", (unsigned long long)(bytes >> 20), what);
    else if (bytes >= 1024)
        printf("%llu KiB%s", (unsigned long long)(bytes >> 10), what);
    else
        printf("%llu B%s", (unsigned long long)bytes, what);
}

static int show_size(void)
{
    char text[64];
    unsigned long long max, used;
    const char *const words[] = {"log-size", NULL};
    if (mgl_control_get(words, text, sizeof(text)) != MGL_CONTROL_OK ||
        sscanf(text, "%llu %llu", &max, &used) != 2)
        return fail("Unexpected EOF!", NULL);
    fputs("main: ring buffer is ", stdout);
    print_bytes(" (", max);
    print_bytes(" consumed)", used);
    printf(", max entry is %d B, max payload is %d B\n", MGL_LOGD_DATAGRAM_MAX, MGL_LOGD_TEXT_MAX);
    return 0;
}

static int set_size(uint64_t bytes)
{
    char text[32];
    snprintf(text, sizeof(text), "%llu", (unsigned long long)bytes);
    const char *const words[] = {"log-size", text, NULL};
    if (mgl_control_call(words, NULL, NULL) == MGL_CONTROL_OK)
        return 0;
    return fail("failed to set the log size", text);
}

int mgl_command_logcat(int argc, char **argv)
{
    struct logcat logcat = {.tail = -1};
    mgl_log_filter_init(&logcat.filter);
    if (parse_options(&logcat, argc, argv) != 0)
        return 1;
    if (logcat.new_size)
        return set_size(logcat.new_size);
    if (logcat.show_size)
        return show_size();
    if (!logcat.clear)
        return read_log(&logcat);
    const char *const words[] = {"log-clear", NULL};
    if (mgl_control_call(words, NULL, NULL) == MGL_CONTROL_OK)
        return 0;
    return fail("failed to clear the 'main' log", NULL);
}
