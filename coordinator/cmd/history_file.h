/* Which history a command means, and how it prints: shared by history and compare. */
#ifndef MGC_CMD_HISTORY_FILE_H
#define MGC_CMD_HISTORY_FILE_H

#include "common/base/buf.h"
#include "common/base/path.h"
#include "common/json/json.h"
#include "coordinator/cmd/options.h"

struct mgc_history_place { /* zeroed: nothing given */
    struct mgc_plan_options site;
    const char *results;
};

#define MGC_HISTORY_OPTIONS(type, member)                                                          \
    MGC_SITE_OPTION(type, member.site),                                                            \
    {                                                                                              \
        "results", 0, "DIR", "the results root with mgcoord.db, instead of the site's",            \
            mgc_cli_string, offsetof(type, member.results), NULL                                   \
    }

/* The results root. Other than MGC_EXIT_OK: it was said why. */
int mgc_history_root(const struct mgc_history_place *place, char ret_root[MGC_PATH_MAX]);
bool mgc_history_path(const char *root, char ret_path[MGC_PATH_MAX], struct mgc_error *err);

/* Print one or the other (doc may be NULL, and is given back); false when that failed. */
bool mgc_history_output(struct mgc_buf *text, json_t *doc, struct mgc_error *err);

#endif
