#include "common/contract/cpu_policy.h"

#include <stdio.h>
#include <string.h>

#include "common/base/parse.h"

void mgc_cpu_policy_name(int cpu, char ret_name[MGC_CPU_NAME_MAX])
{
    snprintf(ret_name, MGC_CPU_NAME_MAX, "cpu%d", cpu);
}

void mgc_cpu_policy_column(const char *name, const char *what, char *ret_column, size_t size)
{
    snprintf(ret_column, size, "%s_%s", name, what);
}

bool mgc_cpu_policy_of_path(const char *path, int *ret_cpu)
{
    static const char directory[] = "policy";
    const char *last = strrchr(path, '/');
    int64_t cpu;
    last = last ? last + 1 : path;
    if (strncmp(last, directory, sizeof(directory) - 1) != 0 ||
        !mgc_parse_int(last + sizeof(directory) - 1, 0, 1023, &cpu))
        return false;
    *ret_cpu = (int)cpu;
    return true;
}
