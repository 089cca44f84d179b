/* The line between an app's process and PID 1: a seqpacket socket, standard input of the process.
 *
 *   PID 1 -> process   a request (control.h); the first at once, one more for each later start of
 *                      an activity in the live process
 *   process -> PID 1   a word and a number:  "result NS"  result.json was closed at that time
 *                                            "finished 0" the activity has gone from the screen
 */
#ifndef MGC_LAB_PHONE_APP_CHANNEL_H
#define MGC_LAB_PHONE_APP_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab/phone/control.h"

enum {
    MGL_CHANNEL_PACKET_MAX = MGL_CONTROL_REQUEST_MAX + 4,
    MGL_CHANNEL_REPORT_MAX = 64,
};

#define MGL_REPORT_RESULT   "result"
#define MGL_REPORT_FINISHED "finished"

/* In the app's process. */
void mgl_channel_report(int channel, const char *what, int64_t number);

/* Pure. False when the packet is no report; ret_what has room for MGL_CHANNEL_REPORT_MAX. */
bool mgl_channel_report_parse(const char *packet, size_t len, char *ret_what, int64_t *ret_number);

#endif
