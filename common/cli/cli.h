/* Command lines from tables: one table per program or subcommand gives parsing, --help and docs.
 *
 * Values land in the program's own struct through one small parse function per kind. An error
 * names option and value in one sentence; it never dumps the help. Pure except for print_help.
 */
#ifndef MGC_CLI_CLI_H
#define MGC_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/base/error.h"

/* Turn text into the field at `field`; used as a row's `parse`. `arg` is the row's `arg`. */
typedef bool mgc_cli_parse(const char *text, void *field, const void *arg, struct mgc_error *err);

struct mgc_cli_option {
    const char *name;     /* long name without dashes; ends the table when NULL */
    char letter;          /* short form, 0 for none */
    const char *value;    /* "FILE" in the help; NULL for a flag */
    const char *help;     /* one line or more, wrapped by print_help */
    mgc_cli_parse *parse; /* one of mgc_cli_* or the program's own */
    size_t offset;        /* of the field in the options struct */
    const void *arg;
};

/* Field types are given in the comment. */
mgc_cli_parse mgc_cli_flag;        /* bool: set to true */
mgc_cli_parse mgc_cli_string;      /* const char *: borrowed from argv */
mgc_cli_parse mgc_cli_int;         /* int64_t; arg NULL or const struct mgc_cli_range * */
mgc_cli_parse mgc_cli_duration_ms; /* int64_t */
mgc_cli_parse mgc_cli_choice;      /* const char *; arg: NULL-ended list of const char * */
mgc_cli_parse mgc_cli_list;        /* struct mgc_cli_strings: appends, at most 32 */

struct mgc_cli_range {
    long long min, max;
};

struct mgc_cli_strings {
    const char *items[32]; /* borrowed from argv */
    size_t count;
};

struct mgc_cli {
    const char *program;                  /* "mgcoord run" */
    const char *synopsis;                 /* "[options] PLAN" */
    const char *summary;                  /* one sentence */
    const struct mgc_cli_option *options; /* may be NULL */
    int min_operands, max_operands;       /* max -1: any number */
    const char *notes;                    /* printed below the options, may be NULL */
};

enum mgc_cli_outcome { MGC_CLI_RUN, MGC_CLI_HELP, MGC_CLI_BAD };

/* Fill *options from argv (argv[0] is skipped). --name=value, --name value, -n value, -nvalue; "--"
 * ends options; options and operands may mix unless max_operands is -1, where parsing stops at the
 * first operand (so that it can be a command line of its own). Operands point into argv. */
enum mgc_cli_outcome mgc_cli_parse_args(const struct mgc_cli *cli, int argc, char **argv,
    void *options, char ***ret_operands, int *ret_count, struct mgc_error *err);

void mgc_cli_print_help(const struct mgc_cli *cli, FILE *out);

/* A table of subcommands, ended by a NULL name. */
struct mgc_cli_command {
    const char *name;
    const char *help;
    int (*run)(int argc, char **argv); /* argv[0] is the subcommand's name; returns the exit code */
};

/* Find and run argv[1]; handles --help, --version and an unknown name (exit 2). */
int mgc_cli_dispatch(const char *program, const char *summary, const char *version,
    const struct mgc_cli_command *commands, int argc, char **argv);

#endif
