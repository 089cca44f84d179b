#include "coordinator/plan/value.h"

#include <ctype.h>
#include <string.h>

#include "common/base/parse.h"
#include "common/contract/backend.h"
#include "common/contract/cpu_policy.h"
#include "coordinator/plan/bench.h"

#define LOWER   "abcdefghijklmnopqrstuvwxyz"
#define UPPER   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS  "0123456789"
#define LETTERS LOWER UPPER

const char *mgc_value_kind_name(enum mgc_value_kind kind)
{
    static const char *const names[] = {
        [MGC_KIND_TEXT] = "text",
        [MGC_KIND_SECRET] = "secret text",
        [MGC_KIND_LOCAL] = "path",
        [MGC_KIND_INT] = "integer",
        [MGC_KIND_BOOL] = "true or false",
        [MGC_KIND_DURATION] = "duration",
        [MGC_KIND_TEXTS] = "list of texts",
        [MGC_KIND_INTS] = "list of integers",
    };
    return names[kind];
}

static bool all_of(const char *text, const char *allowed, size_t min, size_t max)
{
    size_t len = strlen(text);
    return len >= min && len <= max && strspn(text, allowed) == len;
}

static bool one_of(const char *text, const char *const *words)
{
    for (; *words; words++) {
        if (strcmp(text, *words) == 0)
            return true;
    }
    return false;
}

bool mgc_check_name(const char *text)
{
    return all_of(text, LOWER DIGITS "-", 1, 63) && text[0] != '-';
}

bool mgc_check_serial(const char *text)
{
    return all_of(text, LETTERS DIGITS "._:-", 1, 127) && text[0] != '-';
}

bool mgc_check_policy(const char *text)
{
    int cpu;
    return mgc_check_absolute(text) && mgc_cpu_policy_of_path(text, &cpu);
}

bool mgc_check_package(const char *text)
{
    if (!all_of(text, LETTERS DIGITS "_.", 3, 255) || !strchr(text, '.'))
        return false;
    for (const char *part = text; part; part = strchr(part, '.')) {
        part += *part == '.';
        if (!isalpha((unsigned char)*part)) /* also an empty part, and the end after a dot */
            return false;
    }
    return true;
}

bool mgc_check_ipv4(const char *text)
{
    int parts = 0;
    for (const char *at = text;; at++) {
        size_t len = strspn(at, DIGITS);
        char number[4] = {0};
        int64_t value;
        if (len < 1 || len > 3 || (len > 1 && *at == '0'))
            return false;
        memcpy(number, at, len);
        if (!mgc_parse_int(number, 0, 255, &value))
            return false;
        parts++;
        at += len;
        if (*at == '\0')
            return parts == 4;
        if (*at != '.' || parts == 4)
            return false;
    }
}

bool mgc_check_interface(const char *text)
{
    size_t len = strlen(text);
    if (len < 1 || len > 15 || strcmp(text, ".") == 0 || strcmp(text, "..") == 0)
        return false;
    for (const char *c = text; *c; c++) {
        if (!isgraph((unsigned char)*c) || *c == '/' || *c == ':')
            return false;
    }
    return true;
}

bool mgc_check_endpoint(const char *text)
{
    if (strncmp(text, "tcp://", 6) != 0)
        return false;
    const char *host = text + 6;
    const char *colon = strrchr(host, ':');
    int64_t port;
    if (!colon || colon == host || !mgc_parse_int(colon + 1, 1, 65535, &port))
        return false;
    size_t len = (size_t)(colon - host);
    return len < 100 && strspn(host, LETTERS DIGITS ".-:[]*") >= len;
}

bool mgc_check_absolute(const char *text)
{
    return text[0] == '/' && text[1] && !strchr(text, '\n');
}

bool mgc_check_route_mode(const char *text)
{
    return strcmp(text, "replace") == 0 || strcmp(text, "none") == 0;
}

bool mgc_check_role(const char *text)
{
    static const char *const words[] = {"host", "wsl", NULL};
    return one_of(text, words);
}

bool mgc_check_backend(const char *text)
{
    return mgc_backend_is_known(text);
}

