/* How help texts are laid out; the parts that cli.c and the tests need beside print_help. */
#ifndef MGC_CLI_HELP_H
#define MGC_CLI_HELP_H

#include <stddef.h>
#include <stdio.h>

#include "common/cli/cli.h"

/* Print text broken at spaces before column 80, lines indented by `indent`; the cursor stands in
 * `column`. Line breaks in the text stay, a word longer than a line stays whole. Ends with a line
 * break. */
void mgc_cli_wrap(FILE *out, const char *text, size_t indent, size_t column);

/* Help of a program with subcommands. */
void mgc_cli_print_commands(
    const char *program, const char *summary, const struct mgc_cli_command *commands, FILE *out);

#endif
