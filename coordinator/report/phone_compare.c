/* Each arm against the plan's reference: what the rounds prove, or why they do not. */
#include <string.h>

#include "coordinator/report/phone.h"
#include "coordinator/stats/wording.h"

static void put_result(const struct mgc_arm_comparison *comparison, struct mgc_buf *out)
{
    char text[256], numbers[160] = "-";
    mgc_buf_printf(out, " %zu of %zu |", comparison->result.n, comparison->rounds);
    if (comparison->comparable == MGC_COMPARABLE_YES)
        mgc_comparison_numbers(&comparison->result, numbers, sizeof(numbers));
    mgc_md_text(numbers, out);
    mgc_arm_comparison_text(comparison, text, sizeof(text));
    if (comparison->result.conclusion == MGC_CONCLUSION_NONE)
        mgc_md_text(text, out);
    else
        mgc_buf_printf(out, " **%s** |", text);
}

static void comparison_row(const struct mgc_arm_comparison *comparison,
    const struct mgc_results *results, struct mgc_buf *out)
{
    char text[256];
    mgc_md_begin(out);
    mgc_md_text(comparison->workload, out);
    mgc_phone_arm_text(results, comparison->arm, comparison->backend, text, sizeof(text));
    mgc_md_text(text, out);
    mgc_md_text(comparison->reference, out);
    put_result(comparison, out);
    mgc_md_end(out);
}

static void backend_row(const struct mgc_arm_comparison *comparison, struct mgc_buf *out)
{
    mgc_md_begin(out);
    mgc_md_text(comparison->workload, out);
    mgc_md_text(comparison->arm, out);
    mgc_md_text(comparison->backend, out);
    mgc_md_text(comparison->reference_backend, out);
    put_result(comparison, out);
    mgc_md_end(out);
}

void mgc_phone_backends(const struct mgc_arm_comparison *list, size_t count, struct mgc_buf *out)
{
    static const char *const titles[] = {"workload", "arm", "backend", "reference", ">rounds",
        "time per frame, backend against reference", "conclusion", NULL};
    if (count == 0)
        return;
    mgc_buf_puts(out, "## Do the backends differ?\n\n");
    mgc_md_head(titles, out);
    for (size_t i = 0; i < count; i++)
        backend_row(&list[i], out);
    mgc_buf_puts(out, "\nEach arm with a backend against itself with the reference, the first one "
                      "that the plan lists; paired by round and read as the table before. The arms "
                      "of a workload and backend are one family.\n\n");
}

void mgc_phone_comparisons(const struct mgc_arm_comparison *list, size_t count,
    const struct mgc_results *results, struct mgc_buf *out)
{
    static const char *const titles[] = {"workload", "arm", "reference", ">rounds",
        "time per frame, arm against reference", "conclusion", NULL};
    if (count == 0)
        return;
    mgc_buf_puts(out, "## Do the arms differ?\n\n");
    mgc_md_head(titles, out);
    for (size_t i = 0; i < count; i++)
        comparison_row(&list[i], results, out);
    mgc_buf_puts(out,
        "\nMean time per frame after the skip window, paired by round: the mean of the log ratios "
        "with its 95 % interval (t below 8 pairs, bootstrap t from 8 on) and Holm's p over the "
        "arms "
        "of a workload and backend. *rounds* is how many of the plan's rounds had both arms "
        "measured. Only cells with the same trace, size, finish, credit, builds, device and clocks "
        "are compared, unless the difference is the arm itself. With equal arms the chance that "
        "any of a family is called different is at most 5 %.\n\n");
    if (mgc_plan_order_is_fixed(results->plan))
        mgc_buf_puts(out,
            "The order of the arms was `fixed`: in every round each arm came at the same place, so "
            "the difference of two arms is also that of their places (a phone that warms up, a "
            "cache that fills). `order` `rotate` or `shuffle` separates the "
            "two.\n\n");
}
