/* getprop and setprop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/phone/commands/commands.h"
#include "lab/phone/control.h"

struct lines {
    char **items;
    size_t count;
};

/* "key=value" as "[key]: [value]"; a key holds no '='. */
static void take_line(const uint8_t *data, size_t len, void *arg)
{
    struct lines *lines = arg;
    const char *text = (const char *)data, *equals = memchr(text, '=', len);
    if (!equals)
        return;
    char **items = realloc(lines->items, (lines->count + 1) * sizeof(*items));
    if (!items)
        return;
    lines->items = items;
    if (asprintf(&items[lines->count], "[%.*s]: [%.*s]", (int)(equals - text), text,
            (int)(len - (size_t)(equals + 1 - text)), equals + 1) >= 0)
        lines->count++;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int print_all(void)
{
    static const char *const words[] = {"list", "prop", NULL};
    struct lines lines = {0};
    enum mgl_control_result result = mgl_control_call(words, take_line, &lines);
    if (lines.count)
        qsort(lines.items, lines.count, sizeof(*lines.items), compare);
    for (size_t i = 0; i < lines.count; i++) {
        puts(lines.items[i]);
        free(lines.items[i]);
    }
    free(lines.items);
    return result == MGL_CONTROL_OK ? 0 : MGL_EXIT_DEAD;
}

int mgl_command_getprop(int argc, char **argv)
{
    if (argc < 2)
        return print_all();
    char value[4096];
    const char *const words[] = {"get", "prop", argv[1], NULL};
    enum mgl_control_result result = mgl_control_get(words, value, sizeof(value));
    if (result == MGL_CONTROL_LOST)
        return MGL_EXIT_DEAD;
    puts(result == MGL_CONTROL_OK ? value : argc > 2 ? argv[2] : "");
    return 0;
}

int mgl_command_setprop(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: setprop NAME VALUE\n", stderr);
        return 1;
    }
    const char *const words[] = {"put", "prop", argv[1], argv[2], NULL};
    enum mgl_control_result result = mgl_control_call(words, NULL, NULL);
    if (result == MGL_CONTROL_OK)
        return 0;
    fprintf(stderr, "Failed to set property '%s' to '%s'.\nSee dmesg for error reason.\n", argv[1],
        argv[2]);
    return 1;
}
