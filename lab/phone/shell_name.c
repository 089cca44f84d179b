#include "lab/phone/shell.h"

#include <string.h>

/* As adbd: no command means a terminal; the old protocol always has one, in raw mode when there is
 * a command, because old hosts expect that. */
static void choose_pty(struct mgl_shell_request *request, bool said_raw, bool said_pty)
{
    if (said_pty || said_raw)
        request->pty = said_pty;
    else
        request->pty = request->command == NULL;
    if (!request->v2 && !request->exec)
        request->pty = true;
}

bool mgl_shell_parse(char *name, struct mgl_shell_request *ret_request)
{
    *ret_request = (struct mgl_shell_request){0};
    char *colon = strchr(name, ':');
    if (!colon)
        return false;
    *colon = 0;
    if (colon[1])
        ret_request->command = colon + 1;
    if (strcmp(name, "exec") == 0) {
        ret_request->exec = true;
        return ret_request->command != NULL;
    }
    bool said_raw = false, said_pty = false;
    char *rest = name;
    const char *word = strsep(&rest, ",");
    if (strcmp(word, "shell") != 0)
        return false;
    while ((word = strsep(&rest, ","))) {
        if (strcmp(word, "v2") == 0)
            ret_request->v2 = true;
        else if (strcmp(word, "raw") == 0)
            said_raw = true;
        else if (strcmp(word, "pty") == 0)
            said_pty = true;
        else if (strncmp(word, "TERM=", 5) == 0)
            ret_request->term = word + 5;
    }
    choose_pty(ret_request, said_raw, said_pty);
    return true;
}
