/* The environment of processes on the phone. */
#ifndef MGC_LAB_PHONE_ENV_H
#define MGC_LAB_PHONE_ENV_H

enum { MGL_ENV_MAX = 32 };

#define MGL_PATH "/system/bin:/system/xbin"

/* Fill env (MGL_ENV_MAX entries, NULL-ended) with what adbd gives a shell, plus `extra` (NULL-ended
 * "K=V" list, borrowed). */
void mgl_env_shell(const char **env, const char *const *extra);

#endif
