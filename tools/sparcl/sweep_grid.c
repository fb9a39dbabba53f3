/* sweep_grid.c: the grid of sparcl sweep: which options vary, and the settings of each point. */
#include "sweep_grid.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "message.h"
#include "model_kind.h"

/* Longer names of files are cut, and end with a sum of what they were. */
enum { NAME_BYTES = 120, SUM_BYTES = 20 };

/* Where in the text of --grid something is. */
typedef struct place {
    const tool_option *options;
    const char *text, *at;
} place;

static exit_code refuse(const place *p, const char *expected) {
    char found[40];
    snprintf(found, sizeof found, "%.*s", (int)strcspn(p->at, " \t\n"), p->at);
    return usage_error("--grid: at character %d: expected %s, found \"%s\"",
                       (int)(p->at - p->text) + 1, expected, found);
}

/* ---- names ---------------------------------------------------------------------------------- */

static exit_code unknown_name(const place *p, const char *name) {
    spc_nearest meant = {.word = name};
    for (const tool_option *o = p->options; o->name; o++)
        spc_nearest_offer(&meant, o->name);
    return usage_error("--grid: at character %d: no option \"%s\" can vary%s",
                       (int)(p->at - p->text) + 1, name, spc_nearest_hint(&meant, "", ""));
}

/* These have the form NAME:KEY=VALUE,... */
static bool has_keys(const char *option) {
    return strcmp(option, "model") == 0 || strcmp(option, "optimizer") == 0 ||
           strcmp(option, "schedule") == 0;
}

static exit_code find_option(const place *p, grid_axis *axis) {
    char option[AXIS_NAME];
    snprintf(option, sizeof option, "%.*s", (int)strcspn(axis->name, "."), axis->name);
    axis->key = strchr(axis->name, '.') ? strchr(axis->name, '.') + 1 : NULL;
    for (const tool_option *o = p->options; o->name && !axis->option; o++)
        if (strcmp(o->name, option) == 0) axis->option = o;
    if (!axis->option) return unknown_name(p, option);
    if (axis->key && (!has_keys(option) || !*axis->key))
        return refuse(p, "a key after model., optimizer. or schedule., such as model.k");
    return EXIT_OK;
}

static exit_code take_name(place *p, sweep_grid *grid, grid_axis *axis) {
    const size_t length = strcspn(p->at, "= \t\n");
    if (p->at[length] != '=' || length == 0 || length >= AXIS_NAME)
        return refuse(p, "OPTION=VALUE,VALUE,...");
    snprintf(axis->name, sizeof axis->name, "%.*s", (int)length, p->at);
    const exit_code code = find_option(p, axis);
    for (int i = 0; code == EXIT_OK && i < grid->axis_count; i++)
        if (strcmp(grid->axes[i].name, axis->name) == 0)
            return refuse(p, "an option that is not in the grid yet");
    p->at += length + 1;
    return code;
}

/* ---- values --------------------------------------------------------------------------------- */

/* "beta1=0.9" goes on with the value before it; "adam:lr=0.1" begins one. */
static bool goes_on(const char *text, size_t length) {
    const char *const equals = memchr(text, '=', length);
    return equals && !memchr(text, ':', (size_t)(equals - text));
}

/* The bytes of the value that begins here. */
static size_t value_length(const char *at) {
    size_t length = strcspn(at, ", \t\n");
    while (at[length] == ',') {
        const size_t more = strcspn(at + length + 1, ", \t\n");
        if (!goes_on(at + length + 1, more)) break;
        length += 1 + more;
    }
    return length;
}

/* The text of an option, also of a key in one, is tried by its own parser later. */
static exit_code check_value(const place *p, const grid_axis *axis, const char *text) {
    if (axis->option->type == OPTION_FLAG) {
        if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) return EXIT_OK;
        return refuse(p, "true or false");
    }
    if (axis->key) return EXIT_OK;
    return take_option_value(axis->option, text);
}

static exit_code take_value(place *p, grid_axis *axis) {
    const size_t length = value_length(p->at);
    if (length == 0) return refuse(p, "a value");
    json_t *const value = json_stringn(p->at, length);
    if (!value) return refuse(p, "text in UTF-8");
    exit_code code = check_value(p, axis, json_string_value(value));
    size_t i;
    json_t *other;
    json_array_foreach(axis->values, i, other) {
        if (code == EXIT_OK && json_equal(value, other))
            code = refuse(p, "a value that is not there yet");
    }
    if (json_array_append_new(axis->values, value) != 0 && code == EXIT_OK) code = out_of_memory();
    p->at += length;
    return code;
}

static exit_code take_axis(place *p, sweep_grid *grid) {
    if (grid->axis_count == MAX_AXES) return refuse(p, "at most 16 options that vary");
    grid_axis *const axis = &grid->axes[grid->axis_count];
    *axis = (grid_axis){.values = json_array()};
    exit_code code = take_name(p, grid, axis);
    grid->axis_count++;
    while (code == EXIT_OK) {
        code = take_value(p, axis);
        if (code != EXIT_OK || *p->at != ',') break;
        p->at++;
    }
    return code;
}

