/* What CreateProcessW takes: one command line and one block of environment, from lists of words.
 *
 * Pure, in UTF-8, built and tested on every system. Windows programs split the line themselves; the
 * rules here are those of CommandLineToArgvW and of the C runtime (Microsoft's "Parsing C
 * command-line arguments"), which agree on lines that are quoted this way.
 */
#ifndef MGC_PLAT_WIN_QUOTE_H
#define MGC_PLAT_WIN_QUOTE_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/error.h"

/* "prog" "a b" c: appended to line. False when argv[0] holds a quotation mark (it cannot be
 * escaped there), when it is a batch file (cmd.exe would split the line by rules that no quoting
 * survives), or when the line passes Windows's limit. */
bool mgc_win_command_line(struct mgc_buf *line, const char *const *argv, struct mgc_error *err);

/* "K=V\0K=V\0\0" in the order that Windows wants (by name, case does not count): appended to
 * block. A later entry of the same name replaces an earlier one. `more` (may be NULL) is one entry
 * added to the list. False when an entry has no name. */
bool mgc_win_environment(
    struct mgc_buf *block, const char *const *env, const char *more, struct mgc_error *err);

#endif
