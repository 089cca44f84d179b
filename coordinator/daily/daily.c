#include "coordinator/daily/daily.h"

#include <stdio.h>
#include <string.h>

bool mgc_day_time_parse(const char *text, struct mgc_day_time *ret_time, struct mgc_error *err)
{
    struct mgc_day_time time = {0};
    int end = -1;
    size_t len = strlen(text);
    bool digits = strspn(text, "0123456789:") == len;
    if (digits && len == 5)
        sscanf(text, "%2d:%2d%n", &time.hour, &time.minute, &end);
    else if (digits && len == 8)
        sscanf(text, "%2d:%2d:%2d%n", &time.hour, &time.minute, &time.second, &end);
    if (end != (int)len || time.hour > 23 || time.minute > 59 || time.second > 59)
        return mgc_error_set(err, MGC_E_USAGE,
            "'%s' is no time of the day: expected one such as 02:00 or 23:30:15", text);
    *ret_time = time;
    return true;
}

/* ---- systemd ---- */

bool mgc_daily_quote_unit(const char *text, struct mgc_buf *out)
{
    mgc_buf_putc(out, '"');
    for (const char *p = text; *p; p++) {
        if (*p == '%' || *p == '$')
            mgc_buf_putc(out, *p);
        if (*p == '"' || *p == '\\')
            mgc_buf_putc(out, '\\');
        if (*p == '\n')
            mgc_buf_puts(out, "\\n");
        else
            mgc_buf_putc(out, *p);
    }
    return mgc_buf_putc(out, '"');
}

/* A path as a setting's value is taken as it is, but for specifiers. */
static void put_path(const char *text, struct mgc_buf *out)
{
    for (; *text; text++) {
        if (*text == '%')
            mgc_buf_putc(out, '%');
        mgc_buf_putc(out, *text);
    }
}

bool mgc_daily_service(const struct mgc_daily *schedule, struct mgc_buf *out)
{
    mgc_buf_printf(out,
        "# Made by 'mgcoord schedule install'; 'mgcoord schedule remove %s' takes it away.\n"
        "[Unit]\n"
        "Description=mgcoord run of the plan %s\n"
        "Documentation=man:mgcoord-schedule(1)\n"
        "\n"
        "[Service]\n"
        "Type=oneshot\n",
        schedule->plan, schedule->plan);
    if (schedule->user)
        mgc_buf_printf(out, "User=%s\n", schedule->user);
    mgc_buf_puts(out, "WorkingDirectory=");
    put_path(schedule->dir, out);
    mgc_buf_puts(out, "\nExecStart=");
    for (const char *const *arg = schedule->argv; *arg; arg++) {
        if (arg != schedule->argv)
            mgc_buf_putc(out, ' ');
        mgc_daily_quote_unit(*arg, out);
    }
    return mgc_buf_puts(out,
        "\n# Stopped as by Ctrl-C, it puts back what it changed, and its cells can be resumed.\n"
        "KillSignal=SIGINT\n"
        "KillMode=mixed\n"
        "TimeoutStopSec=5min\n");
}

bool mgc_daily_timer(const struct mgc_daily *schedule, struct mgc_buf *out)
{
    return mgc_buf_printf(out,
        "# Made by 'mgcoord schedule install'; 'mgcoord schedule remove %s' takes it away.\n"
        "[Unit]\n"
        "Description=daily mgcoord run of the plan %s\n"
        "Documentation=man:mgcoord-schedule(1)\n"
        "\n"
        "[Timer]\n"
        "OnCalendar=*-*-* %02d:%02d:%02d\n"
        "AccuracySec=1s\n"
        "# A night that was missed comes when the machine is on again.\n"
        "Persistent=true\n"
        "\n"
        "[Install]\n"
        "WantedBy=timers.target\n",
        schedule->plan, schedule->plan, schedule->at.hour, schedule->at.minute,
        schedule->at.second);
}

/* ---- Windows ---- */

static void put_slashes(size_t count, struct mgc_buf *out)
{
    for (; count > 0; count--)
        mgc_buf_putc(out, '\\');
}

