#include "common/cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "common/cli/help.h"

/* Where the parse stands. Operands are gathered in front of argv's unread part, so that options and
 * operands may mix without an allocation. */
struct scan {
    const struct mgc_cli *cli;
    int argc;
    char **argv;
    void *options; /* the program's struct */
    int next;      /* first unread argument */
    int operands;  /* argv[1 .. operands] are operands */
    struct mgc_error *err;
};

static const struct mgc_cli_option *find_name(
    const struct mgc_cli *cli, const char *name, size_t len)
{
    for (const struct mgc_cli_option *row = cli->options; row && row->name; row++) {
        if (strlen(row->name) == len && memcmp(row->name, name, len) == 0)
            return row;
    }
    return NULL;
}

static const struct mgc_cli_option *find_letter(const struct mgc_cli *cli, char letter)
{
    for (const struct mgc_cli_option *row = cli->options; row && row->name; row++) {
        if (row->letter && row->letter == letter)
            return row;
    }
    return NULL;
}

static bool bad_option(struct scan *scan, const char *arg)
{
    return mgc_error_set(
        scan->err, MGC_E_USAGE, "unknown option '%s'; see %s --help", arg, scan->cli->program);
}

/* `value` is NULL when none is attached: then the next argument is taken if the row wants one. */
static bool apply(struct scan *scan, const struct mgc_cli_option *row, const char *value)
{
    if (!row->value && value)
        return mgc_error_set(
            scan->err, MGC_E_USAGE, "option --%s takes no value, got '%s'", row->name, value);
    if (row->value && !value) {
        if (scan->next >= scan->argc)
            return mgc_error_set(
                scan->err, MGC_E_USAGE, "option --%s needs a value: %s", row->name, row->value);
        value = scan->argv[scan->next++];
    }
    struct mgc_error why = {0};
    if (row->parse(value, (char *)scan->options + row->offset, row->arg, &why))
        return true;
    return mgc_error_set(
        scan->err, why.code, "option --%s '%s': %s", row->name, value ? value : "", why.text);
}

static bool take_long(struct scan *scan, const char *arg)
{
    const char *name = arg + 2;
    size_t len = strcspn(name, "=");
    const struct mgc_cli_option *row = find_name(scan->cli, name, len);
    if (!row)
        return bad_option(scan, arg);
    return apply(scan, row, name[len] ? name + len + 1 : NULL);
}

/* "-v", "-vx" (two flags), "-n5", "-n 5" */
static bool take_letters(struct scan *scan, const char *arg)
{
    for (const char *letter = arg + 1; *letter; letter++) {
        const struct mgc_cli_option *row = find_letter(scan->cli, *letter);
        if (!row)
            return bad_option(scan, arg);
        if (row->value)
            return apply(scan, row, letter[1] ? letter + 1 : NULL);
        if (!apply(scan, row, NULL))
            return false;
    }
    return true;
}

static bool is_help(const struct mgc_cli *cli, const char *arg)
{
    return (strcmp(arg, "--help") == 0 && !find_name(cli, "help", 4)) ||
           (strcmp(arg, "-h") == 0 && !find_letter(cli, 'h'));
}

static bool check_count(struct scan *scan)
{
    const struct mgc_cli *cli = scan->cli;
    int got = scan->operands;
    if (got < cli->min_operands)
        return mgc_error_set(scan->err, MGC_E_USAGE, "expected %s, got %d operand%s; see %s --help",
            cli->synopsis, got, got == 1 ? "" : "s", cli->program);
    if (cli->max_operands >= 0 && got > cli->max_operands)
        return mgc_error_set(scan->err, MGC_E_USAGE, "unexpected operand '%s'; usage: %s %s",
            scan->argv[1 + cli->max_operands], cli->program, cli->synopsis);
    return true;
}

static void take_rest(struct scan *scan)
{
    while (scan->next < scan->argc)
        scan->argv[1 + scan->operands++] = scan->argv[scan->next++];
}

static enum mgc_cli_outcome walk(struct scan *scan)
{
    while (scan->next < scan->argc) {
        char *arg = scan->argv[scan->next++];
        if (strcmp(arg, "--") == 0) {
            take_rest(scan);
        } else if (arg[0] != '-' || !arg[1]) { /* "-" alone is an operand: stdin */
            scan->argv[1 + scan->operands++] = arg;
            if (scan->cli->max_operands < 0)
                take_rest(scan);
        } else if (is_help(scan->cli, arg)) {
            return MGC_CLI_HELP;
        } else if (!(arg[1] == '-' ? take_long(scan, arg) : take_letters(scan, arg))) {
            return MGC_CLI_BAD;
        }
    }
    return check_count(scan) ? MGC_CLI_RUN : MGC_CLI_BAD;
}

enum mgc_cli_outcome mgc_cli_parse_args(const struct mgc_cli *cli, int argc, char **argv,
    void *options, char ***ret_operands, int *ret_count, struct mgc_error *err)
{
    struct scan scan = {
        .cli = cli, .argc = argc, .argv = argv, .options = options, .next = 1, .err = err};
    enum mgc_cli_outcome outcome = walk(&scan);
    if (outcome == MGC_CLI_RUN) {
        if (ret_operands)
            *ret_operands = argv + (argc > 0);
        if (ret_count)
            *ret_count = scan.operands;
    }
    return outcome;
}

static const struct mgc_cli_command *find_command(
    const struct mgc_cli_command *commands, const char *name)
{
    for (const struct mgc_cli_command *row = commands; row->name; row++) {
        if (strcmp(row->name, name) == 0)
            return row;
    }
    return NULL;
}

int mgc_cli_dispatch(const char *program, const char *summary, const char *version,
    const struct mgc_cli_command *commands, int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    if (name && (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)) {
        printf("%s %s\n", program, version);
        return 0;
    }
    if (name && (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)) {
        mgc_cli_print_commands(program, summary, commands, stdout);
        return 0;
    }
    const struct mgc_cli_command *row = name ? find_command(commands, name) : NULL;
    if (row)
        return row->run(argc - 1, argv + 1);
    if (name)
        fprintf(stderr, "%s: unknown %s '%s'; see %s --help\n", program,
            name[0] == '-' ? "option" : "command", name, program);
    else
        fprintf(stderr, "%s: no command given; see %s --help\n", program, program);
    return 2;
}
