#include "common/contract/backend.h"
#include "coordinator/plan/schema.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define DAY_MS (24 * 3600 * INT64_C(1000))

static const struct mgc_schema_row site_rows[] = {
    {"site", MGC_KIND_TEXT, .required = true, .check = mgc_check_name,
        .expected = "a name of lower-case letters, digits and '-'",
        .help = "Name of this bench. It stands in every result."},
    {"results", MGC_KIND_LOCAL, ".trace-work/perf-compare", .env = "PERF_WORK", .may_differ = true,
        .help = "Directory that gets one directory per run. A relative path in the file starts at "
                "the file's own directory."},
    {"bind", MGC_KIND_TEXT, "tcp://127.0.0.1:40700", .check = mgc_check_endpoint,
        .expected = "an endpoint such as tcp://127.0.0.1:40700", .may_differ = true,
        .help = "Where the coordinator listens for the workers during a run."},
    {"keys", MGC_KIND_LOCAL, .may_differ = true,
        .help = "Key directory made by `mgcoord keys init`. Without it: `keys` in mgcoord's state "
                "directory ($XDG_STATE_HOME/mgcoord or ~/.local/state/mgcoord; for root "
                "/var/lib/mgcoord)."},

    {"liveness.heartbeat_ms", MGC_KIND_INT, "2000", .min = 20, .max = 60000, .may_differ = true,
        .help = "Both sides send at least this often."},
    {"liveness.silence_ms", MGC_KIND_INT, "10000", .min = 100, .max = 600000, .may_differ = true,
        .help = "A worker that was silent for so long counts as lost. At least twice the "
                "heartbeat."},

    {"workers.*.role", MGC_KIND_TEXT, .required = true, .check = mgc_check_role,
        .expected = "host (owns adb and the phone) or wsl (runs the replay client)",
        .help = "What the worker of this name does: `host` owns adb and the phone, `wsl` runs the "
                "replay client. The name is the one given to `mgcoord keys add`."},
    {"workers.*.addresses", MGC_KIND_TEXTS, .check = mgc_check_endpoint,
        .expected = "endpoints such as tcp://127.0.0.1:40700", .may_differ = true,
        .help = "Where this worker finds the coordinator, in the order to try; "
                "`mgcoord keys add` writes them into its enrolment file. Without it: `bind`."},

    {"workers.*.parallel", MGC_KIND_INT, .min = 1, .max = 1000, .may_differ = true,
        .help =
            "Of a `wsl` worker: how many cells that cross hosts, and link tests, it measures at "
            "a time, of different phones; further ones wait for their turn. Without it: 1, "
            "since they would share its processor and the radio, and falsify each other."},

    {"phone.serial", MGC_KIND_TEXT, .required = true, .check = mgc_check_serial,
        .expected = "a serial as `adb devices` prints it", .env = "SER",
        .help = "Serial of the phone as `adb devices` prints it. `HOST:PORT` is connected first."},
    {"phone.address", MGC_KIND_TEXT, .lane = "crosshost, netbench", .check = mgc_check_ipv4,
        .expected = "an IPv4 address such as 192.168.21.181", .env = "PHONE",
        .help = "Address of the phone on the measured link, as the WSL worker reaches it."},
    {"phone.port", MGC_KIND_INT, "40613", .min = 1024, .max = 65535,
        .help = "Port on which the render server listens."},
    {"phone.sink_port", MGC_KIND_INT, "40614", .min = 1024, .max = 65535,
        .help = "Port on which the phone's end of the link test listens."},
    {"phone.link", MGC_KIND_TEXT, .check = mgc_check_name,
        .expected = "a name of lower-case letters, digits and '-'",
        .help = "What the measured link is, in a word of your choice: `wifi-5ghz`, `usb-ethernet`. "
                "Cross-host numbers of links with different names are not held against each "
                "other. Without it only link tests (`brackets: link`) tell links apart."},
    {"phone.package", MGC_KIND_TEXT, "top.mobilegl.plugin.trace", .check = mgc_check_package,
        .expected = "an Android package name such as top.mobilegl.plugin.trace", .env = "PKG",
        .help = "Package of the trace app."},

    {"phone.clocks.big", MGC_KIND_TEXTS, .check = mgc_check_policy,
        .expected = "cpufreq policy directories on the phone",
        .help = "Policies of the fast cores, such as `/sys/devices/system/cpu/cpufreq/policy7`. "
                "Needed by plans that pin clocks."},
    {"phone.clocks.little", MGC_KIND_TEXTS, .check = mgc_check_policy,
        .expected = "cpufreq policy directories on the phone",
        .help = "Policies of the slow cores, such as `/sys/devices/system/cpu/cpufreq/policy0`."},
    {"phone.clocks.gpu", MGC_KIND_TEXT, .check = mgc_check_absolute,
        .expected = "a devfreq directory on the phone",
        .help = "Where the GPU's `min_freq` and `max_freq` are, such as "
                "`/sys/class/kgsl/kgsl-3d0/devfreq`."},
    {"phone.host", MGC_KIND_TEXT, .check = mgc_check_name, .expected = "the name of a worker",
        .help =
            "Worker with role `host` that has this phone on its adb. Without it: the only one."},
    {"phone.wsl", MGC_KIND_TEXT, .check = mgc_check_name, .expected = "the name of a worker",
        .help = "Worker with role `wsl` that measures with this phone. Without it: the only one."},

    {"phones.*.serial", MGC_KIND_TEXT, .required = true, .check = mgc_check_serial,
        .expected = "a serial as `adb devices` prints it",
        .help =
            "In place of `phone`, for a bench with several phones: each has a name, and below it "
            "the keys of `phone`. A run measures all of them side by side, or those that "
            "`--phone` names. Names have up to 32 characters."},
    {"phones.*.address", MGC_KIND_TEXT, .lane = "crosshost, netbench", .check = mgc_check_ipv4,
        .expected = "an IPv4 address such as 192.168.21.181", .help = "As `phone.address`."},
    {"phones.*.link", MGC_KIND_TEXT, .check = mgc_check_name,
        .expected = "a name of lower-case letters, digits and '-'", .help = "As `phone.link`."},
    {"phones.*.port", MGC_KIND_INT, .min = 1024, .max = 65535, .help = "As `phone.port`."},
    {"phones.*.sink_port", MGC_KIND_INT, .min = 1024, .max = 65535,
        .help = "As `phone.sink_port`."},
    {"phones.*.package", MGC_KIND_TEXT, .check = mgc_check_package,
        .expected = "an Android package name such as top.mobilegl.plugin.trace",
        .help = "As `phone.package`."},
    {"phones.*.clocks.big", MGC_KIND_TEXTS, .check = mgc_check_policy,
        .expected = "cpufreq policy directories on the phone", .help = "As `phone.clocks.big`."},
    {"phones.*.clocks.little", MGC_KIND_TEXTS, .check = mgc_check_policy,
        .expected = "cpufreq policy directories on the phone", .help = "As `phone.clocks.little`."},
    {"phones.*.clocks.gpu", MGC_KIND_TEXT, .check = mgc_check_absolute,
        .expected = "a devfreq directory on the phone", .help = "As `phone.clocks.gpu`."},
    {"phones.*.host", MGC_KIND_TEXT, .check = mgc_check_name, .expected = "the name of a worker",
        .help = "As `phone.host`. Needed where there are several workers with role `host`."},
    {"phones.*.wsl", MGC_KIND_TEXT, .check = mgc_check_name, .expected = "the name of a worker",
        .help = "As `phone.wsl`. Needed where there are several workers with role `wsl`."},

    {"route.mode", MGC_KIND_TEXT, "replace", .check = mgc_check_route_mode,
        .expected = "replace or none",
        .help =
            "What is done about the route to the phone: `replace` has one through the gateway "
            "for the length of a run and puts back what was there; `none` touches no route, and "
            "every report says so. `none` is for a bench without a way around, such as a lab in "
            "loopback mode: the path check alone then has to tell whether numbers are the "
            "phone's."},
    {"route.gateway", MGC_KIND_TEXT, .check = mgc_check_ipv4,
        .expected = "an IPv4 address such as 192.168.31.1", .env = "GATEWAY",
        .help =
            "Gateway that forwards to the phone without ending TCP. Needed unless `route.mode` is "
            "none."},
    {"route.interface", MGC_KIND_TEXT, "eth0", .check = mgc_check_interface,
        .expected = "the name of a network interface, up to 15 characters",
        .help = "Interface of the WSL worker's machine on which the gateway is."},

    {"replay.client", MGC_KIND_TEXT, .lane = "crosshost", .check = mgc_check_absolute,
        .expected = "an absolute path on the WSL worker's machine",
        .help = "The replay client, `mobilegl_trace_replay`, on the WSL worker's machine."},
    {"replay.library", MGC_KIND_TEXT, .lane = "crosshost", .check = mgc_check_absolute,
        .expected = "an absolute path on the WSL worker's machine",
        .help = "The client's `libMobileGL.so`, on the WSL worker's machine."},

    {"workloads.*.trace", MGC_KIND_TEXT, .check = mgc_check_absolute,
        .expected = "an absolute path on the WSL worker's machine",
        .help = "Trace of the workload (openra, rd12), on the WSL worker's machine. Needed for "
                "every workload that a plan measures."},
    {"workloads.*.golden", MGC_KIND_TEXT, .check = mgc_check_absolute,
        .expected = "an absolute path on the WSL worker's machine",
        .help = "Picture that the target call must draw, on the WSL worker's machine. Needed for "
                "ssim cells."},
    {"workloads.*.host_trace", MGC_KIND_TEXT, .check = mgc_check_host_path,
        .expected = "an absolute path on the host worker's machine",
        .help = "Trace of the workload on the host worker's machine, which brings it to the phone "
                "when a plan measures there. Without it the phone must have it already."},
    {"workloads.*.host_golden", MGC_KIND_TEXT, .check = mgc_check_host_path,
        .expected = "an absolute path on the host worker's machine",
        .help = "As `host_trace`: the picture that the target call must draw."},
    {"workloads.*.frames", MGC_KIND_INT, .min = 1, .max = 1000000,
        .help = "Frames of the trace, where it is not the bench's usual one. Without it: the "
                "bench's (openra 128, rd12 251)."},
    {"workloads.*.target_call", MGC_KIND_INT, .min = 0, .max = INT64_C(1) << 40,
        .help = "Call whose picture is compared, where it is not the bench's usual one."},
    {"workloads.*.timeout", MGC_KIND_DURATION, .min = 1000, .max = DAY_MS, .env = "{}_TIMEOUT",
        .may_differ = true,
        .help = "Longest time for one run of the replay client. Without it: the bench's (openra "
                "600s, rd12 1500s)."},
};

