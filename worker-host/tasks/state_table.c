#include "worker-host/tasks/state_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/parse.h"
#include "common/contract/cpu_policy.h"

#define CPUFREQ "/sys/devices/system/cpu/cpufreq/policy"
#define THERMAL "/sys/class/thermal/thermal_zone"
#define SUPPLY  "/sys/class/power_supply/"
#define KGSL    "/sys/class/kgsl/kgsl-3d0/"

static const struct {
    const char *name;
    enum mgc_state_form form;
    const char *nodes[4];
} fixed[] = {
    {"battery_temp_dc", MGC_STATE_NUMBER, {SUPPLY "battery/temp"}},
    {"battery_level", MGC_STATE_NUMBER, {SUPPLY "battery/capacity"}},
    {"plugged", MGC_STATE_ANY, {SUPPLY "usb/online", SUPPLY "ac/online", SUPPLY "wireless/online"}},
    {"mem_available_kb", MGC_STATE_MEMINFO, {"/proc/meminfo"}},
    {"gpu_hz", MGC_STATE_NUMBER, {KGSL "gpuclk"}},
    {"gpu_busy_pct", MGC_STATE_NUMBER, {KGSL "gpu_busy_percentage"}},
    {"gpu_thermal_level", MGC_STATE_NUMBER, {KGSL "thermal_pwrlevel"}},
};

/* --- what there is ---------------------------------------------------------------------------- */

size_t mgc_state_probe_nodes(
    char ret_nodes[MGC_STATE_CPUS_MAX + MGC_STATE_ZONES_SEEN][MGC_STATE_PATH_MAX])
{
    size_t count = 0;
    for (int i = 0; i < MGC_STATE_CPUS_MAX; i++)
        snprintf(ret_nodes[count++], MGC_STATE_PATH_MAX, CPUFREQ "%d/scaling_cur_freq", i);
    for (int i = 0; i < MGC_STATE_ZONES_SEEN; i++)
        snprintf(ret_nodes[count++], MGC_STATE_PATH_MAX, THERMAL "%d/type", i);
    return count;
}

static struct mgc_state_column *add_column(
    struct mgc_state_table *table, enum mgc_state_form form, const char *node)
{
    if (table->column_count == MGC_STATE_COLUMNS_MAX || table->node_count == MGC_STATE_NODES_MAX)
        return NULL;
    struct mgc_state_column *column = &table->columns[table->column_count++];
    *column = (struct mgc_state_column){
        .form = form, .first = table->node_count, .count = 1, .unreadable = true};
    snprintf(table->nodes[table->node_count++], MGC_STATE_PATH_MAX, "%s", node);
    return column;
}

static void add_fixed(struct mgc_state_table *table)
{
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
        struct mgc_state_column *column = add_column(table, fixed[i].form, fixed[i].nodes[0]);
        snprintf(column->name, sizeof(column->name), "%s", fixed[i].name);
        for (size_t n = 1; fixed[i].nodes[n]; n++, column->count++)
            snprintf(
                table->nodes[table->node_count++], MGC_STATE_PATH_MAX, "%s", fixed[i].nodes[n]);
    }
}

static void add_policy(struct mgc_state_table *table, int cpu)
{
    static const struct {
        const char *name, *node;
        enum mgc_state_form form;
    } what[] = {{"cur_khz", "scaling_cur_freq", MGC_STATE_NUMBER},
        {"max_khz", "scaling_max_freq", MGC_STATE_NUMBER},
        {"min_khz", "scaling_min_freq", MGC_STATE_NUMBER},
        {"hw_khz", "cpuinfo_max_freq", MGC_STATE_NUMBER},
        {"governor", "scaling_governor", MGC_STATE_GOVERNOR}};
    char cpu_name[MGC_CPU_NAME_MAX];
    mgc_cpu_policy_name(cpu, cpu_name);
    for (size_t i = 0; i < sizeof(what) / sizeof(what[0]); i++) {
        char node[MGC_STATE_PATH_MAX];
        snprintf(node, sizeof(node), CPUFREQ "%d/%s", cpu, what[i].node);
        struct mgc_state_column *column = add_column(table, what[i].form, node);
        if (column)
            mgc_cpu_policy_column(cpu_name, what[i].name, column->name, sizeof(column->name));
    }
}

static bool has_column(const struct mgc_state_table *table, const char *name)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return true;
    return false;
}

/* Types are for people: what would break a CSV or a name becomes '_'; a type that comes again gets
 * the zone's number. */
