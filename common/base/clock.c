#include "common/base/clock.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/ticks.h"

/* Written by the program before it starts threads, read by all of them. */
static struct mgc_clock_plant plant;
static bool planted;
static int64_t planted_at_ns;

static int64_t plant_shift(bool counts_sleep)
{
    if (!planted)
        return 0;
    int64_t since_ns = mgc_ticks_mono_ns() - planted_at_ns;
    int64_t shift_ns =
        plant.offset_ns + (int64_t)((double)since_ns * (double)plant.drift_ppb / 1e9);
    if (since_ns >= plant.after_ns)
        shift_ns += plant.step_ns + (counts_sleep ? plant.sleep_ns : 0);
    return shift_ns;
}

int64_t mgc_mono_ns(void)
{
    return mgc_ticks_mono_ns() + plant_shift(false);
}

int64_t mgc_boot_ns(void)
{
    return mgc_ticks_boot_ns() + plant_shift(true);
}

int64_t mgc_wall_ns(void)
{
    return mgc_ticks_wall_ns() + plant_shift(true);
}

void mgc_sleep_until(int64_t mono_ns)
{
    for (;;) {
        int64_t left_ns = mono_ns - mgc_mono_ns();
        if (left_ns <= 0)
            return;
        mgc_ticks_sleep(left_ns);
    }
}

void mgc_sleep_ms(int64_t ms)
{
    mgc_sleep_until(mgc_deadline_in_ms(ms));
}

int64_t mgc_deadline_in_ms(int64_t ms)
{
    if (ms > INT64_MAX / MGC_NS_PER_MS / 2)
        return MGC_NEVER;
    return mgc_mono_ns() + ms * MGC_NS_PER_MS;
}

bool mgc_deadline_past(int64_t deadline_ns)
{
    return deadline_ns != MGC_NEVER && mgc_mono_ns() >= deadline_ns;
}

int mgc_deadline_poll_ms(int64_t deadline_ns)
{
    if (deadline_ns == MGC_NEVER)
        return -1;
    int64_t left_ns = deadline_ns - mgc_mono_ns();
    if (left_ns <= 0)
        return 0;
    int64_t left_ms = (left_ns + MGC_NS_PER_MS - 1) / MGC_NS_PER_MS;
    return left_ms > INT_MAX ? INT_MAX : (int)left_ms;
}

int64_t mgc_deadline_min(int64_t a_ns, int64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

struct plant_key {
    const char *name;
    size_t field; /* offset in struct mgc_clock_plant */
    int64_t unit;
};

static const struct plant_key plant_keys[] = {
    {"offset_ms", offsetof(struct mgc_clock_plant, offset_ns), MGC_NS_PER_MS},
    {"drift_ppm", offsetof(struct mgc_clock_plant, drift_ppb), 1000},
    {"step_ms", offsetof(struct mgc_clock_plant, step_ns), MGC_NS_PER_MS},
    {"sleep_ms", offsetof(struct mgc_clock_plant, sleep_ns), MGC_NS_PER_MS},
    {"after_ms", offsetof(struct mgc_clock_plant, after_ns), MGC_NS_PER_MS},
};

static bool plant_item(
    const char *item, size_t len, struct mgc_clock_plant *into, struct mgc_error *err)
{
    for (size_t i = 0; i < sizeof(plant_keys) / sizeof(plant_keys[0]); i++) {
        const struct plant_key *key = &plant_keys[i];
        size_t name_len = strlen(key->name);
        if (len <= name_len + 1 || memcmp(item, key->name, name_len) != 0 || item[name_len] != '=')
            continue;
        char *end;
        errno = 0;
        long long value = strtoll(item + name_len + 1, &end, 10);
        if (errno || end != item + len || value > INT64_MAX / key->unit ||
            value < -(INT64_MAX / key->unit))
            break;
        *(int64_t *)((char *)into + key->field) = value * key->unit;
        return true;
    }
    return mgc_error_set(err, MGC_E_USAGE,
        "clock plant '%.*s': expected offset_ms, drift_ppm, step_ms, sleep_ms or after_ms = number",
        (int)len, item);
}

bool mgc_clock_plant_parse(
    const char *text, struct mgc_clock_plant *ret_plant, struct mgc_error *err)
{
    struct mgc_clock_plant parsed = {0};
    while (*text) {
        size_t len = strcspn(text, ",");
        if (!plant_item(text, len, &parsed, err))
            return false;
        text += len + (text[len] == ',');
    }
    *ret_plant = parsed;
    return true;
}

void mgc_clock_plant_set(const struct mgc_clock_plant *new_plant)
{
    planted = new_plant != NULL;
    if (!new_plant)
        return;
    plant = *new_plant;
    planted_at_ns = mgc_ticks_mono_ns();
}

bool mgc_clock_plant_from_env(struct mgc_error *err)
{
    const char *text = getenv("MGC_CLOCK_PLANT");
    if (!text)
        return true;
    struct mgc_clock_plant from_env;
    if (!mgc_clock_plant_parse(text, &from_env, err))
        return mgc_error_prefix(err, "MGC_CLOCK_PLANT");
    mgc_clock_plant_set(&from_env);
    return true;
}
