#include "worker-host/adb/part.h"

#include <errno.h>

#include "common/base/open.h"
#include "common/plat/file.h"

static bool open_temp(struct mgc_adb_part *part, struct mgc_error *err)
{
    part->file = mgc_open_write(part->temp);
    return part->file || mgc_error_errno(err, errno, "create \"%s\"", part->temp);
}

bool mgc_adb_part_open(struct mgc_adb_part *part, const char *name, struct mgc_error *err)
{
    *part = (struct mgc_adb_part){0};
    int name_len = snprintf(part->name, sizeof(part->name), "%s", name);
    int temp_len = snprintf(part->temp, sizeof(part->temp), "%s.part", name);
    if (name_len < 0 || temp_len >= (int)sizeof(part->temp))
        return mgc_error_set(err, MGC_E_USAGE, "a local path is longer than %d", MGC_PATH_MAX);
    return open_temp(part, err);
}

bool mgc_adb_part_write(
    struct mgc_adb_part *part, const void *data, size_t len, struct mgc_error *err)
{
    if (fwrite(data, 1, len, part->file) != len)
        return mgc_error_errno(err, errno, "write \"%s\"", part->temp);
    return true;
}

bool mgc_adb_part_rewind(struct mgc_adb_part *part, struct mgc_error *err)
{
    fclose(part->file);
    part->file = NULL;
    return open_temp(part, err);
}

bool mgc_adb_part_keep(struct mgc_adb_part *part, struct mgc_error *err)
{
    FILE *file = part->file;
    part->file = NULL;
    bool ok = fclose(file) == 0 || mgc_error_errno(err, errno, "write \"%s\"", part->temp);
    ok = ok && mgc_file_rename(part->temp, part->name, err);
    if (!ok)
        mgc_file_remove(part->temp, NULL);
    return ok;
}

void mgc_adb_part_drop(struct mgc_adb_part *part)
{
    if (!part->file)
        return;
    fclose(part->file);
    part->file = NULL;
    mgc_file_remove(part->temp, NULL);
}
