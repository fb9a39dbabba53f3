/* config.h: options from a file: --config. */
#ifndef SPARCL_TOOL_CONFIG_H
#define SPARCL_TOOL_CONFIG_H

#include <jansson.h>
#include <stdbool.h>

#include "exit_codes.h"

/* The format of a manifest, which says what a run was. */
#define MANIFEST_FORMAT "sparcl.run.1"

/*
 * Read a JSON object of options: names without dashes, with texts, numbers, or true and false for
 * flags; or a manifest, of which the options are taken that were given then, except those that
 * only say what is written and printed. *options is to be released.
 */
exit_code config_read(const char *path, json_t **options);
/* The options of a manifest that were given, and its data as "train"; to be released. */
json_t *config_of_manifest(const json_t *manifest);
/* True for an option that a repeated run has anew: where results go, and how a run is saved. */
bool config_leaves_out(const char *name);

/* The text of a value as on the command line, to be freed; NULL: it has none. */
char *config_text(const json_t *value);

/* The manifest that the options are from, or NULL. Released at the end. */
const json_t *config_manifest(void);
void config_end(void);

#endif
