#include "common/cli/help.h"

#include <string.h>

#include "common/cli/cli.h"

enum { WIDTH = 80, GAP = 2, LEFT_MAX = 28 };

static void put_spaces(FILE *out, size_t count)
{
    fprintf(out, "%*s", (int)count, "");
}

/* Print one word with the blanks before it; returns the column after it. `*line_start` is true when
 * nothing of the text stands on this line yet. */
static size_t put_word(FILE *out, const char *word, size_t len, size_t blanks, size_t indent,
    size_t column, bool *line_start)
{
    if (!*line_start && column + blanks + len > WIDTH) {
        fputc('\n', out);
        column = 0;
        blanks = 0;
        *line_start = true;
    }
    if (*line_start && column < indent)
        blanks += indent - column;
    put_spaces(out, blanks);
    fwrite(word, 1, len, out);
    *line_start = false;
    return column + blanks + len;
}

void mgc_cli_wrap(FILE *out, const char *text, size_t indent, size_t column)
{
    bool line_start = true;
    while (*text) {
        size_t blanks = strspn(text, " ");
        size_t len = strcspn(text + blanks, " \n");
        if (len)
            column = put_word(out, text + blanks, len, blanks, indent, column, &line_start);
        text += blanks + len;
        if (*text == '\n') { /* the writer's own line break */
            fputc('\n', out);
            text++;
            column = 0;
            line_start = true;
        }
    }
    fputc('\n', out);
}

static size_t left_text(const struct mgc_cli_option *row, char *text, size_t size)
{
    char letter[8] = "    ";
    if (row->letter)
        snprintf(letter, sizeof(letter), "-%c, ", row->letter);
    int len = snprintf(text, size, "  %s--%s%s%s", letter, row->name, row->value ? " " : "",
        row->value ? row->value : "");
    return len < 0 ? 0 : (size_t)len < size ? (size_t)len : size - 1;
}

static void put_row(FILE *out, const char *left, size_t len, size_t column, const char *help)
{
    fputs(left, out);
    if (len + GAP > column) { /* too wide: the help starts on a line of its own */
        fputc('\n', out);
        len = 0;
    }
    mgc_cli_wrap(out, help, column, len);
}

static const struct mgc_cli_option help_row[] = {
    {.name = "help", .letter = 'h', .help = "print this help"}, {0}};

static size_t rows_width(const struct mgc_cli_option *rows)
{
    char text[128];
    size_t widest = 0;
    for (; rows && rows->name; rows++) {
        size_t len = left_text(rows, text, sizeof(text));
        if (len > widest && len <= LEFT_MAX)
            widest = len;
    }
    return widest;
}

static void put_rows(FILE *out, const struct mgc_cli_option *rows, size_t column)
{
    char text[128];
    for (; rows && rows->name; rows++) {
        size_t len = left_text(rows, text, sizeof(text));
        put_row(out, text, len, column, rows->help);
    }
}

void mgc_cli_print_help(const struct mgc_cli *cli, FILE *out)
{
    fprintf(out, "Usage: %s %s\n\n", cli->program, cli->synopsis ? cli->synopsis : "");
    if (cli->summary) {
        mgc_cli_wrap(out, cli->summary, 0, 0);
        fputc('\n', out);
    }
    size_t own = rows_width(cli->options), help = rows_width(help_row);
    size_t column = (own > help ? own : help) + GAP;
    fputs("Options:\n", out);
    put_rows(out, cli->options, column);
    put_rows(out, help_row, column);
    if (cli->notes) {
        fputc('\n', out);
        mgc_cli_wrap(out, cli->notes, 0, 0);
    }
}

void mgc_cli_print_commands(
    const char *program, const char *summary, const struct mgc_cli_command *commands, FILE *out)
{
    fprintf(out, "Usage: %s COMMAND [options]\n\n", program);
    mgc_cli_wrap(out, summary, 0, 0);
    fputs("\nCommands:\n", out);
    size_t column = 0;
    for (const struct mgc_cli_command *row = commands; row->name; row++) {
        size_t len = strlen(row->name) + 2;
        column = len > column ? len : column;
    }
    column += GAP;
    for (const struct mgc_cli_command *row = commands; row->name; row++) {
        char left[128];
        snprintf(left, sizeof(left), "  %s", row->name);
        put_row(out, left, strlen(left), column, row->help);
    }
    fprintf(out, "\n'%s COMMAND --help' describes a command; '%s --version' prints the version.\n",
        program, program);
}
