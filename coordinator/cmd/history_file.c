#include "coordinator/cmd/history_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "coordinator/cmd/exit_code.h"
#include "coordinator/history/history.h"

int mgc_history_root(const struct mgc_history_place *place, char ret_root[MGC_PATH_MAX])
{
    struct mgc_site site = {0};
    struct mgc_error err = {0};
    const char *root = place->results;
    int code = root ? MGC_EXIT_OK : mgc_site_options_load(&place->site, &site);
    if (code != MGC_EXIT_OK)
        return code;
    root = root ? root : site.results;
    if (snprintf(ret_root, MGC_PATH_MAX, "%s", root) >= MGC_PATH_MAX) {
        mgc_error_set(&err, MGC_E_USAGE, "'%.100s...': path is too long", root);
        code = mgc_cmd_fail(&err);
    }
    if (!place->results)
        mgc_site_destroy(&site);
    return code;
}

bool mgc_history_path(const char *root, char ret_path[MGC_PATH_MAX], struct mgc_error *err)
{
    return mgc_path_join(ret_path, MGC_PATH_MAX, root, MGC_HISTORY_FILE) ||
           mgc_error_set(err, MGC_E_USAGE, "'%.100s...': path is too long", root);
}

bool mgc_history_output(struct mgc_buf *text, json_t *doc, struct mgc_error *err)
{
    if (doc) {
        char *printed = json_dumps(doc, JSON_INDENT(2));
        mgc_buf_puts(text, printed ? printed : "");
        mgc_buf_putc(text, '\n');
        text->failed |= !printed;
        free(printed);
        json_decref(doc);
    }
    if (!mgc_buf_ok(text))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for the output");
    if (fwrite(text->data, 1, text->len, stdout) != text->len || fflush(stdout) != 0)
        return mgc_error_errno(err, errno, "print the history");
    return true;
}
