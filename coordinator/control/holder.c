#include "coordinator/control/holder.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/parse.h"
#include "common/plat/file.h"
#include "coordinator/store/run_dir.h"

enum { PROC_NET_MAX = 4 * 1024 * 1024, TCP_LISTEN = 0x0a, LINK_MAX = MGC_PATH_MAX };

/* "  0: 0100007F:9EFC 00000000:0000 0A 00000000:00000000 00:00000000 00000000  0  0 12345 ..." */
static bool line_listens(const char *line, unsigned port, uint64_t *ret_inode)
{
    unsigned local, state;
    uint64_t inode;
    int got = sscanf(line,
        " %*[0-9]: %*[0-9A-Fa-f]:%4x %*[0-9A-Fa-f]:%*4x %2x %*s %*s %*s %*s %*s %" SCNu64, &local,
        &state, &inode);
    if (got != 3 || local != port || state != TCP_LISTEN || inode == 0)
        return false;
    *ret_inode = inode;
    return true;
}

bool mgc_holder_inode(const char *text, unsigned port, uint64_t *ret_inode)
{
    while (text && *text) {
        if (line_listens(text, port, ret_inode))
            return true;
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return false;
}

static bool find_inode(unsigned port, uint64_t *ret_inode)
{
    static const char *const tables[] = {"/proc/self/net/tcp", "/proc/self/net/tcp6"};
    bool found = false;
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && !found; i++) {
        struct mgc_buf text = {0};
        found = mgc_file_read(tables[i], PROC_NET_MAX, &text, NULL) &&
                mgc_holder_inode(mgc_buf_text(&text), port, ret_inode);
        mgc_buf_destroy(&text);
    }
    return found;
}

/* ---- the process ---- */

struct holder {
    int64_t pid;
    bool holds;               /* the socket is among its descriptors */
    struct mgc_run_note note; /* of the lock file among them */
};

static void look_at(struct holder *holder, const char *fd, const char *socket)
{
    char path[64 + 256], target[LINK_MAX];
    snprintf(path, sizeof(path), "/proc/%" PRId64 "/fd/%.200s", holder->pid, fd);
    ssize_t len = readlink(path, target, sizeof(target) - 1);
    if (len <= 0)
        return;
    target[len] = '\0';
    if (strcmp(target, socket) == 0)
        holder->holds = true;
    else if (strcmp(mgc_path_base(target), MGC_RUN_LOCK) == 0)
        mgc_run_note_read(path, &holder->note);
}

static bool process_holds(struct holder *holder, const char *socket)
{
    char path[64];
    struct mgc_dir_names fds = {0};
    snprintf(path, sizeof(path), "/proc/%" PRId64 "/fd", holder->pid);
    if (!mgc_dir_list(path, &fds, NULL))
        return false;
    for (size_t i = 0; i < fds.count; i++)
        look_at(holder, fds.names[i], socket);
    mgc_dir_names_destroy(&fds);
    return holder->holds;
}

static bool find_process(uint64_t inode, struct holder *ret_holder)
{
    char socket[48];
    struct mgc_dir_names names = {0};
    bool found = false;
    snprintf(socket, sizeof(socket), "socket:[%" PRIu64 "]", inode);
    if (!mgc_dir_list("/proc", &names, NULL))
        return false;
    for (size_t i = 0; i < names.count && !found; i++) {
        struct holder holder = {0};
        found = mgc_parse_int(names.names[i], 1, INT32_MAX, &holder.pid) &&
                process_holds(&holder, socket);
        if (found)
            *ret_holder = holder;
    }
    mgc_dir_names_destroy(&names);
    return found;
}

static void program_of(int64_t pid, char *ret_name, size_t size)
{
    char path[64];
    struct mgc_buf text = {0};
    snprintf(path, sizeof(path), "/proc/%" PRId64 "/comm", pid);
    bool known = mgc_file_read(path, 256, &text, NULL) && text.len > 1;
    snprintf(ret_name, size, "%.*s", known ? (int)strcspn(text.data, "\n") : 7,
        known ? text.data : "unknown");
    mgc_buf_destroy(&text);
}

void mgc_holder_explain(const char *endpoint, struct mgc_error *err)
{
    const char *colon = strrchr(endpoint, ':');
    int64_t port;
    uint64_t inode;
    struct holder holder;
    char who[MGC_RUN_ID_SIZE + 64], program[64];
    if (!err || err->code != MGC_E_BUSY || !colon || !mgc_parse_int(colon + 1, 1, 65535, &port) ||
        !find_inode((unsigned)port, &inode) || !find_process(inode, &holder))
        return;
    if (holder.note.run_id[0]) {
        mgc_run_note_name(&holder.note, who, sizeof(who));
        mgc_error_set(err, MGC_E_BUSY,
            "'%s' is in use by %s: wait for its end, or end it with `mgcoord cancel`", endpoint,
            who);
        return;
    }
    program_of(holder.pid, program, sizeof(program));
    mgc_error_set(err, MGC_E_BUSY,
        "'%s' is in use by process %" PRId64 " (%s): end it, or set another `bind` in the site",
        endpoint, holder.pid, program);
}

void mgc_holder_where(char *ret_text, size_t size)
{
    char host[65] = "an unknown host";
    gethostname(host, sizeof(host) - 1);
    snprintf(ret_text, size, "%s, process %d", host, (int)getpid());
}
