/* The arms of a run against the plan's reference arm, by paired rounds. What may be compared is
 * decided here (coordinator/stats/comparable.h), what it means in coordinator/stats/.
 */
#ifndef MGC_MERGE_COMPARISONS_H
#define MGC_MERGE_COMPARISONS_H

#include "coordinator/merge/results.h"
#include "coordinator/stats/comparable.h"
#include "coordinator/stats/compare.h"

/* What is compared: mean time per frame after the skip window; less is better. */
#define MGC_COMPARED_METRIC "kept_mean_ms"

enum { MGC_COMPARED_WHY_MAX = 200 };

/* Strings are the plan's. */
struct mgc_arm_comparison {
    const char *workload;
    const char *backend, *arm;                 /* what is compared */
    const char *reference_backend, *reference; /* with what: another arm, or another backend */
    size_t rounds;                             /* that the plan has of both */
    bool crosses; /* the arm's client is another machine, the reference's is the phone */
    /* Of one that crosses: how large a difference may be the link's own movement. `result` borrows
     * it, so rows stay where they are. */
    struct mgc_floor link_floor;
    /* Of the rounds in which both arms were measured. Other than YES: not compared, `why` says what
     * differs or is not known, and `result` is empty. */
    enum mgc_comparable comparable;
    char why[MGC_COMPARED_WHY_MAX];
    struct mgc_comparison result;
};

/* Benchmarks of the phone's own lane, and where the plan is merged those over the network, too: one
 * per workload, backend and arm other than the reference, in plan order; the arms of one workload
 * and backend are one family. None when the plan has no reference. free(*ret_list). */
bool mgc_results_compare(const struct mgc_results *results, struct mgc_arm_comparison **ret_list,
    size_t *ret_count, struct mgc_error *err);

/* As before, every arm with a backend against itself with the reference backend; the arms of one
 * workload and backend are one family. None when the run has one backend. */
bool mgc_results_compare_backends(const struct mgc_results *results,
    struct mgc_arm_comparison **ret_list, size_t *ret_count, struct mgc_error *err);

/* What it costs to cross hosts: of each workload and backend the arm over the network with the
 * lowest credit against shm and against tcp on the phone, as far as the plan has them; one family.
 * None when the run has one lane. */
bool mgc_results_compare_across(const struct mgc_results *results,
    struct mgc_arm_comparison **ret_list, size_t *ret_count, struct mgc_error *err);

/* The backend that others are held against: the first one that the plan lists. NULL: the cells on
 * the phone have one, or none. */
const char *mgc_results_reference_backend(const struct mgc_results *results);

/* MGC_FACT_LINK of a run whose site does not name the link. */
#define MGC_LINK_NOT_NAMED "not named"

/* What is known of a measured cell that decides whether it may be compared. Texts live inside. */
struct mgc_result_facts {
    struct mgc_cell_facts facts;
    char geometry[48], credit[24], arm_order[200];
};
void mgc_result_facts(const struct mgc_results *results, const struct mgc_cell_result *cell,
    struct mgc_result_facts *ret_facts);
/* Without those of MGC_FACTS_OF_A_RUN, which cells of one run have in common and which take a look
 * at the whole plan. */
void mgc_result_facts_of_cell(const struct mgc_results *results, const struct mgc_cell_result *cell,
    struct mgc_result_facts *ret_facts);

/* Cells that run on the phone alone. */
bool mgc_cell_on_phone(const struct mgc_cell *cell);
/* A link test. */
bool mgc_cell_of_link(const struct mgc_cell *cell);
/* Neither: its client is another machine. */
bool mgc_cell_over_network(const struct mgc_cell *cell);
bool mgc_plan_on_phone(const struct mgc_plan *plan); /* it has such cells */
/* It has benchmarks on the phone and over the network: arms of one experiment. */
bool mgc_plan_is_merged(const struct mgc_plan *plan);

/* "no conclusion (about 4 more rounds needed)"; "not compared: geometry differs: ..." */
void mgc_arm_comparison_text(const struct mgc_arm_comparison *comparison, char *text, size_t size);

#endif
