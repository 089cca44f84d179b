/* Text of the phone's log: logcat's filters and output formats. Pure. */
#ifndef MGC_LAB_PHONE_LOG_TEXT_H
#define MGC_LAB_PHONE_LOG_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "lab/phone/logd.h"

/* 'V' 'D' 'I' 'W' 'E' 'F' 'S' in either case. */
bool mgl_log_prio_parse(char letter, enum mgl_log_prio *ret_prio);
char mgl_log_prio_letter(enum mgl_log_prio prio);

#endif
