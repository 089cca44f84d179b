#include "lab/world/roster.h"

#include <stdio.h>
#include <string.h>

#include "common/base/path.h"
#include "lab/world/hosts.h"
#include "lab/world/world.h"

enum { BUS_PORT_OF_SEVERAL = 20700, SINK_OFFSET = 100, FIRST_USB = 2, FIRST_WLAN = 181 };

bool mgc_lab_roster_check(const struct mgc_lab_roster *roster, struct mgc_error *err)
{
    if (roster->phones < 1 || roster->phones > MGC_LAB_PHONES_MAX)
        return mgc_error_set(
            err, MGC_E_USAGE, "--phones %d: expected 1 to %d", roster->phones, MGC_LAB_PHONES_MAX);
    if (roster->pairs < 1 || roster->pairs > MGC_LAB_PAIRS_MAX)
        return mgc_error_set(
            err, MGC_E_USAGE, "--pairs %d: expected 1 to %d", roster->pairs, MGC_LAB_PAIRS_MAX);
    return roster->pairs <= roster->phones ||
           mgc_error_set(err, MGC_E_USAGE,
               "--pairs %d: a pair needs a phone; expected at most as many pairs as phones (%d)",
               roster->pairs, roster->phones);
}

bool mgc_lab_roster_several(const struct mgc_lab_roster *roster)
{
    return roster->phones > 1;
}

static void fill_addresses(
    const struct mgc_lab_roster *roster, int number, struct mgc_lab_phone *phone)
{
    char usb[16];
    int index = number - 1;
    if (roster->loopback && !mgc_lab_roster_several(roster)) {
        strcpy(usb, "127.0.0.1");
        strcpy(phone->address, usb);
    } else if (roster->loopback) {
        snprintf(usb, sizeof usb, "127.0.1.%u", (unsigned char)number);
        strcpy(phone->address, usb);
    } else {
        snprintf(usb, sizeof usb, "10.99.0.%u", (unsigned char)(FIRST_USB + index));
        snprintf(phone->address, sizeof phone->address, "192.168.21.%d", FIRST_WLAN + index);
    }
    snprintf(phone->adb, sizeof phone->adb, "%s:%d", usb, MGC_LAB_ADB_PORT);
}

void mgc_lab_roster_phone(
    const struct mgc_lab_roster *roster, int number, struct mgc_lab_phone *ret_phone)
{
    bool several = mgc_lab_roster_several(roster);
    struct mgc_lab_phone phone = {
        .port = several ? MGC_LAB_PORTS_FROM + number - 1 : MGC_LAB_SERVICE_PORT,
        .pair = (number - 1) % roster->pairs + 1};
    phone.sink_port = several ? phone.port + SINK_OFFSET : MGC_LAB_SINK_PORT;
    if (several)
        snprintf(phone.name, sizeof phone.name, "p%d", number);
    snprintf(phone.member, sizeof phone.member, "mgphone%s%.12s", several ? "-" : "", phone.name);
    snprintf(phone.serialno, sizeof phone.serialno, "mglab%04d", number);
    fill_addresses(roster, number, &phone);
    *ret_phone = phone;
}

void mgc_lab_roster_pair(
    const struct mgc_lab_roster *roster, int number, struct mgc_lab_pair *ret_pair)
{
    char suffix[16] = "";
    bool several = mgc_lab_roster_several(roster);
    struct mgc_lab_pair pair = {0};
    if (several)
        snprintf(suffix, sizeof suffix, "%d", number);
    if (several || roster->loopback)
        pair.adb_port = MGC_LAB_LOOPBACK_ADB_PORT + number - 1;
    snprintf(pair.host, sizeof pair.host, "host%s", suffix);
    snprintf(pair.wsl, sizeof pair.wsl, "wsl%s", suffix);
    snprintf(pair.adb, sizeof pair.adb, "adb%s", suffix);
    *ret_pair = pair;
}

int mgc_lab_roster_bus_port(const struct mgc_lab_roster *roster)
{
    return mgc_lab_roster_several(roster) ? BUS_PORT_OF_SEVERAL : MGC_LAB_BUS_PORT;
}

int mgc_lab_roster_find(const struct mgc_lab_roster *roster, const char *name)
{
    struct mgc_lab_phone phone;
    for (int number = 1; number <= roster->phones; number++) {
        mgc_lab_roster_phone(roster, number, &phone);
        if (strcmp(phone.name, name) == 0)
            return number;
    }
    return 0;
}

bool mgc_lab_roster_is_name(const char *text)
{
    return text[0] == 'p' && text[1] != '\0' && text[1 + strspn(text + 1, "0123456789")] == '\0';
}

void mgc_lab_roster_names(const struct mgc_lab_roster *roster, char ret_text[MGC_LAB_NAME_SIZE])
{
    snprintf(ret_text, MGC_LAB_NAME_SIZE, "p1 to p%d", roster->phones);
}

bool mgc_lab_roster_dir(const struct mgc_lab_roster *roster, const char *dir, const char *name,
    char ret_path[MGC_LAB_PATH_MAX], struct mgc_error *err)
{
    int len = snprintf(ret_path, MGC_LAB_PATH_MAX, "%s%s%s", dir,
        mgc_lab_roster_several(roster) ? "/" : "", mgc_lab_roster_several(roster) ? name : "");
    return len < MGC_LAB_PATH_MAX || mgc_error_set(err, MGC_E_USAGE, "the state path is too long");
}
