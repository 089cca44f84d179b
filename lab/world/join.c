#include "lab/world/join.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/world/control.h"
#include "lab/world/report.h"
#include "lab/world/spawn.h"
#include "lab/world/visitors.h"
#include "lab/world/world.h"

static int open_ns(pid_t pid, const char *kind, struct mgc_error *err)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/ns/%s", (int)pid, kind);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        mgc_error_errno(err, errno, "%s", path);
    return fd;
}

static bool is_ours(int ns_fd, const char *kind)
{
    char path[64];
    struct stat theirs, ours;
    snprintf(path, sizeof path, "/proc/self/ns/%s", kind);
    return fstat(ns_fd, &theirs) == 0 && stat(path, &ours) == 0 && theirs.st_ino == ours.st_ino;
}

static bool enter_ns(pid_t pid, const char *kind, int flag, struct mgc_error *err)
{
    int fd = open_ns(pid, kind, err);
    if (fd < 0)
        return false;
    /* Our own user namespace may not be entered again. */
    bool ok = is_ours(fd, kind) || setns(fd, flag) == 0 ||
              mgc_error_errno(err, errno, "entering the lab's %s namespace", kind);
    close(fd);
    return ok;
}

/* Root outside is nobody inside a user's lab until it takes the one user that is there. */
static bool be_root_inside(struct mgc_error *err)
{
    if (getuid() == 0)
        return true;
    return (setresgid(0, 0, 0) == 0 && setresuid(0, 0, 0) == 0) ||
           mgc_error_errno(err, errno, "becoming the lab's root");
}

static bool enter_host(int mnt_fd, enum mgc_lab_host host, struct mgc_error *err)
{
    char net[64], uts[64];
    if (setns(mnt_fd, CLONE_NEWNS) < 0)
        return mgc_error_errno(err, errno, "entering the lab's mounts");
    snprintf(net, sizeof net, "%s/%s", MGC_LAB_NETNS_DIR, mgc_lab_host_name(host));
    snprintf(uts, sizeof uts, "%s/%s", MGC_LAB_UTSNS_DIR, mgc_lab_host_name(host));
    struct mgc_lab_place place = {open(net, O_RDONLY | O_CLOEXEC), open(uts, O_RDONLY | O_CLOEXEC)};
    if (place.net_fd < 0 || place.uts_fd < 0)
        return mgc_error_errno(err, errno, "%s", net);
    return mgc_lab_enter(&place, err);
}

struct job {
    int mnt_fd;
    int go_fd; /* readable once our parent is known to live on; end of stream: it is dead */
    const char *cwd;
    enum mgc_lab_host host;
    char *const *command;
    bool interactive;
};

/* The group in front may be told so from behind, if it does not mind to be stopped for it. */
static void take_terminal(void)
{
    sighandler_t before = signal(SIGTTOU, SIG_IGN);
    setpgid(0, 0);
    tcsetpgrp(STDIN_FILENO, getpgrp());
    signal(SIGTTOU, before);
}

static void take_terminal_back(void)
{
    signal(SIGTTOU, SIG_IGN);
    tcsetpgrp(STDIN_FILENO, getpgrp());
}

static int child(const struct job *job)
{
    char go;
    struct mgc_error err = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (read(job->go_fd, &go, 1) != 1)
        return MGC_LAB_EXIT_BROKEN;
    if (!enter_host(job->mnt_fd, job->host, &err)) {
        fprintf(stderr, "mglab exec: %s\n", err.text);
        return MGC_LAB_EXIT_BROKEN;
    }
    if (chdir(job->cwd) < 0 && chdir("/") < 0)
        return MGC_LAB_EXIT_BROKEN;
    if (job->interactive && isatty(STDIN_FILENO))
        take_terminal();
    execvp(job->command[0], job->command);
    int saved = errno;
    fprintf(stderr, "mglab exec: starting %s: %s\n", job->command[0], strerror(saved));
    return saved == ENOENT ? MGC_LAB_EXIT_NOT_FOUND : MGC_LAB_EXIT_NOT_RUN;
}

static volatile sig_atomic_t command_pid;

