#include "coordinator/plan/problems.h"

#include <stdarg.h>
#include <string.h>

__attribute__((format(printf, 2, 0))) static void add(
    struct mgc_problem_list *list, const char *fmt, va_list args)
{
    struct mgc_error cut; /* marks a sentence that had to be cut */
    mgc_error_vset(&cut, MGC_E_CONFIG, fmt, args);
    for (size_t i = 0; i < mgc_problem_count(list); i++) {
        if (strcmp(list->text[i], cut.text) == 0)
            return;
    }
    if (list->total < MGC_PROBLEMS_MAX)
        memcpy(list->text[list->total], cut.text, sizeof(cut.text));
    list->total++;
}

void mgc_problem_add(struct mgc_problems *problems, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add(&problems->errors, fmt, args);
    va_end(args);
}

void mgc_problem_warn(struct mgc_problems *problems, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add(&problems->warnings, fmt, args);
    va_end(args);
}

size_t mgc_problem_count(const struct mgc_problem_list *list)
{
    return list->total < MGC_PROBLEMS_MAX ? list->total : MGC_PROBLEMS_MAX;
}

bool mgc_problems_none(const struct mgc_problems *problems, struct mgc_error *err)
{
    const struct mgc_problem_list *errors = &problems->errors;
    if (errors->total == 0)
        return true;
    if (errors->total == 1)
        return mgc_error_set(err, MGC_E_CONFIG, "%s", errors->text[0]);
    return mgc_error_set(
        err, MGC_E_CONFIG, "%s (and %zu more)", errors->text[0], errors->total - 1);
}
