/* A directory of a test's own, as cmocka group setup and teardown. */
#ifndef MGC_TESTS_LIB_TMPDIR_H
#define MGC_TESTS_LIB_TMPDIR_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "tests/lib/temp.h"

static char tmpdir_path[256];

static inline int tmpdir_setup(void **state)
{
    (void)state;
    temp_name(tmpdir_path, sizeof(tmpdir_path), "dir");
    return mgc_dir_make(tmpdir_path, 0700, NULL) ? 0 : -1;
}

static inline int tmpdir_teardown(void **state)
{
    (void)state;
    return mgc_dir_remove(tmpdir_path, NULL) ? 0 : -1;
}

/* Path below the directory; the last four results stay valid. */
static inline const char *tmpdir_file(const char *name)
{
    static char paths[4][MGC_PATH_MAX];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    mgc_path_join(path, MGC_PATH_MAX, tmpdir_path, name);
    return path;
}

#endif
