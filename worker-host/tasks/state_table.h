/* device-state.csv: which nodes of the phone make which column, and a row of it. Pure; one thread.
 *
 *   # mgdevice state period_ms=1000 clock=monotonic
 *   t_ns,battery_temp_dc,...
 *   81234000000,315,...
 *
 * A value that could not be read is empty, never 0. Columns: battery_temp_dc, battery_level,
 * plugged, mem_available_kb, gpu_hz, gpu_busy_pct, gpu_thermal_level always; cpuN_cur_khz,
 * cpuN_max_khz, cpuN_min_khz (limits now), cpuN_hw_khz (what the CPU can do) and cpuN_governor for
 * each frequency policy (N: its first CPU) and zone_TYPE_mc for thermal zones where the phone has
 * them. Names of nodes are Linux's cpufreq, thermal and
 * power_supply and Qualcomm's kgsl.
 */
#ifndef MGC_HOST_STATE_TABLE_H
#define MGC_HOST_STATE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"
#include "common/device/message.h"

enum {
    MGC_STATE_COLUMNS_MAX = 128,
    MGC_STATE_NODES_MAX = 160,
    MGC_STATE_NAME_MAX = 64,
    MGC_STATE_PATH_MAX = 96,
    MGC_STATE_CPUS_MAX = 32,  /* CPU numbers that are looked at */
    MGC_STATE_ZONES_MAX = 48, /* thermal zones in the table; zones 0 to 127 are looked at */
    MGC_STATE_ZONES_SEEN = 128,
};

enum mgc_state_form {
    MGC_STATE_NUMBER,   /* a decimal number, perhaps with a unit behind it ("12 %") */
    MGC_STATE_ANY,      /* 1 when one of the nodes is not 0 */
    MGC_STATE_MEMINFO,  /* MemAvailable of /proc/meminfo */
    MGC_STATE_GOVERNOR, /* a name, as its number in docs/tasks.md */
};

struct mgc_state_column {
    char name[MGC_STATE_NAME_MAX];
    enum mgc_state_form form;
    size_t first, count; /* nodes */
    bool unreadable;     /* in every row so far */
};

struct mgc_state_table {
    struct mgc_state_column columns[MGC_STATE_COLUMNS_MAX];
    size_t column_count;
    char nodes[MGC_STATE_NODES_MAX][MGC_STATE_PATH_MAX];
    size_t node_count;
};

/* The nodes whose reading says which policies and zones there are: to be sampled once. */
size_t mgc_state_probe_nodes(
    char ret_nodes[MGC_STATE_CPUS_MAX + MGC_STATE_ZONES_SEEN][MGC_STATE_PATH_MAX]);
/* Make the table from that one row. */
void mgc_state_table_make(struct mgc_state_table *table, const struct mgc_device_list *probed);

bool mgc_state_put_head(
    struct mgc_buf *out, const struct mgc_state_table *table, unsigned period_ms);
/* A row of values of `nodes`, in order. Forgets columns' `unreadable` where a value came. */
bool mgc_state_put_row(struct mgc_buf *out, struct mgc_state_table *table, int64_t t_ns,
    const struct mgc_device_list *values);
/* Names of columns that never had a value, with commas between. */
bool mgc_state_put_unreadable(struct mgc_buf *out, const struct mgc_state_table *table);

#endif
