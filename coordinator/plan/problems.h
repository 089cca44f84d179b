/* Everything that is wrong with the files and options of one plan, not only the first thing.
 *
 * A sentence begins with where it was seen ("site.yaml:12:9", "environment PHONE", "--reps").
 * Errors stop the plan, warnings do not. The first MGC_PROBLEMS_MAX of each are kept, all are
 * counted; one that is kept already, as files are read once per phone, is not added again. Zeroed
 * is a valid empty list; nothing to destroy. About 10 KiB.
 */
#ifndef MGC_PLAN_PROBLEMS_H
#define MGC_PLAN_PROBLEMS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

enum { MGC_PROBLEMS_MAX = 10 };

struct mgc_problem_list {
    char text[MGC_PROBLEMS_MAX][MGC_ERROR_TEXT_MAX];
    size_t total; /* may be more than MGC_PROBLEMS_MAX */
};

struct mgc_problems {
    struct mgc_problem_list errors;
    struct mgc_problem_list warnings;
};

void mgc_problem_add(struct mgc_problems *problems, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void mgc_problem_warn(struct mgc_problems *problems, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* How many of a list are kept and can be printed. */
size_t mgc_problem_count(const struct mgc_problem_list *list);

/* True when there is no error. Otherwise err is MGC_E_CONFIG with the first one's sentence and how
 * many more there are. */
bool mgc_problems_none(const struct mgc_problems *problems, struct mgc_error *err);

#endif