static void add_zone(struct mgc_state_table *table, int zone, const char *type)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    char node[MGC_STATE_PATH_MAX], plain[40], name[MGC_STATE_NAME_MAX];
    snprintf(plain, sizeof(plain), "%s", type);
    for (char *c = plain; *c; c++)
        if (!strchr(letters, *c))
            *c = '_';
    snprintf(name, sizeof(name), "zone_%s_mc", plain);
    if (has_column(table, name))
        snprintf(name, sizeof(name), "zone_%s_%d_mc", plain, zone);
    snprintf(node, sizeof(node), THERMAL "%d/temp", zone);
    struct mgc_state_column *column = add_column(table, MGC_STATE_NUMBER, node);
    if (column)
        snprintf(column->name, sizeof(column->name), "%s", name);
}

void mgc_state_table_make(struct mgc_state_table *table, const struct mgc_device_list *probed)
{
    const char *item = NULL, *text;
    int errnum, zones = 0;
    *table = (struct mgc_state_table){0};
    add_fixed(table);
    for (int i = 0; (item = mgc_device_list_next(probed, item)); i++) {
        if (!mgc_device_value(item, &text, &errnum))
            continue;
        if (i < MGC_STATE_CPUS_MAX)
            add_policy(table, i);
        else if (*text && zones++ < MGC_STATE_ZONES_MAX)
            add_zone(table, i - MGC_STATE_CPUS_MAX, text);
    }
}

/* --- values ----------------------------------------------------------------------------------- */

/* The number that a text begins with. */
static bool number(const char *text, int64_t *ret)
{
    char digits[24];
    text += strspn(text, " \t");
    size_t len = (*text == '-') + strspn(text + (*text == '-'), "0123456789");
    snprintf(digits, sizeof(digits), "%.*s", (int)len, text);
    return len < sizeof(digits) && mgc_parse_int(digits, INT64_MIN, INT64_MAX, ret);
}

/* Linux's governors and those of vendors' kernels, by their place in this list; 0: another one. A
 * place never changes its meaning: files of years ago say it. */
static bool governor(const char *text, int64_t *ret)
{
    static const char *const names[] = {"performance", "powersave", "userspace", "ondemand",
        "conservative", "schedutil", "interactive", "walt", "sugov_ext", "energy_step"};
    size_t len = strcspn(text, " \t\r\n");
    *ret = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i]) == len && strncmp(names[i], text, len) == 0)
            *ret = (int64_t)i + 1;
    return len > 0;
}

static bool column_value(
    const struct mgc_state_column *column, const char *const *texts, int64_t *ret)
{
    static const char label[] = "MemAvailable:";
    int64_t one;
    bool known = false;
    for (size_t i = 0; i < column->count; i++) {
        const char *text = texts[column->first + i];
        if (text && column->form == MGC_STATE_MEMINFO)
            text = strstr(text, label) ? strstr(text, label) + strlen(label) : NULL;
        if (!text ||
            !(column->form == MGC_STATE_GOVERNOR ? governor(text, &one) : number(text, &one)))
            continue;
        *ret = column->form == MGC_STATE_ANY ? (known && *ret) || one != 0 : one;
        known = true;
    }
    return known;
}

bool mgc_state_put_head(
    struct mgc_buf *out, const struct mgc_state_table *table, unsigned period_ms)
{
    mgc_buf_printf(out, "# mgdevice state period_ms=%u clock=monotonic\nt_ns", period_ms);
    for (size_t i = 0; i < table->column_count; i++)
        mgc_buf_printf(out, ",%s", table->columns[i].name);
    return mgc_buf_putc(out, '\n');
}

bool mgc_state_put_row(struct mgc_buf *out, struct mgc_state_table *table, int64_t t_ns,
    const struct mgc_device_list *values)
{
    const char *texts[MGC_STATE_NODES_MAX] = {NULL}, *item = NULL, *text;
    int errnum;
    for (size_t i = 0; i < table->node_count && (item = mgc_device_list_next(values, item)); i++)
        texts[i] = mgc_device_value(item, &text, &errnum) ? text : NULL;
    mgc_buf_printf(out, "%" PRId64, t_ns);
    for (size_t i = 0; i < table->column_count; i++) {
        int64_t value = 0;
        mgc_buf_putc(out, ',');
        if (!column_value(&table->columns[i], texts, &value))
            continue;
        table->columns[i].unreadable = false;
        mgc_buf_printf(out, "%" PRId64, value);
    }
    return mgc_buf_putc(out, '\n');
}

bool mgc_state_put_unreadable(struct mgc_buf *out, const struct mgc_state_table *table)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].unreadable)
            mgc_buf_printf(out, "%s%s", out->len ? "," : "", table->columns[i].name);
    return mgc_buf_ok(out);
}
