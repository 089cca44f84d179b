/* A run that measures nothing and brings fixtures to the phone: which, and whether they were there.
 */
#include <stdio.h>
#include <string.h>

#include "coordinator/report/fold.h"
#include "coordinator/report/phone.h"

static const struct mgc_cell *setup_of(const struct mgc_plan *plan)
{
    for (size_t i = 0; i < plan->cell_count; i++) {
        if (plan->cells[i].kind == MGC_CELL_SETUP)
            return &plan->cells[i];
    }
    return NULL;
}

static bool is_fixtures(const struct mgc_step *step)
{
    return strcmp(step->kind, "host.fixtures") == 0;
}

bool mgc_brings_fixtures_only(const struct mgc_results *results)
{
    const struct mgc_cell *setup = setup_of(results->plan);
    for (size_t i = 0; results->count == 0 && setup && i < setup->step_count; i++) {
        if (is_fixtures(&setup->steps[i]))
            return true;
    }
    return false;
}

/* A fact of that step and file: "fixtures-openra-1.trace_sha256". */
static const struct mgc_value *fact(const struct mgc_results *results, const struct mgc_step *step,
    const char *file, const char *what)
{
    char name[160];
    snprintf(name, sizeof(name), "%s.%s_%s", step->id, file, what);
    return mgc_fields_get(&results->setup, name);
}

static const char *param(const struct mgc_step *step, const char *name)
{
    const char *text = mgc_fields_get_str(&step->params, name);
    return text ? text : "?";
}

/* "brought", "found right", or how much of it was there before. */
static void put_how(const struct mgc_results *results, const struct mgc_step *step,
    const char *file, struct mgc_buf *out)
{
    const struct mgc_value *pushed = fact(results, step, file, "pushed");
    const struct mgc_value *resumed = fact(results, step, file, "resumed_bytes");
    bool given = mgc_fields_get_str(&step->params, file);
    if (!pushed || pushed->type != MGC_VALUE_BOOL || !pushed->boolean)
        mgc_buf_puts(out, given ? "found right" : "found there, and none was given");
    else if (resumed && resumed->type == MGC_VALUE_INT)
        mgc_buf_printf(out, "brought, gone on with after %lld bytes", (long long)resumed->integer);
    else
        mgc_buf_puts(out, "brought");
}

static void put_file(const struct mgc_results *results, const struct mgc_step *step,
    const char *file, const char *name, int width, struct mgc_buf *out)
{
    struct mgc_buf how = {0};
    const struct mgc_value *bytes = fact(results, step, file, "bytes");
    const struct mgc_value *sha256 = fact(results, step, file, "sha256");
    put_how(results, step, file, &how);
    if (bytes && bytes->type == MGC_VALUE_INT && sha256 && sha256->type == MGC_VALUE_STRING)
        mgc_say(width, out, "%s/%s of %s: %s, %lld bytes, sha256 %s", param(step, "dir"), name,
            param(step, "package"), mgc_buf_text(&how), (long long)bytes->integer, sha256->string);
    else
        mgc_say(width, out, "%s/%s of %s: not known to be there", param(step, "dir"), name,
            param(step, "package"));
    mgc_buf_destroy(&how);
}

void mgc_table_fixtures(const struct mgc_results *results, int width, struct mgc_buf *out)
{
    const struct mgc_cell *setup = setup_of(results->plan);
    for (size_t i = 0; setup && i < setup->step_count; i++) {
        if (!is_fixtures(&setup->steps[i]))
            continue;
        put_file(results, &setup->steps[i], "trace", "trace.trace", width, out);
        put_file(results, &setup->steps[i], "golden", "golden.png", width, out);
    }
    mgc_buf_putc(out, '\n');
}