bool mgc_daily_quote_windows(const char *text, struct mgc_buf *out)
{
    if (*text && !strpbrk(text, " \t\""))
        return mgc_buf_puts(out, text);
    mgc_buf_putc(out, '"');
    for (;; text++) {
        size_t slashes = strspn(text, "\\");
        text += slashes;
        bool before_quote = *text == '"' || *text == '\0'; /* only there they mean something */
        put_slashes(before_quote ? 2 * slashes : slashes, out);
        if (*text == '\0')
            return mgc_buf_putc(out, '"');
        if (*text == '"')
            put_slashes(1, out);
        mgc_buf_putc(out, *text);
    }
}

static void put_xml(const char *text, struct mgc_buf *out)
{
    for (; *text; text++) {
        if (*text == '&')
            mgc_buf_puts(out, "&amp;");
        else if (*text == '<')
            mgc_buf_puts(out, "&lt;");
        else if (*text == '>')
            mgc_buf_puts(out, "&gt;");
        else if ((unsigned char)*text >= ' ') /* XML 1.0 has no way to say the others */
            mgc_buf_putc(out, *text);
    }
}

/* wsl.exe hands what follows --exec to the program without a shell. */
static bool put_arguments(
    const struct mgc_daily *schedule, const char *distribution, struct mgc_buf *out)
{
    struct mgc_buf line = {0};
    mgc_buf_puts(&line, "--distribution ");
    mgc_daily_quote_windows(distribution, &line);
    if (schedule->user) {
        mgc_buf_puts(&line, " --user ");
        mgc_daily_quote_windows(schedule->user, &line);
    }
    mgc_buf_puts(&line, " --cd ");
    mgc_daily_quote_windows(schedule->dir, &line);
    mgc_buf_puts(&line, " --exec");
    for (const char *const *arg = schedule->argv; *arg; arg++) {
        mgc_buf_putc(&line, ' ');
        mgc_daily_quote_windows(*arg, &line);
    }
    bool ok = mgc_buf_ok(&line);
    put_xml(mgc_buf_text(&line), out);
    mgc_buf_destroy(&line);
    return ok;
}

bool mgc_daily_task(const struct mgc_daily *schedule, const char *distribution, struct mgc_buf *out)
{
    /* The date says since when; any day that has passed will do. */
    mgc_buf_printf(out,
        "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n"
        "<Task version=\"1.2\" xmlns=\"http://schemas.microsoft.com/windows/2004/02/mit/task\">\n"
        "  <RegistrationInfo>\n"
        "    <Description>Daily mgcoord run of the plan %s, in WSL</Description>\n"
        "  </RegistrationInfo>\n"
        "  <Triggers>\n"
        "    <CalendarTrigger>\n"
        "      <StartBoundary>2026-01-01T%02d:%02d:%02d</StartBoundary>\n"
        "      <ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay>\n"
        "    </CalendarTrigger>\n"
        "  </Triggers>\n"
        "  <Principals>\n"
        "    <Principal id=\"Author\">\n"
        "      <LogonType>InteractiveToken</LogonType>\n"
        "      <RunLevel>LeastPrivilege</RunLevel>\n"
        "    </Principal>\n"
        "  </Principals>\n"
        "  <Settings>\n"
        "    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>\n"
        "    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>\n"
        "    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>\n"
        "    <StartWhenAvailable>true</StartWhenAvailable>\n"
        "    <WakeToRun>true</WakeToRun>\n"
        "    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>\n"
        "  </Settings>\n"
        "  <Actions Context=\"Author\">\n"
        "    <Exec>\n"
        "      <Command>wsl.exe</Command>\n"
        "      <Arguments>",
        schedule->plan, schedule->at.hour, schedule->at.minute, schedule->at.second);
    return put_arguments(schedule, distribution, out) && mgc_buf_puts(out, "</Arguments>\n"
                                                                           "    </Exec>\n"
                                                                           "  </Actions>\n"
                                                                           "</Task>\n");
}
