/* log: write one line to the phone's log. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "lab/phone/commands/commands.h"
#include "lab/phone/log_text.h"
#include "lab/phone/logd.h"

static int usage(void)
{
    fputs("usage: log [-p PRIO] [-t TAG] [MESSAGE...]\n", stderr);
    return 1;
}

int mgl_command_log(int argc, char **argv)
{
    enum mgl_log_prio prio = MGL_LOG_INFO;
    const char *tag = "log";
    int option;
    while ((option = getopt(argc, argv, "p:t:")) != -1) {
        if (option == 't')
            tag = optarg;
        else if (option != 'p' || optarg[1] || !mgl_log_prio_parse(optarg[0], &prio) ||
                 prio == MGL_LOG_SILENT)
            return usage();
    }
    if (optind >= argc)
        return usage();
    struct mgc_buf text = {0};
    for (int i = optind; i < argc; i++)
        mgc_buf_printf(&text, "%s%s", i > optind ? " " : "", argv[i]);
    bool written = mgl_logd_write(prio, tag, mgc_buf_text(&text));
    mgc_buf_destroy(&text);
    return written ? 0 : 1;
}
