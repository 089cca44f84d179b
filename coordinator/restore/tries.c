/* The attempts of a cell below attempts/, told apart by whom they were made for. */
#include <stdio.h>

#include "common/base/parse.h"
#include "common/plat/file.h"
#include "coordinator/restore/parts.h"

static int last_number(const char *dir, const char *cell_id)
{
    char path[MGC_PATH_MAX];
    struct mgc_dir_names names = {0};
    int64_t last = 0, number;
    int len = snprintf(path, sizeof(path), "%s/attempts/%s", dir, cell_id);
    if (len < 0 || len >= (int)sizeof(path) || !mgc_dir_list(path, &names, NULL))
        return 0;
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.names[i];
        if (name[0] == 'a' && mgc_parse_int(name + 1, 1, MGC_RESTORE_ATTEMPTS_MAX, &number))
            last = number > last ? number : last;
    }
    mgc_dir_names_destroy(&names);
    return (int)last;
}

int64_t mgc_restore_replaced(const json_t *doc)
{
    int64_t replaced = mgc_restore_int(doc, "replaced", 0);
    return replaced > 0 && replaced <= MGC_RESTORE_ATTEMPTS_MAX ? replaced : 0;
}

/* It was cut off before it had a verdict. */
static bool has_sake_file(const char *attempt)
{
    char path[MGC_PATH_MAX];
    return mgc_path_join(path, sizeof(path), attempt, MGC_SAKE_FILE) && mgc_file_exists(path);
}

static void take_own(struct mgc_tries *tries, int number, int sakes)
{
    tries->own = number;
    tries->made = number - sakes;
}

static void take_verdict(struct mgc_tries *tries, const json_t *doc)
{
    int64_t replaced = mgc_restore_replaced(doc);
    tries->failed += json_is_true(json_object_get(doc, "infrastructure"));
    tries->replaced = replaced > tries->replaced ? replaced : tries->replaced;
}

void mgc_restore_tries(
    const char *dir, const char *cell_id, int settled, struct mgc_tries *ret_tries)
{
    char path[MGC_PATH_MAX];
    struct mgc_tries tries = {.last = last_number(dir, cell_id)};
    int sakes = 0, end = settled > tries.last ? settled : tries.last;
    for (int number = 1; number <= end; number++) {
        int len = snprintf(path, sizeof(path), "%s/attempts/%s/a%d", dir, cell_id, number);
        if (len < 0 || len >= (int)sizeof(path) || !mgc_file_exists(path)) {
            if (number == settled)
                take_own(&tries, number, sakes);
            continue;
        }
        json_t *doc = mgc_restore_json(path, "verdict.json", NULL);
        if (json_object_get(doc, "for_the_sake_of") || (!doc && has_sake_file(path))) {
            sakes++;
        } else {
            take_own(&tries, number, sakes);
            take_verdict(&tries, doc);
        }
        json_decref(doc);
    }
    *ret_tries = tries;
}