static bool name_of_len(const char *text, size_t len)
{
    char name[64];
    if (len >= sizeof(name))
        return false;
    memcpy(name, text, len);
    name[len] = '\0';
    return mgc_check_name(name);
}

bool mgc_check_arm(const char *text)
{
    const char *tag = strchr(text, '@');
    size_t len = tag ? (size_t)(tag - text) : strlen(text);
    return name_of_len(text, len) && (!tag || all_of(tag + 1, LOWER DIGITS "_", 1, 31));
}

bool mgc_check_matrix_mode(const char *text)
{
    static const char *const words[] = {
        "smoke", "prep", "openra", "rd12", "all", "one", "ssimonly", NULL};
    return one_of(text, words);
}

bool mgc_check_order(const char *text)
{
    static const char *const words[] = {"fixed", "rotate", "shuffle", NULL};
    return one_of(text, words);
}

bool mgc_check_interleave(const char *text)
{
    static const char *const words[] = {"lane", "round", NULL};
    return one_of(text, words);
}

bool mgc_check_direction(const char *text)
{
    static const char *const words[] = {"up", "down", "both", NULL};
    return one_of(text, words);
}

bool mgc_check_brackets(const char *text)
{
    static const char *const words[] = {"none", "path", "link", NULL};
    return one_of(text, words);
}

bool mgc_check_host_path(const char *text)
{
    bool drive = isalpha((unsigned char)text[0]) && text[1] == ':' &&
                 (text[2] == '\\' || text[2] == '/') && text[3];
    return (drive && !strchr(text, '\n')) || mgc_check_absolute(text);
}

bool mgc_check_env_list(const char *text)
{
    for (const char *at = text; *at; at += strcspn(at, ";")) {
        at += strspn(at, ";");
        size_t name = strspn(at, LETTERS DIGITS "_");
        if (*at && (name == 0 || isdigit((unsigned char)*at) ||
                       (at[name] != '=' && at[name] != ';' && at[name])))
            return false;
    }
    return all_of(text, LETTERS DIGITS "_=;:/.,@+-", 1, 1024);
}

bool mgc_check_power(const char *text)
{
    static const char *const words[] = {"plugged", "any", NULL};
    return one_of(text, words);
}

bool mgc_check_unreadable(const char *text)
{
    static const char *const words[] = {"accept", "refuse", NULL};
    return one_of(text, words);
}

bool mgc_check_log_buffer(const char *text)
{
    size_t digits = strspn(text, DIGITS);
    return strcmp(text, "keep") == 0 ||
           (digits >= 1 && digits <= 5 && text[0] != '0' &&
               (strcmp(text + digits, "K") == 0 || strcmp(text + digits, "M") == 0));
}

bool mgc_check_clocks(const char *text)
{
    return strcmp(text, "free") == 0 || mgc_bench_clocks(text);
}

bool mgc_check_service(const char *text)
{
    return all_of(text, LETTERS DIGITS "._-", 1, 91) && text[0] != '-';
}

bool mgc_check_run(const char *text)
{
    if (strncmp(text, "ssim:", 5) == 0)
        return mgc_check_name(text + 5);
    if (strncmp(text, "bench:", 6) != 0)
        return false;
    const char *name = text + 6;
    const char *colon = strchr(name, ':');
    int64_t credit;
    return colon && name_of_len(name, (size_t)(colon - name)) &&
           mgc_parse_int(colon + 1, 1, 8, &credit);
}

bool mgc_check_attempts(const char *text)
{
    static const char *const words[] = {"keep", "drop", NULL};
    return one_of(text, words);
}

bool mgc_check_clock_time(const char *text)
{
    int64_t hour, minute;
    char number[3] = {0};
    if (strlen(text) != 5 || text[2] != ':')
        return false;
    memcpy(number, text, 2);
    return mgc_parse_int(number, 0, 23, &hour) && mgc_parse_int(text + 3, 0, 59, &minute) &&
           isdigit((unsigned char)text[0]) && isdigit((unsigned char)text[3]);
}

bool mgc_check_token(const char *text)
{
    return all_of(text, LETTERS DIGITS "._-", 16, 128);
}
