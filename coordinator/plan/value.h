/* Kinds of values in site and plan files, and how their text is checked. Pure. */
#ifndef MGC_PLAN_VALUE_H
#define MGC_PLAN_VALUE_H

#include <stdbool.h>

enum mgc_value_kind {
    MGC_KIND_TEXT,
    MGC_KIND_SECRET, /* as text, but never shown */
    MGC_KIND_LOCAL,  /* path on the coordinator's machine; in a file: relative to that file */
    MGC_KIND_INT,
    MGC_KIND_BOOL,
    MGC_KIND_DURATION, /* "10s", "250ms", "5m"; a bare number is seconds */
    MGC_KIND_TEXTS,    /* list of texts: YAML list, or one text with commas or spaces between */
    MGC_KIND_INTS,     /* list of integers, as above */
};

const char *mgc_value_kind_name(enum mgc_value_kind kind); /* for the pages: "integer" */

/* True when the text is well formed. */
typedef bool mgc_value_check(const char *text);

mgc_value_check mgc_check_name;       /* [a-z0-9][a-z0-9-]*, at most 63 */
mgc_value_check mgc_check_serial;     /* of adb: letters, digits, ". _ : -" */
mgc_value_check mgc_check_policy;     /* directory of a cpufreq policy: /.../policy7 */
mgc_value_check mgc_check_package;    /* Android package: two or more parts with dots between */
mgc_value_check mgc_check_ipv4;       /* dotted, four parts, no leading zeros */
mgc_value_check mgc_check_interface;  /* Linux: 1..15 characters, no '/', no space */
mgc_value_check mgc_check_endpoint;   /* "tcp://ADDRESS:PORT", port 1..65535 */
mgc_value_check mgc_check_absolute;   /* a path that begins with '/' */
mgc_value_check mgc_check_route_mode; /* "replace" or "none" */
mgc_value_check mgc_check_role;       /* "host" or "wsl" */
mgc_value_check mgc_check_backend;    /* "DirectGLES" or "DirectVulkan" */
mgc_value_check mgc_check_run;        /* "ssim:WORKLOAD" or "bench:WORKLOAD:CREDIT" */
mgc_value_check mgc_check_arm;        /* "tcp", "tcp@p14" */
mgc_value_check mgc_check_matrix_mode;
mgc_value_check mgc_check_order;
mgc_value_check mgc_check_interleave; /* "lane" or "round" */
mgc_value_check mgc_check_direction;  /* "up", "down" or "both" */
mgc_value_check mgc_check_brackets;   /* "none", "path" or "link" */
mgc_value_check mgc_check_host_path;  /* absolute, of Linux or of Windows */
mgc_value_check mgc_check_env_list;   /* "K=V;K=V"; a leading ';' is fine */
mgc_value_check mgc_check_power;      /* "plugged" or "any" */
mgc_value_check mgc_check_unreadable; /* "accept" or "refuse" */
mgc_value_check mgc_check_log_buffer; /* "16M", "512K" or "keep" */
mgc_value_check mgc_check_clocks;     /* "free" or a name that mgc_bench_clocks knows */
mgc_value_check mgc_check_service;    /* an Android init service */
mgc_value_check mgc_check_attempts;   /* "keep" or "drop" */
mgc_value_check mgc_check_clock_time; /* "06:30", 00:00 to 23:59 */
mgc_value_check mgc_check_token;      /* 16..128 characters of [A-Za-z0-9._-] */

#endif
