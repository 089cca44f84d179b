/* Pieces that summary.json and verdict.json share. Internal to report/. Each result belongs to the
 * caller (json_decref); without memory keys are missing, and the document's owner notices when it
 * is printed.
 */
#ifndef MGC_REPORT_PARTS_H
#define MGC_REPORT_PARTS_H

#include "common/json/json.h"
#include "coordinator/merge/comparisons.h"
#include "coordinator/report/report.h"

json_t *mgc_part_fields(const struct mgc_fields *fields);
void mgc_part_set_fields(json_t *object, const struct mgc_fields *fields); /* among its own keys */
/* A number that was computed from others, to 10 digits: read back from files that have 15, it comes
 * out the same. null when it is no finite number. */
json_t *mgc_part_derived(double value);
json_t *mgc_part_text(const char *text); /* null for NULL and "" */
/* verdict, reason, text, next_step, evidence */
json_t *mgc_part_verdict(const struct mgc_verdict *verdict);
void mgc_part_set_verdict(json_t *object, const struct mgc_verdict *verdict);
/* With an empty "evidence": of an item, for mgc_part_print_item. */
void mgc_part_set_verdict_alone(json_t *object, const struct mgc_verdict *verdict);
/* A label of the wall clock in seconds, to the millisecond: the same text before and after it was
 * stored. */
double mgc_part_wall_s(int64_t wall_ns);
/* "start_wall_s" and "end_wall_s", labels; left out where they are not known (0). */
void mgc_part_set_wall(json_t *object, int64_t start_wall_ns, int64_t end_wall_ns);
json_t *mgc_part_release(const struct mgc_release *release); /* null: never released */
/* The old verify.txt's keys (contract section 3.1), from the evidence. */
json_t *mgc_part_old_verify(const struct mgc_cell *cell, const struct mgc_verdict *verdict);

/* json_phone.c: what only cells on the phone have, in a row of "runs" and beside it. */
void mgc_part_phone_cell(const struct mgc_cell_result *cell, json_t *row);
/* A row of "comparisons". */
json_t *mgc_part_comparison(const struct mgc_arm_comparison *comparison);
bool mgc_part_phone(const struct mgc_results *results, json_t *doc, struct mgc_error *err);

/* Print the document into out and give it back. */
bool mgc_part_print(json_t *doc, struct mgc_buf *out, struct mgc_error *err);
/* The same where one array of the document has thousands of items: each is printed by itself, so
 * that they are never in memory as a tree all at once. `key` is an empty array in the document;
 * `items` are what mgc_part_print_item printed, one after the other; `room` is its own. Of an item
 * "evidence" is left empty, and printed from the verdict. */
bool mgc_part_print_item(json_t *item, const struct mgc_verdict *verdict, bool first,
    struct mgc_buf *room, struct mgc_buf *out);
bool mgc_part_print_with(json_t *doc, const char *key, const struct mgc_buf *items,
    struct mgc_buf *out, struct mgc_error *err);

#endif