const struct mgc_schema mgc_schema_site = {
    .name = "site",
    .title = "site.yaml: what a bench consists of",
    .intro =
        "One file per bench, read by `mgcoord` only; workers need no YAML. It is looked for as\n"
        "`--site FILE`, `$MGCOORD_SITE`, `./site.yaml`, `$XDG_CONFIG_HOME/mgcoord/site.yaml`\n"
        "(`~/.config/mgcoord/site.yaml`). [examples/site.yaml](../examples/site.yaml) is one to\n"
        "start from, `mgcoord plan show crosshost` shows what is made of it.",
    .rows = site_rows,
    .count = COUNT(site_rows),
};

static const struct mgc_schema_row plan_rows[] = {
    {"plan", MGC_KIND_TEXT, .required = true, .check = mgc_check_name,
        .expected = "a name of lower-case letters, digits and '-'",
        .help = "Name of the plan. It becomes part of the run's directory name."},
    {"summary", MGC_KIND_TEXT, .may_differ = true, .help = "One sentence for people."},

    {"lanes.crosshost.workloads", MGC_KIND_TEXTS, "openra, rd12", .check = mgc_check_name,
        .expected = "names of workloads such as openra, rd12", .help = "Workloads, in order."},
    {"lanes.crosshost.credits", MGC_KIND_INTS, "1, 2, 3", .min = 1, .max = 8,
        .expected = "present credits from 1 to 8",
        .help = "PRESENT_CREDIT of the benchmark cells: frames in flight between client and "
                "server. Each is an arm of its own."},
    {"lanes.crosshost.reps", MGC_KIND_INT, "3", .min = 1, .max = 1000,
        .help = "Rounds: repetitions of every benchmark cell."},
    {"lanes.crosshost.workload_reps.*", MGC_KIND_INT, .min = 1, .max = 1000, .env = "{}_REPS",
        .help = "Repetitions of one workload (openra, rd12), where they differ from `reps`."},
    {"lanes.crosshost.ssim", MGC_KIND_BOOL, "true",
        .help = "Compare the picture of every workload once, before the rounds."},
    {"lanes.crosshost.runs", MGC_KIND_TEXTS, .check = mgc_check_run,
        .expected = "cells such as ssim:openra or bench:rd12:1", .env = "RUNS",
        .help = "Exactly these cells (`ssim:WORKLOAD`, `bench:WORKLOAD:CREDIT`) instead of all of "
                "`workloads` and `credits`; benchmark cells still `reps` times."},
    {"lanes.crosshost.backend", MGC_KIND_TEXT, "DirectGLES", .check = mgc_check_backend,
        .expected = MGC_BACKENDS_TEXT, .help = "Render backend on the phone."},
    {"lanes.crosshost.benchmark_finish", MGC_KIND_BOOL, "true",
        .help = "glFinish at every frame boundary. Numbers with and without never compare."},
    {"lanes.crosshost.device_timeout", MGC_KIND_DURATION, "30s", .min = 1000, .max = 600 * 1000,
        .may_differ = true,
        .help = "How long every step waits for a phone that has left adb to come back."},
    {"lanes.crosshost.extra_server_env", MGC_KIND_TEXT, .check = mgc_check_env_list,
        .expected = "K=V;K=V, or K alone to unset it",
        .help = "More variables for the render server. `MOBILEGL_SERVER_FRAME_STATS=1` has it log "
                "how fast it reads."},
    {"lanes.crosshost.ready_timeout", MGC_KIND_DURATION, "30s", .min = 1000, .max = 600 * 1000,
        .may_differ = true,
        .help = "How long the render server may take from its start until it listens."},
    {"lanes.crosshost.reap_timeout", MGC_KIND_DURATION, "60s", .min = 1000, .max = 600 * 1000,
        .may_differ = true,
        .help = "How long to wait, after the client has ended, for the line that says how the "
                "server's session ended."},

    {"lanes.matrix.mode", MGC_KIND_TEXT, "all", .check = mgc_check_matrix_mode,
        .expected = "smoke, prep, openra, rd12, all, one or ssimonly",
        .help =
            "What to run, as the old run_matrix.sh: `all` is every workload with its rounds and "
            "its ssim cells; `openra` and `rd12` are one of them; `smoke` is one round of the "
            "first workload; `ssimonly` compares pictures only; `one` is the single cell of "
            "`one.*`; `prep` brings the fixtures to the phone and measures nothing. "
            "`mgcoord run matrix MODE` sets it."},
    {"lanes.matrix.workloads", MGC_KIND_TEXTS, "openra, rd12", .check = mgc_check_name,
        .expected = "names of workloads such as openra, rd12", .env = "WLS",
        .help = "Workloads, in order."},
    {"lanes.matrix.arms", MGC_KIND_TEXTS, "monolith, inproc, shm, tcp", .check = mgc_check_arm,
        .expected = "arms such as monolith, inproc, shm, tcp, or one with a tag such as tcp@p14",
        .env = "ARMS",
        .help = "Ways of rendering that every round measures. The first is the reference of the "
                "comparisons. `ARM@TAG` is the arm of another installed build, the package "
                "`top.mobilegl.plugin.TAG.trace`."},
    {"lanes.matrix.backends", MGC_KIND_TEXTS, "DirectGLES", .check = mgc_check_backend,
        .expected = MGC_BACKENDS_TEXT, .env = "BACKENDS",
        .help =
            "Render backends. With more than one, every round measures every arm with each, one "
            "after the other, and `order` moves the pairs of arm and backend."},
    {"lanes.matrix.reps", MGC_KIND_INT, "3", .min = 1, .max = 1000, .env = "REPS",
        .help = "Rounds: repetitions of every benchmark cell."},
    {"lanes.matrix.workload_reps.*", MGC_KIND_INT, .min = 1, .max = 1000, .env = "{}_REPS",
        .help = "Repetitions of one workload (openra, rd12), where they differ from `reps`."},
    {"lanes.matrix.ssim", MGC_KIND_BOOL, "true",
        .help = "Compare the picture of every arm once, after the workload's rounds."},
    {"lanes.matrix.shorten.*.above", MGC_KIND_DURATION, .min = 1000, .max = DAY_MS,
        .help = "When a run of this workload in the first round took the app longer than this, "
                "its later rounds are cut to `shorten.*.reps`; the report says so."},
    {"lanes.matrix.shorten.*.reps", MGC_KIND_INT, .min = 1, .max = 1000,
        .help = "Rounds that are left then."},
    {"lanes.matrix.one.arm", MGC_KIND_TEXT, "tcp", .check = mgc_check_arm,
        .expected = "an arm such as tcp", .env = "ONE", .help = "Arm of the mode `one`."},
    {"lanes.matrix.one.workload", MGC_KIND_TEXT, "openra", .check = mgc_check_name,
        .expected = "a workload such as openra", .env = "WL",
        .help = "Workload of the mode `one`."},
    {"lanes.matrix.one.rep", MGC_KIND_INT, "99", .min = 1, .max = 1000000, .env = "REP",
        .help = "Number of the repetition that the mode `one` gives its cell."},
    {"lanes.matrix.timeout", MGC_KIND_DURATION, "900s", .min = 1000, .max = DAY_MS,
        .env = "TIMEOUT", .may_differ = true,
        .help = "Longest time for one run of the app. `workloads.*.timeout`, when somebody gives "
                "it, goes before."},
    {"lanes.matrix.credit", MGC_KIND_INT, "1", .min = 1, .max = 8,
        .help = "PRESENT_CREDIT of the split arms, always sent."},
    {"lanes.matrix.benchmark_finish", MGC_KIND_BOOL, "true", .env = "FINISH",
        .help = "glFinish at every frame boundary, always sent. Numbers with and without never "
                "compare."},
    {"lanes.matrix.pipe_stats", MGC_KIND_BOOL, "true",
        .help = "Ask for MobileGL's counters (MOBILEGL_PIPE_STATS) in every arm."},
    {"lanes.matrix.extra_env", MGC_KIND_TEXT, .check = mgc_check_env_list,
        .expected = "K=V;K=V, or K alone to unset it", .env = "EXTRA_ENV",
        .help = "More variables for the client of every arm; `K` alone unsets one, with a "
                "warning. A leading `;` is fine."},
    {"lanes.matrix.extra_server_env", MGC_KIND_TEXT, .check = mgc_check_env_list,
        .expected = "K=V;K=V, or K alone to unset it", .env = "EXTRA_SERVER_ENV",
        .help = "More variables for the render server of the arm tcp, likewise."},
    {"lanes.matrix.temp_min", MGC_KIND_INT, .min = -20, .max = 60, .unit = "degrees C",
        .help = "As `gates.temp_min`, for this lane only."},
    {"lanes.matrix.temp_max", MGC_KIND_INT, .min = 10, .max = 70, .unit = "degrees C",
        .help = "As `gates.temp_max`, for this lane only."},
    {"lanes.matrix.gate_timeout", MGC_KIND_DURATION, .min = 0, .max = 3600 * 1000,
        .may_differ = true, .help = "As `gates.timeout`, for this lane only."},
    {"lanes.matrix.power", MGC_KIND_TEXT, .check = mgc_check_power, .expected = "plugged or any",
        .help = "As `gates.power`, for this lane only."},
    {"lanes.matrix.unreadable", MGC_KIND_TEXT, .check = mgc_check_unreadable,
        .expected = "accept or refuse", .help = "As `gates.unreadable`, for this lane only."},
    {"lanes.matrix.stay_awake", MGC_KIND_BOOL, "true",
        .help = "Keep the phone awake for the length of the run; put back afterwards."},
    {"lanes.matrix.doze_exempt", MGC_KIND_BOOL, "true",
        .help = "Exempt the app from Doze for the length of the run; put back afterwards."},
    {"lanes.matrix.log_buffer", MGC_KIND_TEXT, "16M", .check = mgc_check_log_buffer,
        .expected = "a size such as 16M, or keep",
        .help = "Size of the phone's log buffer during the run; put back afterwards."},
    {"lanes.matrix.clocks", MGC_KIND_TEXT, "free", .check = mgc_check_clocks,
        .expected = "free, sustained, gpumax, gpulow, cpulow, cpuhunt or gpuhunt", .env = "PROFILE",
        .help = "Clocks held for the length of the run (needs a rooted phone and "
                "`phone.clocks.*`), put back afterwards; a cell whose clocks were not held does "
                "not count."},
    {"lanes.matrix.stop_services", MGC_KIND_TEXTS, .check = mgc_check_service,
        .expected = "names of services such as thermal-engine", .env = "BENCH_STOP_SERVICES",
        .help = "Services of the phone that move clocks: stopped for the length of the run (needs "
                "a rooted phone), started again afterwards when they ran."},
    {"lanes.matrix.device_timeout", MGC_KIND_DURATION, "30s", .min = 1000, .max = 600 * 1000,
        .may_differ = true,
        .help = "How long every step waits for a phone that has left adb to come back."},
    {"lanes.matrix.ready_timeout", MGC_KIND_DURATION, "30s", .min = 1000, .max = 600 * 1000,
        .may_differ = true,
        .help = "How long the render server may take from its start until it listens."},
    {"lanes.matrix.reap_timeout", MGC_KIND_DURATION, "60s", .min = 1000, .max = 600 * 1000,
        .may_differ = true,
        .help = "How long to wait, after the app's run, for the line that says how the server's "
                "session ended."},

    {"lanes.netbench.reps", MGC_KIND_INT, "3", .min = 1, .max = 100,
        .help = "How often the link is measured."},
    {"lanes.netbench.direction", MGC_KIND_TEXT, "both", .check = mgc_check_direction,
        .expected = "up (to the phone), down or both", .help = "Which directions, in this order."},
    {"lanes.netbench.duration", MGC_KIND_DURATION, "10s", .min = 200, .max = 600 * 1000,
        .help = "How long a direction is measured, by whoever receives."},
    {"lanes.netbench.warmup", MGC_KIND_DURATION, "500ms", .min = 0, .max = 60 * 1000,
        .help = "Of that, at the begin, what is not in the throughput."},
    {"lanes.netbench.interval", MGC_KIND_DURATION, "100ms", .min = 10, .max = 60 * 1000,
        .help = "Length of the series' intervals."},
    {"lanes.netbench.streams", MGC_KIND_INT, "1", .min = 1, .max = 16,
        .help = "Connections that carry data at the same time."},
    {"lanes.netbench.probes", MGC_KIND_INT, "20", .min = 0, .max = 1000,
        .help = "Round trips that are measured while nothing else is sent."},
    {"lanes.netbench.congestion", MGC_KIND_TEXT, .check = mgc_check_name,
        .expected = "the name of a congestion control such as cubic",
        .help = "Congestion control of both ends. Without it each uses its system's, as MobileGL "
                "does."},
    {"lanes.netbench.short", MGC_KIND_BOOL, "false",
        .help = "The short form: one repetition, `short_duration`, at most 10 round trips. "
                "`mgcoord run netbench --short` sets it."},
    {"lanes.netbench.short_duration", MGC_KIND_DURATION, "2s", .min = 200, .max = 60 * 1000,
        .help = "As `duration`, of the short form, which is also that of brackets."},
    {"lanes.netbench.device_timeout", MGC_KIND_DURATION, "30s", .min = 1000, .max = 600 * 1000,
        .may_differ = true,
        .help = "How long the phone's end waits for a phone that has left adb to come back."},

    {"interleave", MGC_KIND_TEXT, "lane", .check = mgc_check_interleave,
        .expected = "lane or round",
        .help = "How several lanes go together: `lane` is one lane after the other, each as if it "
                "were alone; `round` goes workload by workload, and every round of a workload has "
                "each arm of each lane once."},
    {"order", MGC_KIND_TEXT, "fixed", .check = mgc_check_order,
        .expected = "fixed, rotate or shuffle",
        .help = "Order of the arms in a round: `fixed` as listed, `rotate` begins each round with "
                "the next arm, `shuffle` is random by `seed`. With brackets the cells that cross "
                "hosts stay together."},
    {"seed", MGC_KIND_INT, .min = 0, .max = INT64_C(0x7fffffff),
        .help = "Seed of a shuffled order. Without it: one made from the run id. It stands in "
                "run.json and in the report."},
    {"brackets", MGC_KIND_TEXT, "none", .check = mgc_check_brackets,
        .expected = "none, path or link",
        .help = "What is looked at before and after each round's block of cells that cross hosts: "
                "`path` is the path check, `link` is that and a short link test by "
                "`lanes.netbench.*`. Without link tests nothing is concluded of an arm across "
                "hosts against one on the phone."},
    {"link_band", MGC_KIND_INT, "15", .min = 1, .max = 1000,
        .help = "Percent by which throughput or round trip (of more than 2 ms) may differ between "
                "the looks before and after a block. What moved more voids the block."},
    {"gates.temp_min", MGC_KIND_INT, "5", .min = -20, .max = 60, .unit = "degrees C",
        .help = "Lowest battery temperature, degrees C, at which a cell that uses the phone begins "
                "and counts. Gates hold for all lanes but link tests; `lanes.matrix` may have "
                "values of its own."},
    {"gates.temp_max", MGC_KIND_INT, "38", .min = 10, .max = 70, .unit = "degrees C",
        .env = "COOL_C",
        .help = "Highest battery temperature, degrees C, at which a cell begins and counts."},
    {"gates.cool_to", MGC_KIND_INT, .min = 10, .max = 70, .unit = "degrees C",
        .help = "A battery that was found above `gates.temp_max` has to cool to this, degrees C, "
                "before a cell begins. Without it: to `gates.temp_max`, where the next cell may "
                "leave the band again."},
    {"gates.power", MGC_KIND_TEXT, "plugged", .check = mgc_check_power,
        .expected = "plugged or any",
        .help = "`plugged`: the phone has to have external power before and during a cell."},
    {"gates.unreadable", MGC_KIND_TEXT, "accept", .check = mgc_check_unreadable,
        .expected = "accept or refuse",
        .help = "What a gate does about a value that phone or machine do not give: `accept` says "
                "so in the result, `refuse` makes the cell invalid."},
    {"gates.phone_free", MGC_KIND_INT, "16", .min = 0, .max = 1000 * 1000, .unit = "MB",
        .help = "Least free space for the app's files on the phone, MB, before a cell."},
    {"gates.host_free", MGC_KIND_INT, "64", .min = 0, .max = 1000 * 1000, .unit = "MB",
        .help = "Least free space, MB, where the workers keep what they collect, before a cell: on "
                "the host worker's machine and, for cells that cross hosts, on the WSL worker's."},
    {"gates.host_load", MGC_KIND_INT, .min = 1, .max = 10000, .unit = "percent of the CPUs",
        .help = "Highest load of these machines before a cell, percent of their CPUs: 100 is one "
                "busy task per CPU, on average of the last minute (on Windows: of half a second). "
                "A cell adds its own to that average. Without it any load will do; what it was "
                "stands in the verdict."},
    {"gates.timeout", MGC_KIND_DURATION, "900s", .min = 0, .max = 3600 * 1000, .may_differ = true,
        .help = "How long a cell waits for temperature, power and load; what does not come by "
                "itself, as free space, is not waited for."},
    {"retries_per_cell", MGC_KIND_INT, "1", .min = 0, .max = 10,
        .help = "Further attempts of a cell after a failure of the infrastructure (worker lost, "
                "device lost)."},
    {"replacements", MGC_KIND_INT, "0", .min = 0, .max = 1000,
        .help = "Cells in all that are measured again when something around them voided them: the "
                "phone throttled, left its band or lost power or a knob, path or link changed, a "
                "clock jumped, a host slept, a worker, the route or adb was lost for a while, "
                "somebody else used the app. The round's reference goes again right before, as "
                "the other half of the pair; a block of cells goes with its brackets. At most "
                "`retries_per_cell` times each."},
    {"confirm", MGC_KIND_INT, "0", .min = 0, .max = 10,
        .help = "The regression gate is part of the run: after all rounds, arms that look slower "
                "or faster than in the nights before are measured in so many more rounds, beside "
                "the reference; a regression that these confirm makes exit code 1. 0: no gate; "
                "`mgcoord history` then still says what it would have said. See statistics.md."},
    {"budget.invalid_cells", MGC_KIND_INT, .min = 1, .max = 1000, .may_differ = true,
        .help = "Once so many cells came to their end and do not count (`invalid`, `failed` or "
                "`incomplete`, all their attempts and further turns included), the run stops; the "
                "rest is `skipped`. What fails a gate of the plan, such as a picture, is no such "
                "cell. A run that is resumed counts anew. Without it: no limit."},
    {"budget.wall_time", MGC_KIND_DURATION, .min = 1000, .max = 7 * DAY_MS, .may_differ = true,
        .help = "How long the run may take, from its begin; one that is resumed has all of it "
                "again. A round that would not fit any more, by what cells took in this run, else "
                "in the history, else in published runs, is not begun: rounds are left out whole, "
                "so that arms stay balanced, later ones of all workloads first. When it is over "
                "nothing more begins but the path checks at the end; a cell that is on is let "
                "finish."},
    {"budget.end_by", MGC_KIND_TEXT, .check = mgc_check_clock_time,
        .expected = "a time of day such as 06:30", .may_differ = true,
        .help = "As `budget.wall_time`: when the run has to be over, by the coordinator's local "
                "clock; the next such time after its begin. With both, what comes first counts."},
    {"worker_timeout", MGC_KIND_DURATION, "30s", .min = 100, .max = 3600 * 1000, .may_differ = true,
        .help = "How long to wait for a worker that is not there."},
    {"barrier_timeout", MGC_KIND_DURATION, "60s", .min = 100, .max = 3600 * 1000,
        .may_differ = true,
        .help = "How long the members of a barrier wait for the last one, from the first "
                "arrival."},
    {"barrier_lead", MGC_KIND_DURATION, "250ms", .min = 1, .max = 10 * 1000,
        .help = "Least time between the message that releases a barrier and the instant it "
                "names."},

    {"heartbeat", MGC_KIND_LOCAL, .may_differ = true,
        .help = "File that says how the last run went and, while one is on, that it lives; "
                "`mgcoord heartbeat` checks it. Without it: `heartbeat.json` in the results root. "
                "A nightly plan best has one of its own: runs by hand then do not hide a night "
                "that never ran."},
    {"notify", MGC_KIND_TEXTS, .may_differ = true,
        .help = "Command that is run when a run is over, however it ended, or could not begin: a "
                "program (by name or absolute path) and its arguments, without a shell. It finds "
                "`MGC_RUN_ID`, `MGC_RUN_DIR`, `MGC_EXIT`, `MGC_SUMMARY` (one sentence) and "
                "`MGC_REPORT` in its environment. Its output goes to `notify.log` in the run's "
                "directory; what becomes of it never changes the exit code. It stands in run.json: "
                "let it read secrets from a file."},
    {"notify_timeout", MGC_KIND_DURATION, "30s", .min = 100, .max = 3600 * 1000, .may_differ = true,
        .help = "How long that command may take; then it is ended with all that it started."},
    {"retention.runs", MGC_KIND_INT, .min = 1, .max = 100000, .may_differ = true,
        .help = "After a run that came to its end, older runs of this plan are removed from the "
                "results root: all but the newest so many, the present one among them. Never one "
                "that is in use, not in the history, or marked by a file `keep` in its directory. "
                "Without `retention.runs` and `retention.days` none is removed; with both, only "
                "what is over both limits."},
    {"retention.days", MGC_KIND_INT, .min = 1, .max = 36500, .may_differ = true,
        .help = "As `retention.runs`, by age: runs that began more days ago are removed."},
    {"retention.attempts", MGC_KIND_TEXT, "keep", .check = mgc_check_attempts,
        .expected = "keep or drop", .may_differ = true,
        .help = "`drop`: of this plan's earlier runs, superseded attempts of cells that came to "
                "an end are removed, too; not of runs on several phones."},
    {"token", MGC_KIND_SECRET, .check = mgc_check_token,
        .expected = "16 to 128 letters, digits, '.', '_' or '-'", .env = "TOKEN",
        .may_differ = true,
        .help = "Token that client and render server share. Without it: random for every run, "
                "which is better."},
};

const struct mgc_schema mgc_schema_plan = {
    .name = "plan",
    .title = "Plan files: what to measure",
    .intro = "A plan is a YAML file given by its path (`mgcoord run my-plan.yaml`) or one of the\n"
             "built-in ones by its name (`crosshost`, "
             "[plans/crosshost.yaml](../plans/crosshost.yaml)).\n"
             "`mgcoord plan show PLAN` prints the cells it makes and where every value comes from.",
    .rows = plan_rows,
    .count = COUNT(plan_rows),
    .mount = "override",
    .mounted = &mgc_schema_site,
};
