/* Puts the values of one document's tree into the settings, by its schema.
 *
 * Unknown keys, wrong kinds of nodes, bad names and bad values become problems with file, line,
 * column and the key's whole path.
 */
#ifndef MGC_PLAN_BIND_H
#define MGC_PLAN_BIND_H

#include "coordinator/plan/problems.h"
#include "coordinator/plan/schema.h"
#include "coordinator/plan/settings.h"
#include "coordinator/plan/yaml_tree.h"

/* `file` is only for messages and origins; relative paths in the file start at `dir`. */
void mgc_bind(const struct mgc_schema *schema, const struct mgc_yaml_node *root, const char *file,
    const char *dir, enum mgc_rank rank, struct mgc_settings *settings,
    struct mgc_problems *problems);

#endif
