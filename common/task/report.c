#include "common/task/report.h"

#include <stddef.h>

#include "common/base/clock.h"

enum { AFTER_MS = 20 };

void mgc_report_init(
    struct mgc_report *report, struct mgc_loop *loop, void (*look)(void *user), void *user)
{
    *report = (struct mgc_report){.loop = loop, .look = look, .user = user};
}

static void on_due(void *user);

static void arm(struct mgc_report *report, int64_t due_ns)
{
    mgc_loop_remove_timer(report->loop, report->timer);
    report->due_ns = due_ns;
    report->timer = mgc_loop_add_timer(report->loop, due_ns, on_due, report);
}

static void on_due(void *user)
{
    struct mgc_report *report = user;
    report->timer = 0;
    if (report->last_ns > report->due_ns)
        arm(report, report->last_ns);
    report->look(report->user);
}

void mgc_report_after(struct mgc_report *report, int64_t instant_ns)
{
    int64_t due_ns;
    if (__builtin_add_overflow(instant_ns, AFTER_MS * MGC_NS_PER_MS, &due_ns))
        return; /* an instant of a broken peer */
    if (report->last_ns < due_ns)
        report->last_ns = due_ns;
    if (!report->timer || due_ns < report->due_ns)
        arm(report, due_ns);
}

void mgc_report_destroy(struct mgc_report *report)
{
    if (!report || !report->loop)
        return;
    mgc_loop_remove_timer(report->loop, report->timer);
    *report = (struct mgc_report){0};
}
