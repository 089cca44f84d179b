/* What mgcoord's exit codes mean; the same for every command. */
#ifndef MGC_CMD_EXIT_CODE_H
#define MGC_CMD_EXIT_CODE_H

enum mgc_exit {
    MGC_EXIT_OK = 0,
    MGC_EXIT_GATE = 1,           /* all measured, but a gate failed */
    MGC_EXIT_USAGE = 2,          /* command line, plan or site are wrong; nothing was run */
    MGC_EXIT_INFRASTRUCTURE = 3, /* workers, device, network, disk: not measured as planned */
    MGC_EXIT_INTERRUPTED = 4,
};

#endif
