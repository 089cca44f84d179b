/* The Doze whitelist: "cmd deviceidle whitelist [+PACKAGE | -PACKAGE]...". */
#include <stdio.h>
#include <string.h>

#include "lab/phone/commands/commands.h"
#include "lab/phone/control.h"
#include "lab/phone/ids.h"
#include "lab/phone/packages.h"

static void print_user_app(const uint8_t *data, size_t len, void *arg)
{
    const char *text = (const char *)data, *equals = memchr(text, '=', len);
    char name[256];
    if (!equals || (size_t)(equals - text) >= sizeof(name))
        return;
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = 0;
    const struct mgl_package *package = mgl_package_find(name);
    printf("user,%s,%u\n", name, package ? mgl_package_uid(package) : MGL_UID_SYSTEM);
}

static int change(const char *word)
{
    const char *name = word + 1;
    if (!mgl_package_find(name)) {
        fprintf(stderr, "Unknown package: %s\n", name);
        return 255;
    }
    const char *const add[] = {"put", "doze", name, "user", NULL};
    const char *const drop[] = {"delete", "doze", name, NULL};
    enum mgl_control_result result = mgl_control_call(word[0] == '+' ? add : drop, NULL, NULL);
    if (result == MGL_CONTROL_LOST)
        return MGL_EXIT_DEAD;
    if (result == MGL_CONTROL_OK)
        printf("%s: %s\n", word[0] == '+' ? "Added" : "Removed", name);
    return 0;
}

static int whitelist(int argc, char **argv)
{
    static const char *const list[] = {"list", "doze", NULL};
    if (argc == 0)
        return mgl_control_call(list, print_user_app, NULL) == MGL_CONTROL_OK ? 0 : MGL_EXIT_DEAD;
    for (int i = 0; i < argc; i++) {
        if (argv[i][0] != '+' && argv[i][0] != '-') {
            fprintf(stderr, "Package must be prefixed with +, -, or =: %s\n", argv[i]);
            return 255;
        }
        int code = change(argv[i]);
        if (code != 0)
            return code;
    }
    return 0;
}

int mgl_deviceidle(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "whitelist") == 0)
        return whitelist(argc - 2, argv + 2);
    if (argc > 1 && strcmp(argv[1], "get") == 0 && argc == 3 &&
        (strcmp(argv[2], "light") == 0 || strcmp(argv[2], "deep") == 0)) {
        puts("ACTIVE"); /* this phone never dozes */
        return 0;
    }
    fprintf(stderr, "Unknown command: %s\n", argc > 1 ? argv[1] : "null");
    return 255;
}
