/* The lab's first process, shared by its parts: first.c (events and the end), first_start.c and
 * first_requests.c. Private to them; everything belongs to its one thread.
 */
#ifndef MGC_LAB_FIRST_INTERNAL_H
#define MGC_LAB_FIRST_INTERNAL_H

#include <sys/types.h>

#include "lab/world/control.h"
#include "lab/world/first.h"
#include "lab/world/knobs.h"
#include "lab/world/report.h"
#include "lab/world/stage.h"

enum { MGC_LAB_VISITORS_MAX = 32 };
enum mgc_lab_phase {
    MGC_LAB_STARTING,
    MGC_LAB_RUNNING,
    MGC_LAB_LEAVING,
    MGC_LAB_ENDING,
    MGC_LAB_GONE
};

struct mgc_lab_first {
    const struct mgc_lab_first_spec *spec;
    struct mgc_lab_stage stage;
    struct mgc_lab_control control;
    struct mgc_lab_knobs knobs;
    char fault_dir[MGC_LAB_PATH_MAX + 16];
    struct mgc_lab_report report;
    enum mgc_lab_phase phase;
    int sock;
    int signal_fd;
    int64_t group_int_ns; /* until then a SIGINT of our owner is one that the command has had */
    pid_t waiter;         /* watches for the phone's port; 0: none */
    pid_t command;        /* 0: not running */
    int visitors[MGC_LAB_VISITORS_MAX]; /* pidfds of those told to end; -1: gone */
    size_t visitor_count;
    int64_t idle_ns;     /* without a command: when unused for too long */
    int64_t deadline_ns; /* of a command told to end, or of ending members */
};

/* Build what the spec asks for, up to the phone that is waited for, or to the command. */
void mgc_lab_first_start(struct mgc_lab_first *first);
/* The phone listens: workers and command. */
void mgc_lab_first_start_command(struct mgc_lab_first *first);

/* It could not be built; code is that of mglab. */
void mgc_lab_first_fail(
    struct mgc_lab_first *first, const char *layer, int code, struct mgc_error *err);
/* As if the signal had come for the command. */
void mgc_lab_first_signal(struct mgc_lab_first *first, int sig);
/* The command has just been started: it also gets the SIGINT that came meanwhile. */
void mgc_lab_first_pass_on(struct mgc_lab_first *first);
/* Somebody asked something: a lab without a command stays for another while. */
void mgc_lab_first_used(struct mgc_lab_first *first);

/* One request of the control socket; arg is the struct mgc_lab_first. */
bool mgc_lab_first_request(
    char **words, size_t count, struct mgc_buf *out, void *arg, struct mgc_error *err);

#endif
