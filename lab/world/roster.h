/* How many phones and worker pairs a lab has, what each is called, and where it is found. Pure.
 *
 * A lab of one phone and one pair has the names and places of old: phone, host, wsl. In one of
 * several, phones are p1 to pN, their workers host1 and wsl1 to hostM and wslM; phone i belongs to
 * pair ((i-1) mod M)+1. All of them share one network, so each phone has an address and ports of
 * its own: what a phone serves it serves on all addresses of that network. Ports of several are
 * below those that the kernel gives to outgoing connections, of which there are many then.
 *
 * Phones and pairs are counted from 1.
 */
#ifndef MGC_LAB_ROSTER_H
#define MGC_LAB_ROSTER_H

#include <stdbool.h>

#include "common/base/error.h"
#include "lab/world/layout.h"

enum { MGC_LAB_PHONES_MAX = 64, MGC_LAB_PAIRS_MAX = 16, MGC_LAB_NAME_SIZE = 24 };

/* Of several phones; the proxy's rules name the range. */
enum { MGC_LAB_PORTS_FROM = 21001, MGC_LAB_PORTS_TO = 21000 + MGC_LAB_PHONES_MAX };

struct mgc_lab_roster {
    int phones, pairs;
    bool loopback;
};

/* MGC_E_USAGE when there are too many or too few of either. */
bool mgc_lab_roster_check(const struct mgc_lab_roster *roster, struct mgc_error *err);
/* False: one of each, with the names of old. */
bool mgc_lab_roster_several(const struct mgc_lab_roster *roster);

struct mgc_lab_phone {
    char name[MGC_LAB_NAME_SIZE];   /* "p3"; "" in a lab of one */
    char member[MGC_LAB_NAME_SIZE]; /* "mgphone-p3" */
    char serialno[MGC_LAB_NAME_SIZE];
    char adb[MGC_LAB_NAME_SIZE];     /* ADDRESS:PORT, the serial too */
    char address[MGC_LAB_NAME_SIZE]; /* on the measured link */
    int port, sink_port;
    int pair;
};

struct mgc_lab_pair {
    char host[MGC_LAB_NAME_SIZE], wsl[MGC_LAB_NAME_SIZE]; /* names in the site file */
    char adb[MGC_LAB_NAME_SIZE];                          /* member: its adb server */
    int adb_port; /* 0: the usual one, of a network that is the lab's own */
};

void mgc_lab_roster_phone(
    const struct mgc_lab_roster *roster, int number, struct mgc_lab_phone *ret_phone);
void mgc_lab_roster_pair(
    const struct mgc_lab_roster *roster, int number, struct mgc_lab_pair *ret_pair);

/* Where the coordinator listens. */
int mgc_lab_roster_bus_port(const struct mgc_lab_roster *roster);

/* Number of the phone of that name; 0: there is none. "" is the only phone of a lab of one. */
int mgc_lab_roster_find(const struct mgc_lab_roster *roster, const char *name);
/* Whether a phone of some lab may be called so. */
bool mgc_lab_roster_is_name(const char *text);
/* "p1 to p8", for a sentence. */
void mgc_lab_roster_names(const struct mgc_lab_roster *roster, char ret_text[MGC_LAB_NAME_SIZE]);

/* DIR, or DIR/NAME where the lab has several. */
bool mgc_lab_roster_dir(const struct mgc_lab_roster *roster, const char *dir, const char *name,
    char ret_path[MGC_LAB_PATH_MAX], struct mgc_error *err);

#endif
