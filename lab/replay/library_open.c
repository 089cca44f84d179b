/* From the environment to an open transport, with the lines that a real library logs on the way. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "lab/replay/dump.h"
#include "lab/replay/fault.h"
#include "lab/replay/library.h"

static void note(void *user, enum mgr_level level, const char *text)
{
    mgr_log_line(&((struct mgr_context *)user)->log, level, "%s", text);
}

static const char *get_variable(const char *name)
{
    return getenv(name);
}

/* Which arm the environment asks for, as far as this library has it. */
static const struct mgr_transport_ops *choose(struct mgr_context *context)
{
    const struct mgr_env *env = &context->env;
    if (env->transport == MGR_MONOLITH || mgr_fault("client-monolith"))
        return &mgr_transport_monolith;
    if (env->transport == MGR_INPROC)
        return &mgr_transport_inproc;
    if (strcmp(env->control, "fork") == 0)
        return &mgr_transport_shm;
    if (strncmp(env->control, "tcp://", 6) == 0)
        return &mgr_transport_tcp;
    mgr_log_line(&context->log, MGR_WARN,
        "Config: MOBILEGL_TRANSPORT='spawn' names a topology (control=%.80s) that this build does "
        "not have; running monolith",
        env->control);
    return &mgr_transport_monolith;
}

static void log_transport(struct mgr_context *context, const char *topology)
{
    mgr_log_line(&context->log, MGR_INFO,
        "Config: MOBILEGL_TRANSPORT=%s - the MGPipe record stream crosses a real ring to an apply "
        "thread%s",
        topology, strcmp(topology, "spawn") == 0 ? " in ANOTHER PROCESS" : "");
}

static void log_split_config(struct mgr_context *context)
{
    if (!mgr_fault("client-no-transport-marker"))
        log_transport(context, context->ops->topology);
    /* Another credit than was asked for: what is logged is what is used. */
    if (mgr_fault("client-no-credit"))
        context->env.present_credit = context->env.present_credit % 8 + 1;
    char line[512];
    mgr_env_ipc_line(&context->env, line, sizeof(line));
    if (!mgr_fault("client-no-ipc-marker"))
        mgr_log_line(&context->log, MGR_INFO, "%s", line);
}

static void log_config(struct mgr_context *context, const char *backend)
{
    if (context->ops->split)
        log_split_config(context);
    else if (mgr_fault("client-split-marker"))
        log_transport(context, "inproc");
    if (!mgr_fault("client-no-backend-marker"))
        mgr_log_line(&context->log, MGR_INFO, "Config: Active backend type set to %s", backend);
    mgr_dump_banner(&context->log, &context->env, "client");
}

/* The backend in force; the fault client-other-backend takes the other one. */
static const char *backend_of(const struct mgr_open *open)
{
    if (!mgr_fault("client-other-backend"))
        return open->backend;
    return strcmp(open->backend, "DirectGLES") == 0 ? "DirectVulkan" : "DirectGLES";
}

static bool open_log(struct mgr_context *context, const char *base, struct mgc_error *err)
{
    char thread[16] = "";
    prctl(PR_GET_NAME, thread);
    if (!mgr_log_open(&context->log, base, ".client.log", thread, err))
        return false;
    context->log.to_logcat = strcmp(context->log.os, "Android") == 0;
    return true;
}

/* Run ahead or in lockstep, and say which. */
static void arm(struct mgr_context *context)
{
    if (!context->ops->split)
        return;
    bool served = context->ops->run_ahead(context->transport) && !mgr_fault("client-lockstep");
    context->lockstep = !context->env.run_ahead || !served;
    if (context->env.run_ahead && !served)
        mgr_log_line(&context->log, MGR_WARN,
            "MG_Remote client: run-ahead requested, server does not publish kCapRunAheadApply - "
            "running lockstep. Every batch waits for the server.");
    else if (!context->lockstep && !mgr_fault("client-not-armed"))
        mgr_log_line(&context->log, MGR_INFO,
            "MG_Remote client: run-ahead ARMED - records are published without waiting, paced by "
            "a present credit of %lld",
            (long long)context->env.present_credit);
}

struct mgr_context *mgr_library_open(const struct mgr_open *open, char *text)
{
    struct mgc_error err = {0};
    struct mgr_context *context = calloc(1, sizeof(*context));
    if (!context) {
        snprintf(text, MGR_ABI_ERROR_SIZE, "no memory for a context");
        return NULL;
    }
    /* Read once in silence: the log's own place is among the variables. */
    mgr_env_read(&context->env, get_variable, NULL, NULL);
    const char *base = context->env.log_base[0] ? context->env.log_base : open->log_base;
    if (!open_log(context, base, &err))
        goto fail;
    mgr_env_read(&context->env, get_variable, note, context);
    context->frames_planned = open->frames;
    context->ends_by_exception = open->ends_by_exception;
    context->ops = choose(context);
    const char *backend = backend_of(open);
    log_config(context, backend);
    struct mgr_terms terms = {
        &context->env, &context->log, backend, open->build, base, open->width, open->height};
    bool spawn = context->ops->split && !context->ops->one_process;
    if (!spawn || mgr_env_check_pair(&context->env, &err))
        context->transport = context->ops->open(&terms, &err);
    if (!context->transport) {
        mgr_log_line(&context->log, MGR_ERROR, "MG_Remote client: no session: %s", err.text);
        goto fail;
    }
    arm(context);
    mgr_log_line(&context->log, MGR_INFO, "MobileGL initialized");
    mgr_metrics_start(&context->metrics);
    return context;

fail:
    snprintf(text, MGR_ABI_ERROR_SIZE, "%s", err.text);
    mgr_log_close(&context->log);
    free(context);
    return NULL;
}
