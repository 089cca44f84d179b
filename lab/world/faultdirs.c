#include "lab/world/faultdirs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/plat/file.h"

/* RUN/NAME/FILE of a phone. */
static bool path_of(const struct mgc_lab_faultdirs *dirs, int number, const char *file,
    char ret_path[MGC_LAB_PATH_MAX], struct mgc_error *err)
{
    struct mgc_lab_phone phone;
    char dir[MGC_LAB_PATH_MAX];
    mgc_lab_roster_phone(dirs->roster, number, &phone);
    if (!mgc_lab_roster_dir(dirs->roster, dirs->run, phone.name, dir, err))
        return false;
    return snprintf(ret_path, MGC_LAB_PATH_MAX, "%s/%s", dir, file) < MGC_LAB_PATH_MAX ||
           mgc_error_set(err, MGC_E_USAGE, "the state path is too long");
}

static bool link_address(
    const struct mgc_lab_faultdirs *dirs, const struct mgc_lab_phone *phone, struct mgc_error *err)
{
    char link[MGC_LAB_PATH_MAX], to[MGC_LAB_NAME_SIZE + 8];
    int len = snprintf(link, sizeof link, "%s/at/%s", dirs->run, phone->address);
    snprintf(to, sizeof to, "../%s", phone->name);
    if (len >= (int)sizeof link)
        return mgc_error_set(err, MGC_E_USAGE, "the state path is too long");
    return symlink(to, link) == 0 || mgc_error_errno(err, errno, "%s", link);
}

static bool make_one(const struct mgc_lab_faultdirs *dirs, int number, struct mgc_error *err)
{
    struct mgc_lab_phone phone;
    char path[MGC_LAB_PATH_MAX];
    mgc_lab_roster_phone(dirs->roster, number, &phone);
    return path_of(dirs, number, "faults", path, err) && mgc_dir_make(path, 0755, err) &&
           link_address(dirs, &phone, err);
}

static bool write_conditions(
    const struct mgc_lab_faultdirs *dirs, int number, const char *text, struct mgc_error *err)
{
    char path[MGC_LAB_PATH_MAX];
    return path_of(dirs, number, "conditions", path, err) &&
           mgc_file_write(path, text, strlen(text), 0644, err);
}

bool mgc_lab_faultdirs_make(
    const struct mgc_lab_faultdirs *dirs, const char *conditions, struct mgc_error *err)
{
    char at[MGC_LAB_PATH_MAX];
    bool several = mgc_lab_roster_several(dirs->roster);
    bool ok = snprintf(at, sizeof at, "%s/at", dirs->run) < (int)sizeof at &&
              (!several || mgc_dir_make(at, 0755, err));
    for (int number = 1; ok && number <= dirs->roster->phones; number++)
        ok = (!several || make_one(dirs, number, err)) &&
             write_conditions(dirs, number, conditions, err);
    return ok;
}

bool mgc_lab_faultdirs_check(
    const struct mgc_lab_faultdirs *dirs, const char *phone, struct mgc_error *err)
{
    char names[MGC_LAB_NAME_SIZE];
    if (phone[0] == '\0' || mgc_lab_roster_find(dirs->roster, phone) != 0)
        return true;
    if (!mgc_lab_roster_several(dirs->roster))
        return mgc_error_set(err, MGC_E_USAGE,
            "there is no phone \"%s\": this lab has one phone, which has no name", phone);
    mgc_lab_roster_names(dirs->roster, names);
    return mgc_error_set(
        err, MGC_E_USAGE, "there is no phone \"%s\"; this lab has %s", phone, names);
}

/* One after the other those that are meant; false from `each` ends it. */
static bool walk(const struct mgc_lab_faultdirs *dirs, const char *phone,
    bool (*each)(const char *dir, const void *arg, struct mgc_error *err), const void *arg,
    struct mgc_error *err)
{
    char dir[MGC_LAB_PATH_MAX];
    int only = phone[0] != '\0' ? mgc_lab_roster_find(dirs->roster, phone) : 0;
    bool ok = mgc_lab_faultdirs_check(dirs, phone, err);
    for (int number = 1; ok && number <= dirs->roster->phones; number++) {
        if (only == 0 || number == only)
            ok = path_of(dirs, number, "faults", dir, err) && each(dir, arg, err);
    }
    return ok;
}

static bool set_one(const char *dir, const void *arg, struct mgc_error *err)
{
    return mgc_lab_fault_set(dir, arg, err);
}

static bool clear_one(const char *dir, const void *arg, struct mgc_error *err)
{
    return mgc_lab_fault_clear(dir, arg, err);
}

bool mgc_lab_faultdirs_set(
    const struct mgc_lab_faultdirs *dirs, const struct mgc_lab_fault *fault, struct mgc_error *err)
{
    return walk(dirs, fault->phone, set_one, fault, err);
}

bool mgc_lab_faultdirs_clear(const struct mgc_lab_faultdirs *dirs, const char *phone,
    const char *name, struct mgc_error *err)
{
    return walk(dirs, phone, clear_one, name, err);
}

bool mgc_lab_faultdirs_list(
    const struct mgc_lab_faultdirs *dirs, struct mgc_buf *out, struct mgc_error *err)
{
    char dir[MGC_LAB_PATH_MAX], prefix[MGC_LAB_NAME_SIZE + 2];
    struct mgc_lab_phone phone;
    bool ok = true;
    for (int number = 1; ok && number <= dirs->roster->phones; number++) {
        mgc_lab_roster_phone(dirs->roster, number, &phone);
        snprintf(prefix, sizeof prefix, "%s.", phone.name);
        ok = path_of(dirs, number, "faults", dir, err) && mgc_lab_fault_list(dir, prefix, out, err);
    }
    return ok;
}
