/* lab.json: the pid of the lab's first process and that process's start time. Together they name
 * one process for ever. Pure.
 */
#ifndef MGC_LAB_IDENTITY_H
#define MGC_LAB_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/error.h"
#include "lab/world/roster.h"

enum { MGC_LAB_IDENTITY_BYTES = 4096 };

struct mgc_lab_identity {
    pid_t pid;            /* as seen by who started the lab */
    uint64_t start_ticks; /* see mgc_process_start_time */
    struct mgc_lab_roster roster;
};

void mgc_lab_identity_print(const struct mgc_lab_identity *identity, char *ret_text, size_t size);
bool mgc_lab_identity_parse(
    const char *text, size_t len, struct mgc_lab_identity *ret_identity, struct mgc_error *err);

#endif
