/* The name of a cpufreq policy in device-state.csv and in a plan's pins: "cpuN", N being the number
 * in its directory's name (/sys/devices/system/cpu/cpufreq/policyN, Linux
 * Documentation/admin-guide/pm/cpufreq.rst: its first CPU). Who writes the columns and who looks
 * for them both ask here. Any thread.
 */
#ifndef MGC_CONTRACT_CPU_POLICY_H
#define MGC_CONTRACT_CPU_POLICY_H

#include <stdbool.h>
#include <stddef.h>

enum { MGC_CPU_NAME_MAX = 16 }; /* with its end */

/* "cpu7" */
void mgc_cpu_policy_name(int cpu, char ret_name[MGC_CPU_NAME_MAX]);
/* "cpu7_max_khz" of "cpu7" and "max_khz"; cut at `size`. */
void mgc_cpu_policy_column(const char *name, const char *what, char *ret_column, size_t size);
/* False: the path does not end in a policy's directory. */
bool mgc_cpu_policy_of_path(const char *path, int *ret_cpu);

#endif