/* The terminal's keys reach the command by themselves; its end may be told to us alone. What ended
 * us would end the command with us, by SIGKILL, so it gets the signal instead. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code != SI_KERNEL || number == SIGHUP)
        kill((pid_t)command_pid, number);
}

static int wait_for(pid_t pid)
{
    int status = 0;
    static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigaction was;
    sigemptyset(&action.sa_mask);
    command_pid = (sig_atomic_t)pid;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        bool nohup =
            numbers[i] == SIGHUP && sigaction(SIGHUP, NULL, &was) == 0 && was.sa_handler == SIG_IGN;
        if (!nohup)
            sigaction(numbers[i], &action, NULL);
    }
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return MGC_LAB_EXIT_BROKEN;
    }
    return mgc_lab_exit_code(status);
}

static int run_child(struct job *job, struct mgc_error *err)
{
    int go[2];
    if (pipe2(go, O_CLOEXEC) < 0) {
        mgc_error_errno(err, errno, "making a pipe");
        return MGC_LAB_EXIT_BROKEN;
    }
    job->go_fd = go[0];
    pid_t pid = fork();
    if (pid == 0) {
        close(go[1]);
        _exit(child(job));
    }
    int saved = errno;
    bool told = pid > 0 && write(go[1], "g", 1) == 1;
    close(go[0]);
    close(go[1]);
    if (pid < 0 || !told) { /* ENOMEM: that PID namespace has no first process any more */
        mgc_error_set(
            err, MGC_E_LOST, saved == ENOMEM ? "the lab has ended" : "fork: %s", strerror(saved));
        return MGC_LAB_EXIT_BROKEN;
    }
    int code = wait_for(pid);
    if (job->interactive && isatty(STDIN_FILENO))
        take_terminal_back();
    return code;
}

/* In a lab without namespaces; the mark tells it that somebody is there. */
static int run_here(char *const *command, struct mgc_error *err)
{
    setenv(MGC_LAB_VISITOR, "1", 1);
    execvp(command[0], command);
    int saved = errno;
    mgc_error_errno(err, saved, "starting %s", command[0]);
    return saved == ENOENT ? MGC_LAB_EXIT_NOT_FOUND : MGC_LAB_EXIT_NOT_RUN;
}

int mgc_lab_join_run(const struct mgc_lab_target *target, enum mgc_lab_host host,
    char *const *command, bool interactive, struct mgc_error *err)
{
    char cwd[MGC_LAB_PATH_MAX] = "/";
    struct job job = {.cwd = cwd, .host = host, .command = command, .interactive = interactive};
    struct mgc_buf unused = {0};
    if (getcwd(cwd, sizeof cwd) == NULL)
        strcpy(cwd, "/");
    mgc_lab_control_ask(target->control_path, "touch\n", &unused, NULL); /* a sign of use */
    mgc_buf_destroy(&unused);
    if (target->roster.loopback)
        return run_here(command, err);
    /* The user namespace first: it gives the right to enter the others. */
    if (!enter_ns(target->pid, "user", CLONE_NEWUSER, err) || !be_root_inside(err))
        return MGC_LAB_EXIT_BROKEN;
    job.mnt_fd = open_ns(target->pid, "mnt", err);
    if (job.mnt_fd < 0 || !enter_ns(target->pid, "ipc", CLONE_NEWIPC, err) ||
        !enter_ns(target->pid, "pid", CLONE_NEWPID, err))
        return MGC_LAB_EXIT_BROKEN;
    int code = run_child(&job, err);
    close(job.mnt_fd);
    return code;
}

/* Last number of the NSpid line: the process's pid in its own, innermost namespace. */
static pid_t inner_pid(pid_t pid)
{
    char path[64], line[256];
    pid_t inner = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        char *last = strrchr(line, '\t');
        if (strncmp(line, "NSpid:", 6) == 0 && last != NULL)
            inner = (pid_t)atoi(last + 1);
    }
    fclose(file);
    return inner;
}

static bool same_ns(pid_t a, pid_t b)
{
    char path[64];
    struct stat one, two;
    snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)a);
    if (stat(path, &one) < 0)
        return false;
    snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)b);
    return stat(path, &two) == 0 && one.st_ino == two.st_ino;
}

pid_t mgc_lab_join_pid(const struct mgc_lab_target *target, pid_t lab_pid)
{
    pid_t found = 0;
    if (target->inside || target->roster.loopback)
        return lab_pid;
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    while (proc != NULL && found == 0 && (entry = readdir(proc)) != NULL) {
        pid_t pid = (pid_t)atoi(entry->d_name);
        if (pid > 0 && same_ns(pid, target->pid) && inner_pid(pid) == lab_pid)
            found = pid;
    }
    if (proc != NULL)
        closedir(proc);
    return found;
}
