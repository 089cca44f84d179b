/* The forms in which people and programs see the history. Text: added to `out` (mgc_buf_ok says
 * whether there was memory). JSON: the caller's to json_decref; without memory keys are missing.
 */
#ifndef MGC_HISTORY_PRINT_H
#define MGC_HISTORY_PRINT_H

#include "common/base/buf.h"
#include "common/json/json.h"
#include "coordinator/history/nights.h"
#include "coordinator/history/run_compare.h"

void mgc_nights_print(const struct mgc_nights *nights, struct mgc_buf *out);
json_t *mgc_nights_to_json(const struct mgc_nights *nights);

/* One run held against another. */
struct mgc_run_pair { /* all borrowed */
    const struct mgc_history_run *a, *b;
    const struct mgc_run_arm *arms;
    size_t count;
};
void mgc_run_pair_print(const struct mgc_run_pair *pair, struct mgc_buf *out);
json_t *mgc_run_pair_to_json(const struct mgc_run_pair *pair);

/* For both: "lab phone mglab0001", "an unknown device"; the start in UTC, or "-". */
void mgc_print_device(const struct mgc_history_run *run, struct mgc_buf *out);
enum { MGC_WHEN_SIZE = 20 };
void mgc_print_when(int64_t wall_ns, char ret_text[MGC_WHEN_SIZE]);
/* Hashes in a sentence, cut to 8 digits. */
void mgc_print_short_hashes(const char *text, struct mgc_buf *out);
json_t *mgc_history_run_to_json(const struct mgc_history_run *run);
json_t *mgc_arm_numbers_to_json(const struct mgc_arm_numbers *numbers);
void mgc_arm_key_to_json(const struct mgc_arm_key *key, json_t *row);

#endif
