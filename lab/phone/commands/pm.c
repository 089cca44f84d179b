/* pm: what is installed. */
#include <stdio.h>
#include <string.h>

#include "lab/phone/commands/commands.h"
#include "lab/phone/ids.h"
#include "lab/phone/packages.h"

static int list_packages(int argc, char **argv)
{
    const char *filter = "";
    bool third_party = false, system = false, uids = false;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "-3") == 0)
            third_party = true;
        else if (strcmp(argv[i], "-s") == 0)
            system = true;
        else if (strcmp(argv[i], "-U") == 0)
            uids = true;
        else if (argv[i][0] != '-')
            filter = argv[i];
        else {
            fprintf(stderr, "Error: Unknown option: %s\n", argv[i]);
            return 255;
        }
    }
    for (const struct mgl_package *package = mgl_packages; package->name; package++) {
        if ((third_party && !mgl_package_is_app(package)) ||
            (system && mgl_package_is_app(package)) || !strstr(package->name, filter))
            continue;
        printf("package:%s", package->name);
        if (uids)
            printf(" uid:%u", mgl_package_uid(package));
        putchar('\n');
    }
    return 0;
}

static int path(const char *name)
{
    const struct mgl_package *package = mgl_package_find(name);
    if (!package || !mgl_package_is_app(package))
        return 1; /* Android says nothing either */
    printf("package:/data/app/%s/base.apk\n", name);
    return 0;
}

int mgl_command_pm(int argc, char **argv)
{
    if (argc >= 3 && strcmp(argv[1], "list") == 0 && strcmp(argv[2], "packages") == 0)
        return list_packages(argc - 3, argv + 3);
    if (argc == 3 && strcmp(argv[1], "path") == 0)
        return path(argv[2]);
    if (argc == 3 && strcmp(argv[1], "list") == 0)
        fprintf(stderr, "Error: unknown list type '%s'\n", argv[2]);
    else
        fprintf(stderr, "Unknown command: %s\n", argc > 1 ? argv[1] : "null");
    return 255;
}
