/* A site file and a plan file that somebody wrote, with a NUL byte between them: through the tree,
 * the binder, the checks and the expansion. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/plan/bind.h"
#include "coordinator/plan/check.h"
#include "coordinator/plan/expand.h"
#include "coordinator/plan/sources.h"
#include "coordinator/plan/yaml_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void bind(const struct mgc_schema *schema, const char *text, size_t len, const char *file,
    enum mgc_rank rank, struct mgc_settings *settings, struct mgc_problems *problems)
{
    struct mgc_yaml_node root;
    struct mgc_error err = {0};
    if (mgc_yaml_parse(text, len, file, &root, &err)) {
        mgc_bind(schema, &root, file, "dir", rank, settings, problems);
        mgc_yaml_destroy(&root);
    } else if (!err.text[0]) {
        abort(); /* a refusal without a sentence */
    }
}

static void expand(const struct mgc_site *site)
{
    static const struct mgc_expand_ids ids = {"run", "0123456789abcdef"};
    struct mgc_problems problems = {0};
    struct mgc_plan plan;
    struct mgc_error err = {0};
    if (!mgc_expand(site, mgc_bench_built_in(), &ids, &plan, &problems, &err)) {
        if (problems.errors.total == 0 && !err.text[0])
            abort();
        return;
    }
    if (plan.cell_count < 3) /* setup, one to measure, close */
        abort();
    mgc_plan_destroy(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *cut = size ? memchr(data, '\0', size) : NULL;
    size_t site_len = cut ? (size_t)(cut - text) : size;
    const struct mgc_bench *bench = mgc_bench_built_in();
    struct mgc_settings settings = {0};
    struct mgc_problems problems = {0};
    struct mgc_site site;
    mgc_source_built_in(bench, &settings, &problems);
    bind(&mgc_schema_site, text, site_len, "site.yaml", MGC_RANK_SITE, &settings, &problems);
    if (cut)
        bind(&mgc_schema_plan, cut + 1, size - site_len - 1, "plan.yaml", MGC_RANK_PLAN, &settings,
            &problems);
    mgc_check_required(&mgc_schema_site, "site.yaml", &settings, &problems);
    mgc_check_required(&mgc_schema_plan, "plan.yaml", &settings, &problems);
    mgc_check_site(bench, "site.yaml", &settings, &problems);
    if (mgc_problems_none(&problems, NULL) && mgc_site_fill(&site, &settings, bench, NULL)) {
        site.file = strdup("site.yaml");
        if (site.file)
            expand(&site);
        mgc_site_destroy(&site);
    }
    mgc_settings_destroy(&settings);
    return 0;
}
