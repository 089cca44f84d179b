/* The schema as a page: docs/site-format.md and docs/plan-format.md come from here. */
#include "coordinator/plan/schema.h"

#include <stdio.h>
#include <string.h>

#include "coordinator/plan/examples.h"

/* A table cell: '|' would end it. */
static void put_cell(struct mgc_buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            mgc_buf_putc(out, '\\');
        mgc_buf_putc(out, *text);
    }
}

static void put_range(struct mgc_buf *out, const struct mgc_schema_row *row)
{
    if (row->kind == MGC_KIND_DURATION)
        mgc_buf_printf(out, ", %gs to %gs", (double)row->min / 1000, (double)row->max / 1000);
    else if (row->kind == MGC_KIND_INT || row->kind == MGC_KIND_INTS)
        mgc_buf_printf(out, ", %lld to %lld", (long long)row->min, (long long)row->max);
}

static void put_required(struct mgc_buf *out, const struct mgc_schema_row *row)
{
    if (row->required)
        mgc_buf_puts(out, "**required**");
    else if (row->lane)
        mgc_buf_printf(out, "**required** by `%s`", row->lane);
}

static void put_row(struct mgc_buf *out, const struct mgc_schema_row *row)
{
    mgc_buf_printf(out, "| `%s` | %s", row->key, mgc_value_kind_name(row->kind));
    put_range(out, row);
    mgc_buf_puts(out, " | ");
    if (row->fallback)
        mgc_buf_printf(out, "`%s`", row->fallback);
    else
        put_required(out, row);
    mgc_buf_puts(out, " | ");
    if (row->env && strstr(row->env, "{}"))
        mgc_buf_printf(out, "`%.*sNAME%s`", (int)(strstr(row->env, "{}") - row->env), row->env,
            strstr(row->env, "{}") + 2);
    else if (row->env)
        mgc_buf_printf(out, "`%s`", row->env);
    mgc_buf_puts(out, " | ");
    put_cell(out, row->help);
    if (row->expected) {
        mgc_buf_puts(out, " Expected: ");
        put_cell(out, row->expected);
        mgc_buf_puts(out, ".");
    }
    mgc_buf_puts(out, " |\n");
}

static const char notes[] =
    "Keys are written as paths: `phone.port` is `port` below `phone`. `*` is a name of your\n"
    "choice: `workers.*.role` is `role` below each worker's name. In the environment column "
    "`NAME`\n"
    "is that name in capitals (`OPENRA_REPS`). Lists are YAML lists or one text with commas.\n"
    "Durations are `250ms`, `10s`, `5m`, `1h`; a bare number is seconds. Anchors, aliases, tags\n"
    "and keys given twice are refused.\n"
    "\n"
    "The command line beats the environment, the environment the plan, the plan the site, the\n"
    "site what is built in. `--set KEY=VALUE` sets any key of this table; a variable that is set\n"
    "to nothing counts as not set.\n";

/* What the plan's comment says of it stands in the file itself. */
static void put_example(struct mgc_buf *out, const struct mgc_plan_example *example)
{
    mgc_buf_printf(out, "\n### %s\n\n[examples/%s.yaml](../examples/%s.yaml)\n\n```yaml\n%s```\n",
        example->name, example->name, example->name, example->text);
    mgc_buf_printf(out, "\nIts schedule:\n\n```\n%s```\n", example->schedule);
}

static void put_examples(struct mgc_buf *out)
{
    mgc_buf_puts(out,
        "\n## Examples\n\n"
        "Each is a file to begin with. Below it stands what `mgcoord plan show` says of its "
        "schedule\n"
        "on [examples/site.yaml](../examples/site.yaml), without a history to estimate from.\n");
    for (const struct mgc_plan_example *example = mgc_plan_examples; example->name; example++)
        put_example(out, example);
}

void mgc_schema_print(const struct mgc_schema *schema, struct mgc_buf *out)
{
    mgc_buf_printf(
        out, "<!-- Made by `mgcoord plan schema %s`; change the table in\n", schema->name);
    mgc_buf_puts(out, "     coordinator/plan/schema_tables.c instead. -->\n\n");
    mgc_buf_printf(out, "# %s\n\n%s\n\n%s\n", schema->title, schema->intro, notes);
    mgc_buf_puts(out, "| key | value | built-in | environment | meaning |\n");
    mgc_buf_puts(out, "|---|---|---|---|---|\n");
    for (size_t i = 0; i < schema->count; i++)
        put_row(out, &schema->rows[i]);
    if (schema->mount)
        mgc_buf_printf(out,
            "\nBelow `%s` stand keys of the %s file that this plan changes, such as "
            "`%s: {phone: {port: 40614}}`.\n",
            schema->mount, schema->mounted->name, schema->mount);
    if (schema == &mgc_schema_plan)
        put_examples(out);
}
