/* settings: the tables global, system and secure. */
#include <stdio.h>
#include <string.h>

#include "lab/phone/commands/commands.h"
#include "lab/phone/control.h"

static int usage(const char *what, const char *value)
{
    fprintf(stderr, "%s%s\n", what, value);
    return 255;
}

static void print_line(const uint8_t *data, size_t len, void *arg)
{
    printf("%.*s\n", (int)len, (const char *)data);
}

static int get(const char *table, const char *key)
{
    char value[4096];
    const char *const words[] = {"get", table, key, NULL};
    enum mgl_control_result result = mgl_control_get(words, value, sizeof(value));
    if (result == MGL_CONTROL_LOST)
        return MGL_EXIT_DEAD;
    puts(result == MGL_CONTROL_OK ? value : "null");
    return 0;
}

static int put(const char *table, const char *key, const char *value)
{
    const char *const words[] = {"put", table, key, value, NULL};
    switch (mgl_control_call(words, NULL, NULL)) {
    case MGL_CONTROL_OK:
        return 0;
    case MGL_CONTROL_LOST:
        return MGL_EXIT_DEAD;
    default:
        return usage("java.lang.SecurityException: Permission denial, must have one of: "
                     "[android.permission.WRITE_SECURE_SETTINGS]",
            "");
    }
}

static int delete_key(const char *table, const char *key)
{
    const char *const words[] = {"delete", table, key, NULL};
    enum mgl_control_result result = mgl_control_call(words, NULL, NULL);
    if (result == MGL_CONTROL_LOST)
        return MGL_EXIT_DEAD;
    printf("Deleted %d rows\n", result == MGL_CONTROL_OK);
    return 0;
}

static int list(const char *table)
{
    const char *const words[] = {"list", table, NULL};
    return mgl_control_call(words, print_line, NULL) == MGL_CONTROL_OK ? 0 : MGL_EXIT_DEAD;
}

int mgl_command_settings(int argc, char **argv)
{
    /* "--user 0" may stand before the verb. */
    if (argc > 3 && strcmp(argv[1], "--user") == 0) {
        argv += 2;
        argc -= 2;
    }
    if (argc < 3)
        return usage("Settings provider (settings) commands: get, put, delete, list", "");
    const char *verb = argv[1], *table = argv[2];
    if (strcmp(table, "global") != 0 && strcmp(table, "system") != 0 &&
        strcmp(table, "secure") != 0)
        return usage("Invalid namespace: ", table);
    if (strcmp(verb, "get") == 0 && argc == 4)
        return get(table, argv[3]);
    if (strcmp(verb, "put") == 0 && argc == 5)
        return put(table, argv[3], argv[4]);
    if (strcmp(verb, "delete") == 0 && argc == 4)
        return delete_key(table, argv[3]);
    if (strcmp(verb, "list") == 0 && argc == 3)
        return list(table);
    return usage("Bad arguments or unknown command: ", verb);
}
