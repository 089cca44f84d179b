/* The link of a real helper: one shell stream of the adb server. */
#include <stdio.h>
#include <stdlib.h>

#include "worker-host/adb/quote.h"
#include "worker-host/helper/link.h"
#include "worker-host/helper/program.h"

static bool link_send(void *self, const void *data, size_t len, const struct mgc_adb_wait *wait,
    struct mgc_error *err)
{
    return mgc_adb_shell_send(self, data, len, wait, err);
}

static bool link_next(void *self, struct mgc_adb_shell_piece *ret_piece,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    return mgc_adb_shell_next(self, ret_piece, wait, err);
}

static bool link_buffered(const void *self)
{
    return mgc_adb_shell_buffered(self);
}

static mgc_socket link_socket(const void *self)
{
    const struct mgc_adb_shell *shell = self;
    return shell->conn.socket;
}

static void link_close(void *self)
{
    mgc_adb_shell_close(self);
    free(self);
}

/* The first of the names that is there, in the directory that $1 is; the shell becomes it, so that
 * adbd's end of the stream is the program's. */
static const char start_text[] = "cd \"$1\" && shift || exit 1\n"
                                 "for n; do [ -x \"$n\" ] && exec \"./$n\"; done\n"
                                 "exit 66\n"; /* MGC_HELPER_EXIT_NONE */

static bool quote_start(struct mgc_buf *out, const char *package, const char *dir)
{
    struct mgc_helper_programs *programs = calloc(1, sizeof(*programs));
    const char *argv[8 + MGC_HELPER_PROGRAMS_MAX];
    size_t count = 0;
    if (!programs)
        return false;
    mgc_helper_programs_find(programs);
    if (package) {
        argv[count++] = "run-as";
        argv[count++] = package;
    }
    argv[count++] = "sh";
    argv[count++] = "-c";
    argv[count++] = start_text;
    argv[count++] = "sh";
    argv[count++] = dir;
    for (size_t i = 0; i < programs->count; i++)
        argv[count++] = programs->items[i].name;
    argv[count] = NULL;
    bool ok = mgc_adb_quote_all(out, argv);
    free(programs);
    return ok;
}

static bool make_command(
    struct mgc_buf *out, const struct mgc_helper_place *place, struct mgc_error *err)
{
    const char *const as_app[] = {"run-as", place->package, place->program, NULL};
    const char *const as_shell[] = {place->program, NULL};
    char dir[300];
    if ((place->package && !mgc_adb_check_package(place->package, err)) ||
        (place->program && !mgc_adb_check_path(place->program, err)))
        return false;
    snprintf(dir, sizeof(dir), "%s%s%s",
        place->package ? MGC_HELPER_APPS_DIR : MGC_HELPER_SHELL_DIR, place->package ? "/" : "",
        place->package ? place->package : "");
    bool ok = mgc_buf_puts(out, "exec ") &&
              (place->program ? mgc_adb_quote_all(out, place->package ? as_app : as_shell)
                              : quote_start(out, place->package, dir));
    return ok || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a command");
}

struct mgc_helper *mgc_helper_open(struct mgc_adb *adb, const struct mgc_helper_place *place,
    const struct mgc_adb_wait *wait, struct mgc_error *err)
{
    char who[160], program[400];
    struct mgc_buf command = {0};
    struct mgc_adb_shell *shell = calloc(1, sizeof(*shell));
    bool ok = shell || mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a helper");
    ok = ok && make_command(&command, place, err) &&
         mgc_adb_shell_open(shell, adb, place->serial, mgc_buf_text(&command), wait, err);
    mgc_buf_destroy(&command);
    if (!ok) {
        free(shell);
        return NULL;
    }
    struct mgc_helper_link link = {.self = shell,
        .send = link_send,
        .next = link_next,
        .buffered = link_buffered,
        .socket = link_socket,
        .close = link_close};
    snprintf(who, sizeof(who), "device %s", place->serial);
    snprintf(program, sizeof(program), "%s as %s", place->program ? place->program : "mgdevice",
        place->package ? place->package : "shell");
    return mgc_helper_new(&link, who, program, wait, err);
}