/* ---- the grid ------------------------------------------------------------------------------- */

static exit_code count_points(sweep_grid *grid) {
    int64_t count = 1;
    for (int a = 0; a < grid->axis_count && count <= MAX_POINTS; a++)
        count *= (int64_t)json_array_size(grid->axes[a].values);
    if (grid->axis_count == 0)
        return usage_error("--grid: expected OPTION=VALUE,VALUE,..., found nothing");
    if (count > MAX_POINTS)
        return usage_error("--grid: expected at most %d points, found more", MAX_POINTS);
    grid->point_count = (int)count;
    return EXIT_OK;
}

exit_code grid_parse(sweep_grid *grid, const tool_option *options, const option_texts *texts) {
    exit_code code = EXIT_OK;
    *grid = (sweep_grid){0};
    for (int i = 0; i < texts->count && code == EXIT_OK; i++) {
        place p = {options, texts->texts[i], texts->texts[i]};
        while (p.at += strspn(p.at, " \t\n"), *p.at && code == EXIT_OK)
            code = take_axis(&p, grid);
    }
    return code == EXIT_OK ? count_points(grid) : code;
}

void grid_free(sweep_grid *grid) {
    for (int a = 0; a < grid->axis_count; a++)
        json_decref(grid->axes[a].values);
}

const char *grid_value(const sweep_grid *grid, int point, int axis) {
    for (int a = grid->axis_count - 1; a > axis; a--)
        point /= (int)json_array_size(grid->axes[a].values);
    const json_t *const values = grid->axes[axis].values;
    return json_string_value(json_array_get(values, (size_t)point % json_array_size(values)));
}

/* ---- a point -------------------------------------------------------------------------------- */

/* What the option is where it is not given: the optimizer by the model. */
static const char *usual_text(const json_t *settings, const char *option) {
    const char *const model = json_string_value(json_object_get(settings, "model"));
    return strcmp(option, "model") == 0       ? "linear"
           : strcmp(option, "optimizer") == 0 ? usual_optimizer(model ? model : "linear")
                                              : "constant";
}

/* NAME:KEY=VALUE,...: where a key is there twice, the last one counts. */
static int set_key(json_t *settings, const grid_axis *axis, const char *value) {
    const char *const option = axis->option->name;
    const char *before = json_string_value(json_object_get(settings, option));
    if (!before) before = usual_text(settings, option);
    return json_object_set_new(
        settings, option,
        json_sprintf("%s%c%s=%s", before, strchr(before, ':') ? ',' : ':', axis->key, value));
}

static int set_option(json_t *settings, const grid_axis *axis, const char *value) {
    if (axis->option->type != OPTION_FLAG)
        return json_object_set_new(settings, axis->option->name, json_string(value));
    if (strcmp(value, "true") == 0)
        return json_object_set_new(settings, axis->option->name, json_true());
    json_object_del(settings, axis->option->name);
    return 0;
}

json_t *grid_settings(const sweep_grid *grid, int point, const json_t *all) {
    json_t *const settings = json_copy((json_t *)all);
    int failed = settings == NULL;
    /* Keys after the options in whose text they are. */
    for (int a = 0; a < grid->axis_count; a++)
        if (!grid->axes[a].key)
            failed |= set_option(settings, &grid->axes[a], grid_value(grid, point, a));
    for (int a = 0; a < grid->axis_count; a++)
        if (grid->axes[a].key)
            failed |= set_key(settings, &grid->axes[a], grid_value(grid, point, a));
    if (!failed) return settings;
    json_decref(settings);
    return NULL;
}

/* FNV-1a. */
static uint64_t sum_of(const char *text) {
    uint64_t sum = 0xcbf29ce484222325;
    for (; *text; text++)
        sum = (sum ^ (unsigned char)*text) * 0x100000001b3;
    return sum;
}

static json_t *plain_name(const sweep_grid *grid, int point) {
    json_t *name = json_string("");
    for (int a = 0; a < grid->axis_count && name; a++) {
        json_t *const longer = json_sprintf("%s%s%s=%s", json_string_value(name), a ? "," : "",
                                            grid->axes[a].name, grid_value(grid, point, a));
        json_decref(name);
        name = longer;
    }
    return name;
}

/* Letters that some systems do not have in names of files become '_'. */
char *grid_name(const sweep_grid *grid, int point) {
    json_t *const plain = plain_name(grid, point);
    const char *const text = plain ? json_string_value(plain) : "";
    char *const name = plain ? malloc(NAME_BYTES + SUM_BYTES) : NULL;
    bool is_exact = strlen(text) < NAME_BYTES;
    if (name) snprintf(name, NAME_BYTES, "%s", text);
    for (char *c = name; name && *c; c++) {
        if (isalnum((unsigned char)*c) || strchr("._-+=,", *c)) continue;
        is_exact &= *c == ':';
        *c = '_';
    }
    if (name && !is_exact) {
        const size_t length = strlen(name);
        snprintf(name + length, NAME_BYTES + SUM_BYTES - length, "-%016" PRIx64, sum_of(text));
    }
    json_decref(plain);
    return name;
}
