/* Which devices the adb server knows, in which state, and how to wait for one.
 *
 * How adb 29.0.6 behaves with a device on TCP, measured: when the daemon dies the server says
 * "offline" to host:devices at once but track-devices stays silent until the daemon is back; a
 * retry comes every 10 s; after 60 s the entry is dropped and never comes back by itself;
 * host:connect while the dead entry waits answers "already connected" without helping, so it is
 * taken down with host:disconnect first. A silent link shows nothing at all for minutes: every
 * wait here has a deadline of its own.
 */
#ifndef MGC_ADB_DEVICES_H
#define MGC_ADB_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

#include "worker-host/adb/conn.h"

/*   gone -> connecting -> online -> offline -> gone, and any of them to any other: what is known
 *   is only ever the server's latest list. */
enum mgc_adb_state {
    MGC_ADB_GONE, /* not in the list */
    MGC_ADB_ONLINE,
    MGC_ADB_OFFLINE,
    MGC_ADB_CONNECTING, /* "connecting", "authorizing" */
    MGC_ADB_UNAUTHORIZED,
    MGC_ADB_NO_PERMISSION, /* the host may not open the USB device */
    MGC_ADB_RECOVERY,      /* "recovery", "rescue", "sideload" */
    MGC_ADB_BOOTLOADER,
    MGC_ADB_OTHER, /* a word that this build does not know */
};

const char *mgc_adb_state_name(enum mgc_adb_state state);

struct mgc_adb_entry {
    char serial[128];
    enum mgc_adb_state state;
    char state_text[32]; /* the server's word, cut */
    char model[64];      /* empty in the short list */
};

enum { MGC_ADB_DEVICES_MAX = 128 };

struct mgc_adb_devices {
    struct mgc_adb_entry items[MGC_ADB_DEVICES_MAX];
    size_t count;
};

/* Parse the text of host:devices, host:devices-l or one track-devices event. Pure. A list of more
 * than MGC_ADB_DEVICES_MAX devices or a line without a state is MGC_E_PROTOCOL. */
bool mgc_adb_devices_parse(
    const char *text, struct mgc_adb_devices *ret_devices, struct mgc_error *err);
/* State of one serial in a list; MGC_ADB_GONE when it is not there. */
enum mgc_adb_state mgc_adb_devices_state(const struct mgc_adb_devices *devices, const char *serial);

bool mgc_adb_devices_list(struct mgc_adb *adb, struct mgc_adb_devices *ret_devices,
    const struct mgc_adb_wait *wait, struct mgc_error *err);
bool mgc_adb_device_state(struct mgc_adb *adb, const char *serial, enum mgc_adb_state *ret_state,
    const struct mgc_adb_wait *wait, struct mgc_error *err);
/* The device's adb features, comma separated, appended to text. */
bool mgc_adb_device_features(struct mgc_adb *adb, const char *serial, struct mgc_buf *text,
    const struct mgc_adb_wait *wait, struct mgc_error *err);

/* Device list events: the current list at once, then one per change. */
bool mgc_adb_track_open(struct mgc_adb_conn *conn, struct mgc_adb *adb,
    const struct mgc_adb_wait *wait, struct mgc_error *err);
bool mgc_adb_track_next(struct mgc_adb_conn *conn, struct mgc_adb_devices *ret_devices,
    const struct mgc_adb_wait *wait, struct mgc_error *err);

/* True for a serial "HOST:PORT", which host:connect understands. Pure. */
bool mgc_adb_serial_is_address(const char *serial);
/* host:connect; with `again`, host:disconnect first. A connect that the server calls failed is
 * MGC_E_UNREACHABLE. */
bool mgc_adb_connect(struct mgc_adb *adb, const char *serial, bool again,
    const struct mgc_adb_wait *wait, struct mgc_error *err);

/* Wait until the device has the state, or MGC_E_TIMEOUT with the state it has. Driven by
 * track-devices. */
bool mgc_adb_device_wait(struct mgc_adb *adb, const char *serial, enum mgc_adb_state state,
    const struct mgc_adb_wait *wait, struct mgc_error *err);

/* Make the device usable: nothing to do when it is online; a serial of the form HOST:PORT that is
 * unknown or offline is connected, again after 1, 2, 4, 5, 5... s, since a phone that restarts
 * refuses connections for a while; any other is waited for. MGC_E_LOST when it does not come before
 * the deadline, MGC_E_DENIED when it has to be unlocked or allowed by a person. */
bool mgc_adb_device_ready(struct mgc_adb *adb, const char *serial, const struct mgc_adb_wait *wait,
    struct mgc_error *err);

/* A stream of the device ended before it should: fill err with MGC_E_LOST and what the server says
 * of the device now ("device S went offline: WHAT"). Returns false. */
bool mgc_adb_device_lost(
    struct mgc_adb *adb, const char *serial, const char *what, struct mgc_error *err);

#endif
