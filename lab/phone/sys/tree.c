#include "lab/phone/sys/tree.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/phone/mounts.h"
#include "lab/phone/sys/nodes.h"
#include "lab/phone/sys/state.h"

enum { PATH_SIZE = MGL_NODE_PATH_MAX + 8 };

static bool make_parent(const char *path, struct mgc_error *err)
{
    char parent[PATH_SIZE];
    size_t len = (size_t)(strrchr(path, '/') - path);
    assert(len < sizeof(parent));
    memcpy(parent, path, len);
    parent[len] = '\0';
    return mgl_make_dir(parent, 0755, err);
}

/* The shell reads what others may read; root and system read the rest. */
static bool make_node(const struct mgl_node *node, struct mgc_error *err)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "sys/%.*s", MGL_NODE_PATH_MAX, node->path);
    if (!make_parent(path, err) || !mgl_make_file(path, NULL, 0, 0600, err))
        return false;
    if (chmod(path, node->mode) != 0)
        return mgc_error_errno(err, errno, "set the mode of '%s'", path);
    return true;
}

static bool make_link(const struct mgl_node_link *link, struct mgc_error *err)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "sys/%s", link->path);
    return make_parent(path, err) && mgl_make_link(link->target, path, err);
}

bool mgl_sys_tree_make(struct mgc_error *err)
{
    static struct mgl_node nodes[MGL_NODES_MAX];
    size_t count = mgl_nodes_list(nodes);
    bool ok =
        mgl_make_dir("sys", 0755, err) &&
        mgl_mount("tmpfs", "sys", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=755", err) &&
        mgl_make_owned_dir(&MGL_SYS_HIDDEN[1], 0700, MGL_ROOT, err);
    for (size_t i = 0; ok && i < count; i++)
        ok = make_node(&nodes[i], err);
    for (const struct mgl_node_link *link = mgl_node_links; ok && link->path; link++)
        ok = make_link(link, err);
    return ok;
}
