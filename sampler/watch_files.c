#include "sampler/watch.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "sampler/path.h"

enum {
    IN_DIR = IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF |
             IN_MOVE_SELF | IN_ONLYDIR,
    ON_THE_WAY = IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB | IN_ONLYDIR,
};

static bool wanted(const struct mgd_files *files, const char *name)
{
    for (size_t i = 0; i < files->name_count; i++)
        if (strcmp(files->names[i], name) == 0)
            return true;
    return files->name_count == 0;
}

static void tell(struct mgd_files *files, enum mgc_device_file_what what, const char *name)
{
    char path[MGD_PATH_MAX];
    struct stat st;
    struct mgc_device_file file = {.what = (uint16_t)what,
        .name = name,
        .size_bytes = -1,
        .mtime_ns = -1,
        .inode = -1,
        .mono_ns = mgc_mono_ns()};
    bool look = what != MGC_DEVICE_FILE_GONE && what != MGC_DEVICE_FILE_LOST;
    if (look && mgd_path_join(path, sizeof(path), files->dir, name) && lstat(path, &st) == 0) {
        file.size_bytes = st.st_size;
        file.mtime_ns = st.st_mtim.tv_sec * MGC_NS_PER_S + st.st_mtim.tv_nsec;
        file.inode = (int64_t)st.st_ino;
    }
    mgd_send(files->session,
        &(struct mgc_device_msg){.type = MGC_DEVICE_FILE, .id = files->id, .file = file});
}

static void tell_all(struct mgd_files *files)
{
    DIR *dir = opendir(files->dir);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            wanted(files, entry->d_name))
            tell(files, MGC_DEVICE_FILE_FOUND, entry->d_name);
    if (dir)
        closedir(dir);
}

static bool watch_at(struct mgd_files *files, const char *path, uint32_t mask)
{
    int at = inotify_add_watch(files->notify, path, mask);
    if (at < 0)
        return false;
    if (files->at >= 0 && files->at != at)
        inotify_rm_watch(files->notify, files->at);
    files->at = at;
    return true;
}

/* The nearest directory above that is there. What happens between a failed look at dir and this
 * watch is not seen, so look again after it: each step down needs one more round at most. */
static void find_dir(struct mgd_files *files)
{
    char path[MGD_PATH_MAX], last[MGD_PATH_MAX] = "";
    files->there = false;
    for (;;) {
        if (watch_at(files, files->dir, IN_DIR)) {
            files->there = true;
            tell_all(files);
            return;
        }
        files->errnum = errno;
        strcpy(path, files->dir);
        bool found = false;
        while (!found && path[1]) {
            char *slash = strrchr(path, '/');
            slash[slash == path ? 1 : 0] = '\0';
            found = watch_at(files, path, ON_THE_WAY);
        }
        if (!found || strcmp(path, last) == 0)
            return;
        strcpy(last, path);
    }
}

static void on_event(struct mgd_files *files, const struct inotify_event *event)
{
    static const struct {
        uint32_t mask;
        enum mgc_device_file_what what;
    } whats[] = {{IN_CREATE, MGC_DEVICE_FILE_CREATED}, {IN_CLOSE_WRITE, MGC_DEVICE_FILE_WRITTEN},
        {IN_MOVED_TO, MGC_DEVICE_FILE_REPLACED}, {IN_DELETE | IN_MOVED_FROM, MGC_DEVICE_FILE_GONE}};
    if (event->wd != files->at)
        return; /* of a watch on the way that is over */
    if (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) {
        if (files->there)
            tell(files, MGC_DEVICE_FILE_GONE, "");
        if (event->mask & IN_IGNORED || !(event->mask & IN_MOVE_SELF))
            files->at = -1;
        find_dir(files);
        return;
    }
    if (!files->there) {
        find_dir(files);
        return;
    }
    if (event->len == 0 || !wanted(files, event->name))
        return;
    for (size_t i = 0; i < sizeof(whats) / sizeof(whats[0]); i++)
        if (event->mask & whats[i].mask)
            tell(files, whats[i].what, event->name);
}

void mgd_files_ready(struct mgd_files *files)
{
    _Alignas(struct inotify_event) char data[16384];
    ssize_t len = read(files->notify, data, sizeof(data));
    for (ssize_t at = 0; at < len;) {
        const struct inotify_event *event = (const struct inotify_event *)(const void *)(data + at);
        at += (ssize_t)(sizeof(*event) + event->len);
        if (event->mask & IN_Q_OVERFLOW) {
            tell(files, MGC_DEVICE_FILE_LOST, "");
            find_dir(files);
        } else {
            on_event(files, event);
        }
    }
}

static bool copy_names(struct mgd_files *files, const struct mgc_device_list *names)
{
    const char *name = NULL;
    if (names->count == 0)
        return true;
    files->names = calloc(names->count, sizeof(*files->names));
    while (files->names && (name = mgc_device_list_next(names, name)))
        if (!(files->names[files->name_count++] = strdup(name)))
            return false;
    return files->names;
}

bool mgd_files_open(struct mgd_files *files, struct mgd_session *session, uint32_t id,
    const char *dir, const struct mgc_device_list *names)
{
    *files = (struct mgd_files){.session = session, .id = id, .notify = -1, .at = -1};
    if (!dir[0])
        return true;
    files->dir = strdup(dir);
    if (!files->dir || !copy_names(files, names))
        return false;
    files->notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (files->notify < 0)
        return false;
    find_dir(files);
    /* What is not there yet is waited for; what may not be looked at would be waited for in vain.
     */
    if (!files->there && files->errnum != ENOENT) {
        errno = files->errnum;
        return false;
    }
    return true;
}

void mgd_files_close(struct mgd_files *files)
{
    if (files->notify >= 0)
        close(files->notify);
    for (size_t i = 0; i < files->name_count; i++)
        free(files->names[i]);
    free(files->names);
    free(files->dir);
    *files = (struct mgd_files){.notify = -1};
}
