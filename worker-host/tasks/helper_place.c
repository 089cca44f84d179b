#include "worker-host/tasks/helper_place.h"

#include <stdio.h>
#include <string.h>

#include "common/device/message.h"
#include "worker-host/adb/quote.h"
#include "worker-host/adb/wire.h"

void mgc_helper_places_fill(struct mgc_helper_places *ret_places, const char *packages)
{
    *ret_places = (struct mgc_helper_places){.count = 1};
    while (packages && *packages && ret_places->count <= MGC_HOST_PACKAGES_MAX) {
        size_t len = strcspn(packages, ",");
        struct mgc_helper_place_state *place = &ret_places->items[ret_places->count++];
        snprintf(place->package, sizeof(place->package), "%.*s", (int)len, packages);
        packages += len + (packages[len] == ',');
    }
}

/* "sh -c TEXT sh $@" as the shell, or as the app's user in its directory, where run-as begins. */
static bool in_place(
    struct mgc_buf *out, const char *package, const char *text, const char *const *args)
{
    const char *argv[12];
    size_t count = 0;
    if (package[0]) {
        argv[count++] = "run-as";
        argv[count++] = package;
    }
    argv[count++] = "sh";
    argv[count++] = "-c";
    argv[count++] = text;
    argv[count++] = "sh";
    argv[count++] = package[0] ? package : "-";
    while (*args && count < sizeof(argv) / sizeof(argv[0]) - 1)
        argv[count++] = *args++;
    argv[count] = NULL;
    return mgc_adb_quote_all(out, argv);
}

/* $1 package or "-"; further arguments names. Where the shell's user stands is told by "-". */
#define GO_THERE "[ \"$1\" != - ] || cd " MGC_HELPER_SHELL_DIR "\n"

static const char look_text[] =
    GO_THERE "p=$1; shift\n"
             "for n; do\n"
             "  [ -f \"$n\" ] && h=$(sha256sum <\"$n\") && echo \"mgc:has $p $n ${h%% *}\"\n"
             "done\n"
             "exit 0\n";

bool mgc_helper_look_script(struct mgc_buf *out, const struct mgc_helper_places *places,
    const struct mgc_helper_programs *programs)
{
    const char *names[MGC_HELPER_PROGRAMS_MAX + 1] = {0};
    for (size_t i = 0; i < programs->count; i++)
        names[i] = programs->items[i].name;
    bool ok = mgc_buf_puts(out, "echo mgc:abi $(getprop ro.product.cpu.abi)\n");
    for (size_t i = 0; ok && i < places->count; i++)
        ok = in_place(out, places->items[i].package, look_text, names) && mgc_buf_puts(out, "\n");
    return ok && mgc_buf_puts(out, "exit 0\n");
}

static struct mgc_helper_place_state *find(struct mgc_helper_places *places, const char *package)
{
    for (size_t i = 0; i < places->count; i++)
        if (strcmp(places->items[i].package, strcmp(package, "-") == 0 ? "" : package) == 0)
            return &places->items[i];
    return NULL;
}

/* One line, without its end. */
static const char *next_line(const char *text, char *ret_line, size_t size)
{
    size_t len = strcspn(text, "\r\n");
    snprintf(ret_line, size, "%.*s", (int)len, text);
    text += len;
    return text + strspn(text, "\r\n");
}

void mgc_helper_look_read(struct mgc_helper_places *places, const char *text,
    const struct mgc_helper_programs *programs, const char *abi)
{
    char line[512], package[256], name[64], sha256[MGC_SHA256_HEX_SIZE];
    while (*text) {
        text = next_line(text, line, sizeof(line));
        sscanf(line, "mgc:abi %31s", places->abi);
        if (sscanf(line, "mgc:has %255s %63s %64s", package, name, sha256) != 3)
            continue;
        struct mgc_helper_place_state *place = find(places, package);
        for (size_t i = 0; place && abi && i < programs->count; i++)
            place->there |= strcmp(programs->items[i].abi, abi) == 0 &&
                            strcmp(programs->items[i].name, name) == 0 &&
                            strcmp(programs->items[i].sha256, sha256) == 0;
    }
}

