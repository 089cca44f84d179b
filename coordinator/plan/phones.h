/* Sites with several phones: `phones.NAME.*` instead of `phone.*`, and which workers serve which.
 *
 * A plan runs on one phone. So the settings of a plan on one of several phones are made from those
 * of the site: that phone's keys become `phone.*`, with the origins that they have, the other
 * phones' go, and so do workers that do not serve it. All that follows knows one phone. Pure.
 */
#ifndef MGC_PLAN_PHONES_H
#define MGC_PLAN_PHONES_H

#include "coordinator/plan/settings.h"

enum { MGC_PHONE_NAME_MAX = 32 }; /* it becomes part of a run's id and a directory's name */

/* Do the phones of the site have names? It may be one. */
bool mgc_phones_named(const struct mgc_settings *settings);
/* The name that a section has as "phones.NAME"; NULL: it is another section. */
const char *mgc_phones_name(const struct mgc_section *section);
/* How many phones a site has: 1 for one without a name. */
size_t mgc_phones_count(const struct mgc_settings *settings);

/* What is wrong with phones and workers together, of settings as they were read. */
void mgc_phones_check(const struct mgc_settings *settings, struct mgc_problems *problems);

/* Make them the settings of that phone. NULL: the only one, which has no name. False: no memory, or
 * MGC_E_CONFIG: there is no such phone. To be called once, on settings that were checked. */
bool mgc_phones_pick(struct mgc_settings *settings, const char *phone, struct mgc_error *err);

#endif
