#include "common/base/log.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "common/base/clock.h"
#include "common/base/text.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *program_name = "mgc";
static enum mgc_log_level threshold = MGC_LOG_INFO;
static FILE *sink; /* NULL: stderr, which is no constant expression */
static __thread uint64_t thread_task;

static const char *const level_names[] = {
    [MGC_LOG_DEBUG] = "debug",
    [MGC_LOG_INFO] = "info",
    [MGC_LOG_WARN] = "warn",
    [MGC_LOG_ERROR] = "error",
};

void mgc_log_init(const char *program, enum mgc_log_level level)
{
    pthread_mutex_lock(&lock);
    program_name = program;
    threshold = level;
    pthread_mutex_unlock(&lock);
}

bool mgc_log_level_parse(const char *text, enum mgc_log_level *ret_level)
{
    for (int i = MGC_LOG_DEBUG; i <= MGC_LOG_ERROR; i++) {
        if (strcmp(text, level_names[i]) == 0) {
            *ret_level = (enum mgc_log_level)i;
            return true;
        }
    }
    return false;
}

void mgc_log_to(FILE *file)
{
    pthread_mutex_lock(&lock);
    sink = file;
    pthread_mutex_unlock(&lock);
}

void mgc_log_task(uint64_t task_id)
{
    thread_task = task_id;
}

void mgc_log(enum mgc_log_level level, const char *fmt, ...)
{
    char text[2048];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    mgc_text_one_line(text);

    int64_t wall_ns = mgc_wall_ns();
    time_t seconds = (time_t)(wall_ns / MGC_NS_PER_S);
    struct tm local = {0};
    localtime_r(&seconds, &local);
    char task[32] = "";
    if (thread_task)
        snprintf(task, sizeof(task), " [task %" PRIx64 "]", thread_task);

    pthread_mutex_lock(&lock);
    if (level >= threshold) {
        FILE *out = sink ? sink : stderr;
        fprintf(out, "%02d:%02d:%02d.%03d %-5s %s%s: %s\n", local.tm_hour, local.tm_min,
            local.tm_sec, (int)(wall_ns % MGC_NS_PER_S / MGC_NS_PER_MS), level_names[level],
            program_name, task, text);
        fflush(out);
    }
    pthread_mutex_unlock(&lock);
}
