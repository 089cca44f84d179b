#include "lab/link/settings.h"

#include <string.h>

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/base/parse.h"
#include "common/base/path.h"
#include "common/plat/file.h"

enum { DELAY_MAX_MS = 5000, RATE_MAX_MBIT = 10000, VALUE_MAX = 256 };

static bool apply_profile(struct mgc_lab_link_settings *settings, const char *value)
{
    const struct mgc_lab_link_named *named = mgc_lab_link_profile_find(value);
    if (named == NULL)
        return false;
    settings->profile = named->profile;
    settings->profile.wake_ns = mgc_lab_link_wake_ns(named->profile.rate_bps);
    return true;
}

static bool apply_delay(struct mgc_lab_link_settings *settings, const char *value)
{
    int64_t ms;
    if (!mgc_parse_int(value, 0, DELAY_MAX_MS, &ms))
        return false;
    settings->profile.delay_ns = ms * MGC_NS_PER_MS;
    return true;
}

static bool apply_rate(struct mgc_lab_link_settings *settings, const char *value)
{
    int64_t mbit;
    if (!mgc_parse_int(value, 1, RATE_MAX_MBIT, &mbit))
        return false;
    settings->profile.rate_bps = mbit * 1000000;
    settings->profile.wake_ns = mgc_lab_link_wake_ns(settings->profile.rate_bps);
    return true;
}

static bool apply_cut(struct mgc_lab_link_settings *settings, const char *value)
{
    int64_t ms;
    if (strcmp(value, "forever") != 0 && !mgc_parse_duration_ms(value, &ms))
        return false;
    settings->cut = true;
    return true;
}

/* In the order in which they are applied. */
static const struct {
    const char *name;
    const char *expected;
    bool (*apply)(struct mgc_lab_link_settings *settings, const char *value);
} knobs[] = {
    {"link-profile", "ethernet, fast-ethernet, wifi, bad-wifi or wan40", apply_profile},
    {"link-delay-ms", "a number from 0 to 5000", apply_delay},
    {"link-rate-mbit", "a number from 1 to 10000", apply_rate},
    {"link-cut", "forever or a duration such as 5s", apply_cut},
};

enum { KNOB_COUNT = sizeof knobs / sizeof *knobs };

bool mgc_lab_link_knob_known(const char *name)
{
    for (size_t i = 0; i < KNOB_COUNT; i++) {
        if (strcmp(knobs[i].name, name) == 0)
            return true;
    }
    return false;
}

bool mgc_lab_link_knob_apply(struct mgc_lab_link_settings *settings, const char *name,
    const char *value, struct mgc_error *err)
{
    for (size_t i = 0; i < KNOB_COUNT; i++) {
        if (strcmp(knobs[i].name, name) != 0)
            continue;
        return knobs[i].apply(settings, value) ||
               mgc_error_set(err, MGC_E_USAGE, "fault %s: expected %s, got \"%s\"", name,
                   knobs[i].expected, value);
    }
    return mgc_error_set(err, MGC_E_USAGE, "\"%s\" is no knob of the link", name);
}

static bool apply_file(struct mgc_lab_link_settings *settings, const char *dir, const char *name,
    struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    struct mgc_buf value = {0};
    if (!mgc_path_join(path, sizeof path, dir, name))
        return mgc_error_set(err, MGC_E_USAGE, "the path of \"%s\" is too long", dir);
    if (!mgc_file_exists(path))
        return true;
    bool ok = mgc_file_read(path, VALUE_MAX, &value, err) &&
              mgc_lab_link_knob_apply(settings, name, mgc_buf_text(&value), err);
    mgc_buf_destroy(&value);
    return ok;
}

/* Two times what is on its way at full rate: with less, a long and fast link is never full. */
static void make_room(struct mgc_lab_link_profile *profile)
{
    int64_t bytes = profile->rate_bps / 8 * (4 * profile->delay_ns / MGC_NS_PER_MS) / 1000;
    if (bytes > profile->queue_bytes)
        profile->queue_bytes = bytes;
}

bool mgc_lab_link_settings_read(const char *profile, const char *dir,
    struct mgc_lab_link_settings *ret_settings, struct mgc_error *err)
{
    struct mgc_lab_link_settings settings = {0};
    if (!mgc_lab_link_knob_apply(&settings, "link-profile", profile, err))
        return false;
    for (size_t i = 0; i < KNOB_COUNT; i++) {
        if (!apply_file(&settings, dir, knobs[i].name, err))
            return false;
    }
    make_room(&settings.profile);
    *ret_settings = settings;
    return true;
}
