/* profile_parts.c: the nodes of the graph in the output of train --profile. */
#include "profile_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "output.h"

bool parts_take(profile_parts *p, const sparcl_profile *recorded) {
    const size_t count = (size_t)recorded->part_count;
    p->copy_rate = (double)NAN;
    p->parts = malloc(count * sizeof *p->parts + 1);
    if (p->parts && count > 0) memcpy(p->parts, recorded->parts, count * sizeof *p->parts);
    p->count = p->parts ? recorded->part_count : 0;
    return p->parts != NULL;
}

void parts_measure(profile_parts *p, sparcl_ctx *ctx) {
    limits_memory memory = {0};
    if (limits_bandwidth(ctx, &memory) == SPARCL_OK) p->copy_rate = memory.copy.rate;
}

void parts_free(profile_parts *p) {
    free(p->parts);
    p->parts = NULL;
}

/* Bytes per second. */
static double rate_of(const sparcl_profile_part *part) {
    return part->seconds > 0 ? (double)part->bytes / part->seconds : (double)NAN;
}

/* An empty cell where x is no number. */
static const char *cell(char *text, size_t size, int digits, double x, const char *unit) {
    text[0] = '\0';
    if (isfinite(x)) snprintf(text, size, "%.*f%s", digits, x, unit);
    return text;
}

static void add_part(const profile_parts *p, struct libscols_table *table,
                     const sparcl_profile_part *part, double seconds) {
    char node[NUMBER_BYTES], runs[NUMBER_BYTES], each[NUMBER_BYTES], percent[NUMBER_BYTES];
    char rate[NUMBER_BYTES], of_limit[NUMBER_BYTES];
    snprintf(node, sizeof node, "%d", part->node);
    snprintf(runs, sizeof runs, "%" PRId64, part->runs);
    snprintf(each, sizeof each, "%.1f", 1e6 * part->seconds / (double)part->runs);
    snprintf(percent, sizeof percent, "%.1f %%", seconds > 0 ? 100 * part->seconds / seconds : 0);
    const char *const cells[] = {
        node,
        part->operation,
        part->of,
        runs,
        each,
        percent,
        cell(rate, sizeof rate, 2, rate_of(part) / 1e9, ""),
        cell(of_limit, sizeof of_limit, 0, 100 * rate_of(part) / p->copy_rate, " %")};
    table_add(table, NULL, cells);
}

static void add_rest(const profile_parts *p, struct libscols_table *table, double seconds,
                     double device_seconds) {
    char percent[NUMBER_BYTES];
    double rest = device_seconds;
    for (int i = 0; i < p->count; i++)
        rest -= p->parts[i].seconds;
    snprintf(percent, sizeof percent, "%.1f %%", seconds > 0 ? 100 * fmax(0, rest) / seconds : 0);
    const char *const cells[] = {"", "other work", "", "", "", percent, "", ""};
    table_add(table, NULL, cells);
}

exit_code parts_print(const profile_parts *p, double seconds, double device_seconds) {
    static const char *const names[] = {">node", "operation",     "of",
                                        ">runs", ">us per run",   ">fraction",
                                        ">GB/s", ">of the limit", NULL};
    struct libscols_table *const table = table_new(names);
    bool is_above = false;
    printf("\n");
    for (int i = 0; i < p->count; i++)
        if (p->parts[i].commands > 0) {
            add_part(p, table, &p->parts[i], seconds);
            is_above |= rate_of(&p->parts[i]) > p->copy_rate;
        }
    add_rest(p, table, seconds, device_seconds);
    const exit_code code = table_print(table);
    if (code == EXIT_OK && isfinite(p->copy_rate))
        printf("\nThe limit: a copy of large arrays, %.2f GB/s%s\n", p->copy_rate / 1e9,
               is_above ? "; " LIMITS_NOTE : "");
    return code;
}

void parts_add(const profile_parts *p, json_t *object) {
    json_t *const nodes = json_array();
    for (int i = 0; i < p->count; i++) {
        const sparcl_profile_part *const part = &p->parts[i];
        if (part->commands > 0)
            json_array_append_new(
                nodes, json_pack("{s:i, s:s, s:s, s:I, s:I, s:I, s:f}", "node", part->node,
                                 "operation", part->operation, "of", part->of, "runs",
                                 (json_int_t)part->runs, "commands", (json_int_t)part->commands,
                                 "bytes", (json_int_t)part->bytes, "seconds", part->seconds));
    }
    json_object_set_new(object, "nodes", nodes);
    json_object_set_new(object, "copy_gb_s", json_number(p->copy_rate / 1e9));
}
