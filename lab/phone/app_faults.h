/* Faults that strike some time after an activity has started: app-dies-ms, phone-reboot-at and
 * phone-adb-drop-at. Loop thread only. */
#ifndef MGC_LAB_PHONE_APP_FAULTS_H
#define MGC_LAB_PHONE_APP_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

struct mgl_phone;
struct mgl_app_process;

/* An activity has started in this process: plan what is set. */
void mgl_app_faults_plan(struct mgl_app_process *process);
void mgl_app_faults_stop(struct mgl_phone *phone);

/* Pure: "AT" or "AT+AWAY", milliseconds; AWAY stays as it is when it is not given. */
bool mgl_app_faults_parse_drop(const char *text, int64_t *ret_at_ms, int64_t *ret_away_ms);

#endif