/* The file comes through a pipe: an app's user may not read /data/local/tmp on every Android. It is
 * read to its end in any case, so that the one who writes does not fail. */
static const char install_text[] =
    GO_THERE "n=$2\n"
             "same() { h=$(sha256sum <\"$1\" 2>/dev/null) && [ \"${h%% *}\" = \"$3\" ]; }\n"
             "if same \"$n\" - \"$3\"; then cat >/dev/null; else\n"
             "  cat >\"$n.part\" && chmod 700 \"$n.part\" && same \"$n.part\" - \"$3\" &&\n"
             "    mv -f \"$n.part\" \"$n\" ||\n"
             "    { rm -f \"$n.part\"; echo \"mgc:runs $1 copy failed\"; exit 0; }\n"
             "fi\n"
             "echo \"mgc:runs $1 $(\"./$n\" --version 2>&1)\"\n";

bool mgc_helper_install_script(struct mgc_buf *out, const struct mgc_helper_places *places,
    const struct mgc_helper_program *program)
{
    const char *const args[] = {program->name, program->sha256, NULL};
    bool ok = mgc_buf_printf(out, "f=" MGC_HELPER_SHELL_DIR "/%s\n", program->name);
    for (size_t i = 0; ok && i < places->count; i++) {
        const char *package = places->items[i].package;
        ok = mgc_buf_puts(out, "w=$(cat \"$f\" | ") && in_place(out, package, install_text, args) &&
             mgc_buf_puts(out, " 2>&1)\n") &&
             mgc_buf_printf(out,
                 "case $w in *'mgc:runs '*) echo \"$w\";; *) echo \"mgc:runs %s $w\";; esac\n",
                 package[0] ? package : "-");
    }
    return ok && mgc_buf_puts(out, "exit 0\n");
}

void mgc_helper_install_read(struct mgc_helper_places *places, const char *text)
{
    char line[512], package[256], expected[80];
    int at;
    snprintf(expected, sizeof(expected), "mgdevice %s, device protocol %d", MGC_VERSION,
        MGC_DEVICE_PROTOCOL);
    while (*text) {
        text = next_line(text, line, sizeof(line));
        if (sscanf(line, "mgc:runs %255s %n", package, &at) != 1)
            continue;
        struct mgc_helper_place_state *place = find(places, package);
        if (!place)
            continue;
        place->runs = strcmp(line + at, expected) == 0;
        mgc_adb_wire_shown(line + at, place->said, sizeof(place->said));
    }
}

/* Where run-as does not know the package any more, its directory is gone, too; where it refuses one
 * that is not debuggable, nothing was put there, or nobody can take it away any more. */
bool mgc_helper_remove_script(
    struct mgc_buf *out, const char *name, bool shell, const char *packages)
{
    struct mgc_helper_places places;
    mgc_helper_places_fill(&places, packages);
    mgc_buf_puts(out, "n=");
    mgc_adb_quote(out, name);
    mgc_buf_puts(out, "\nbad=\n");
    if (shell)
        mgc_buf_puts(out, "rm -f " MGC_HELPER_SHELL_DIR "/$n 2>&1 || bad=\"$bad shell\"\n");
    for (size_t i = 1; i < places.count; i++) {
        mgc_buf_puts(out, "w=$(run-as ");
        mgc_adb_quote(out, places.items[i].package);
        mgc_buf_printf(out,
            " rm -f \"$n\" \"$n.part\" 2>&1) || case $w in *'unknown package'*|*'not debuggable'*) "
            ";; "
            "*) bad=\"$bad %s: $w\";; esac\n",
            places.items[i].package);
    }
    return mgc_buf_puts(out, "[ -z \"$bad\" ] || { echo \"$bad\" >&2; exit 89; }\n");
}
