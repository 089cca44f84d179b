#include "worker-host/tasks/stop_guard.h"

/* The whole group is ended, since `am` may be a script whose child does it; the pid with its start
 * time says that the number is still that process. Builtins of mksh and applets of toybox only. */
bool mgc_stop_guard_script(struct mgc_buf *out)
{
    return mgc_buf_puts(out,
        "mgc_stat() {\n" /* mgc_g: process group, mgc_b: start time; empty when it is gone */
        "  mgc_s=; read -r mgc_s 2>/dev/null </proc/$1/stat\n"
        "  mgc_s=${mgc_s##*) }; set -- $mgc_s; mgc_g=$3 mgc_b=${20}\n"
        "}\n"
        "mgc_f=" MGC_STOP_GUARD_FILE "\n"
        "if [ -e $mgc_f ] && read -r mgc_p mgc_t <$mgc_f; then\n"
        "  mgc_stat \"$mgc_p\"\n"
        "  [ -z \"$mgc_t\" ] || [ \"$mgc_b\" != \"$mgc_t\" ] || [ \"$mgc_g\" = $$ ] ||\n"
        "    kill -9 -- -$mgc_g\n"
        "fi\n"
        "mgc_stop() {\n"
        "  am force-stop \"$1\" >&2 &\n"
        "  mgc_p=$!; mgc_stat $mgc_p\n"
        "  { echo \"$mgc_p $mgc_b\" >$mgc_f; } 2>/dev/null\n"
        "  wait $mgc_p; mgc_r=$?\n"
        "  rm -f $mgc_f\n"
        "  return $mgc_r\n"
        "}\n"
        "mgc_alive() {\n" /* neither gone nor a zombie */
        "  mgc_s=; read -r mgc_s 2>/dev/null </proc/$1/stat\n"
        "  case ${mgc_s##*) } in [ZX]*|'') return 1;; esac\n"
        "}\n"
        /* There is no event for the end of somebody else's process. */
        "mgc_gone() {\n"
        "  mgc_i=0\n"
        "  while :; do\n"
        "    left=; mgc_left \"$@\"\n"
        "    [ -z \"$left\" ] && return 0\n"
        "    mgc_i=$((mgc_i+1)); [ $mgc_i -lt 50 ] || break\n"
        "    sleep 0.1\n"
        "  done\n"
        "  echo \"mgc-left$left\" >&2\n"
        "  exit 92\n"
        "}\n");
}
