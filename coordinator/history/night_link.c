#include "coordinator/history/night_link.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool mgc_arm_link(const struct mgc_arm_key *key, const struct mgc_history_cells *cells,
    struct mgc_link_look *ret_link)
{
    double *values = calloc(cells->count + 1, sizeof(*values));
    struct mgc_link_look link = mgc_link_look_none;
    for (int figure = 0; values && figure < MGC_LINK_FIGURES; figure++) {
        struct mgc_spread spread;
        size_t count = 0;
        for (size_t i = 0; i < cells->count; i++) {
            const struct mgc_history_cell *cell = &cells->items[i];
            if (cell->measured && !cell->confirm && mgc_arm_has(key, cell) &&
                isfinite(cell->link.figures[figure]))
                values[count++] = cell->link.figures[figure];
        }
        if (mgc_spread_of(values, count, &spread))
            link.figures[figure] = spread.median;
    }
    free(values);
    *ret_link = link;
    return values != NULL;
}

static void put_difference(const struct mgc_link_look *was, const struct mgc_link_look *is,
    enum mgc_link_figure figure, char *text, size_t size)
{
    static const struct {
        const char *before, *after;
        int digits;
    } words[MGC_LINK_FIGURES] = {
        [MGC_LINK_UP] = {"", "Mbit/s to the phone", 1},
        [MGC_LINK_DOWN] = {"", "Mbit/s from the phone", 1},
        [MGC_LINK_RTT] = {"round trip ", "ms", 2},
    };
    snprintf(text, size, "the link was different: %s%.*f -> %.*f %s", words[figure].before,
        words[figure].digits, was->figures[figure], words[figure].digits, is->figures[figure],
        words[figure].after);
}

enum mgc_comparable mgc_night_links_alike(
    const struct mgc_link_look *was, const struct mgc_link_look *is, char *text, size_t size)
{
    bool was_known = mgc_link_look_is_known(was), is_known = mgc_link_look_is_known(is);
    enum mgc_link_figure apart = mgc_link_looks_apart(was, is, MGC_NIGHT_LINK_BAND_PCT);
    if (apart != MGC_LINK_FIGURES) {
        put_difference(was, is, apart, text, size);
        return MGC_COMPARABLE_NO;
    }
    if (was_known == is_known)
        return MGC_COMPARABLE_YES;
    snprintf(text, size, "the link was tested in one of the two nights only");
    return MGC_COMPARABLE_UNKNOWN;
}

static void figure_text(const struct mgc_link_look *link, enum mgc_link_figure figure, int digits,
    char *text, size_t size)
{
    if (isfinite(link->figures[figure]))
        snprintf(text, size, "%.*f", digits, link->figures[figure]);
    else
        snprintf(text, size, "-");
}

void mgc_night_link_text(const struct mgc_link_look *link, char *text, size_t size)
{
    char up[24], down[24], rtt[24];
    figure_text(link, MGC_LINK_UP, 1, up, sizeof(up));
    figure_text(link, MGC_LINK_DOWN, 1, down, sizeof(down));
    figure_text(link, MGC_LINK_RTT, 2, rtt, sizeof(rtt));
    if (mgc_link_look_is_known(link))
        snprintf(text, size, "%s / %s / %s", up, down, rtt);
    else
        snprintf(text, size, "-");
}
