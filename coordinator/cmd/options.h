/* The options that say which site and which part of a plan, shared by all commands that load one,
 * and the one function that loads with them.
 *
 *   struct run_options { struct mgc_plan_options plan; bool dry; };
 *   static const struct mgc_cli_option rows[] = {
 *       MGC_PLAN_OPTIONS(struct run_options, plan),
 *       {"dry", ...},
 *       {0},
 *   };
 */
#ifndef MGC_CMD_OPTIONS_H
#define MGC_CMD_OPTIONS_H

#include <stddef.h>

#include "common/cli/cli.h"
#include "coordinator/plan/load.h"
#include "coordinator/plan/recorded.h"

struct mgc_plan_options { /* zeroed: nothing given; strings are borrowed from argv */
    const char *site;
    struct mgc_cli_strings workloads, credits, arms, phones, sets;
    const char *mode; /* operand after the plan: which part of the matrix; NULL: not given */
    int64_t reps;     /* 0: not given */
    bool short_form;  /* of the link test */

    /* Of a run that is resumed; NULL otherwise. Borrowed for the call that loads. */
    struct mgc_recorded *recorded; /* goes before what is given now, so that this wins */
    const char *run_id;
    const char *phone; /* its name, where phones have names */
};

/* The plan on each of the phones: one, or those of a site whose phones have names. */
struct mgc_phone_plan {
    struct mgc_site site;
    struct mgc_plan plan;
};
struct mgc_phone_plans {          /* zeroed: none */
    struct mgc_phone_plan *items; /* owned */
    size_t count;
};
void mgc_phone_plans_destroy(struct mgc_phone_plans *plans); /* takes zeroed */

extern const struct mgc_cli_range mgc_reps_range;

#define MGC_SITE_OPTION(type, member)                                                              \
    {                                                                                              \
        "site", 's', "FILE",                                                                       \
            "the bench (default: $MGCOORD_SITE, ./site.yaml, ~/.config/mgcoord/site.yaml)",        \
            mgc_cli_string, offsetof(type, member.site), NULL                                      \
    }

#define MGC_PLAN_OPTIONS(type, member)                                                             \
    MGC_SITE_OPTION(type, member),                                                                 \
        {"workload", 'w', "NAME[,NAME]", "only these workloads; may be repeated", mgc_cli_list,    \
            offsetof(type, member.workloads), NULL},                                               \
        {"workloads", 0, "NAME[,NAME]", "same as --workload", mgc_cli_list,                        \
            offsetof(type, member.workloads), NULL},                                               \
        {"credit", 'c', "N[,N]", "only these present credits; may be repeated", mgc_cli_list,      \
            offsetof(type, member.credits), NULL},                                                 \
        {"credits", 0, "N[,N]", "same as --credit", mgc_cli_list, offsetof(type, member.credits),  \
            NULL},                                                                                 \
        {"arm", 'A', "NAME[,NAME]", "only these arms of the matrix; may be repeated",              \
            mgc_cli_list, offsetof(type, member.arms), NULL},                                      \
        {"phone", 0, "NAME[,NAME]", "of a site with several phones: only these; may be repeated",  \
            mgc_cli_list, offsetof(type, member.phones), NULL},                                    \
        {"reps", 'r', "N", "rounds: repetitions of every benchmark cell", mgc_cli_int,             \
            offsetof(type, member.reps), &mgc_reps_range},                                         \
        {"short", 0, NULL, "the link test once and for a short time", mgc_cli_flag,                \
            offsetof(type, member.short_form), NULL},                                              \
    {                                                                                              \
        "set", 0, "KEY=VALUE",                                                                     \
            "any key of site or plan, such as phone.port=40614; may be repeated; mgcoord plan "    \
            "schema lists them",                                                                   \
            mgc_cli_list, offsetof(type, member.sets), NULL                                        \
    }

/* Load the plan for each of the phones, in the site's order; otherwise as mgc_plan_options_load. */
int mgc_plan_options_load_all(
    const struct mgc_plan_options *options, const char *plan, struct mgc_phone_plans *ret_plans);
/* Load plan and site, of one phone. What is wrong is printed on stderr, all of it. Warnings are
 * printed, too. MGC_EXIT_OK: both are the caller's to destroy; otherwise the exit code of the
 * program. */
int mgc_plan_options_load(const struct mgc_plan_options *options, const char *plan,
    struct mgc_site *ret_site, struct mgc_plan *ret_plan);
/* The site alone. */
int mgc_site_options_load(const struct mgc_plan_options *options, struct mgc_site *ret_site);

/* As before, but a site that is not there or not right is no failure and nothing is printed. */
bool mgc_site_options_try(const struct mgc_plan_options *options, struct mgc_site *ret_site);

/* Parse a command line; the result is -1 to go on, otherwise the exit code: --help was printed, or
 * what is wrong. */
int mgc_cmd_parse(const struct mgc_cli *cli, int argc, char **argv, void *options,
    char ***ret_operands, int *ret_count);

/* "mgcoord: <sentence>" on stderr; returns the exit code that belongs to err's code. */
int mgc_cmd_fail(const struct mgc_error *err);

#endif
