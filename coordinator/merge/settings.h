/* Under which settings a run was made: what shapes its numbers, with where each value came from.
 * The same selection from the settings of a run that begins and from run.json of one that is read
 * back, so that both give the same report. Not thread-safe, as mgc_results.
 */
#ifndef MGC_MERGE_SETTINGS_H
#define MGC_MERGE_SETTINGS_H

#include "common/json/json.h"
#include "coordinator/merge/results.h"

/* `settings` as mgc_settings_to_json makes it (borrowed; NULL or of another form: nothing is
 * taken). Fills results->settings and frames_reduced. Of a link test's short form its own duration,
 * probes and rounds are put where the long form's would stand. */
void mgc_results_take_settings(struct mgc_results *results, const json_t *settings);

/* One more; strings are copied. False on no memory. */
bool mgc_results_add_setting(
    struct mgc_results *results, const char *key, const char *value, const char *origin);

/* How many frames a workload's trace has here, and how many the workload has by itself; ret_full 0:
 * nobody knows. False: the settings do not say. */
bool mgc_results_frames(
    const struct mgc_results *results, const char *workload, int64_t *ret_used, int64_t *ret_full);

/* Below this many frames a frame rate says nothing: one stall or burst makes it. */
enum { MGC_FRAMES_FOR_A_RATE = 16 };

/* "openra 16 of 128, rd12 31 of 251", only workloads with fewer frames than their own; empty when
 * there is none. */
void mgc_results_reduced_text(const struct mgc_results *results, struct mgc_buf *out);
/* As before, only workloads with a benchmark of fewer than MGC_FRAMES_FOR_A_RATE frames. */
void mgc_results_few_frames_text(const struct mgc_results *results, struct mgc_buf *out);

/* The first row of a workload? To go through the workloads of a run once each. */
bool mgc_results_is_first_of_workload(const struct mgc_results *results, size_t cell);

#endif
