/* The worked examples of docs/plan-format.md: files of examples/, compiled in so that the page can
 * be printed. tests/unit/coordinator/test_plan_docs.c loads each, and holds its schedule against
 * what the page shows.
 */
#ifndef MGC_PLAN_EXAMPLES_H
#define MGC_PLAN_EXAMPLES_H

struct mgc_plan_example {
    const char *name;     /* examples/NAME.yaml */
    const char *text;     /* YAML; the comment at its begin says what it is for */
    const char *schedule; /* examples/shown/NAME.txt: on examples/site.yaml, without a history */
};

extern const struct mgc_plan_example mgc_plan_examples[]; /* ended by a NULL name */

#endif
