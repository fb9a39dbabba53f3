/* edges.c: reads edge lists: a square matrix, whose rows and columns are the nodes of a graph. */
#include <inttypes.h>

#include "base/error.h"
#include "base/size.h"
#include "data/formats/id_pairs.h"
#include "data/formats/readers.h"
#include "data/formats/triplets.h"
#include "data/io/line_marks.h"
#include "data/set/ids.h"

typedef struct edges {
    sparcl_data *data;
    const sparcl_data_desc *desc;
    sparcl_error *error;
    spc_triplets triplets;
    spc_array marks; /* spc_line_mark: of edges, to lines from 1 */
    int64_t max_id;
} edges;

sparcl_status spc_refuse_base_1(const spc_input *input, const sparcl_data_desc *desc,
                                const char *what, sparcl_error *error) {
    if (desc->index_base != SPARCL_BASE_1) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s: expected indices from 1, found %s, whose ids count from 0; read it with "
                    "indices from 0",
                    input->raw.name, what);
}

static sparcl_status add_edges(void *user, const spc_id_pair *pairs, int64_t count,
                               int64_t lines_before) {
    edges *const e = user;
    const sparcl_allocator *const allocator = &e->data->allocator;
    for (int64_t i = 0; i < count; i++) {
        const spc_id_pair *const pair = &pairs[i];
        e->max_id = spc_max_i64(e->max_id, spc_max_i64(pair->left, pair->right));
        SPC_TRY(spc_line_marks_add(&e->marks, spc_triplets_count(&e->triplets),
                                   lines_before + pair->line + 1, allocator, e->error));
        SPC_TRY(spc_triplets_add(&e->triplets, pair->left, pair->right, (float)pair->number,
                                 allocator, e->error));
    }
    return SPARCL_OK;
}

static sparcl_status read_edges(edges *e, spc_input *input) {
    spc_id_pairs pairs = {.what = "an edge is \"node node [weight]\", with whole numbers as nodes; "
                                  "only a heading without digits is skipped",
                          .columns_max = 3,
                          .is_weighted = true,
                          .add = add_edges,
                          .user = e};
    SPC_TRY(spc_id_pairs_read(&pairs, e->data, input, e->desc, e->error));
    e->data->info.heading = pairs.heading;
    return SPARCL_OK;
}

/* Replace ids by their numbers; edges of unknown nodes are left out. `marks`: of those that stay.
 */
static sparcl_status renumber(edges *e, const spc_id_index *index, spc_array *marks) {
    int64_t *const rows = e->triplets.rows.at, *const columns = e->triplets.columns.at;
    float *const values = e->triplets.values.at;
    const int64_t count = spc_triplets_count(&e->triplets);
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = spc_id_index_find(index, rows[i]);
        const int64_t column = spc_id_index_find(index, columns[i]);
        if (row < 0 || column < 0) continue;
        SPC_TRY(spc_line_marks_add(marks, kept, spc_line_marks_find(&e->marks, i),
                                   &e->data->allocator, e->error));
        rows[kept] = row;
        columns[kept] = column;
        if (e->triplets.values.used > 0) values[kept] = values[i];
        kept++;
    }
    e->data->info.unknown_ids = count - kept;
    e->triplets.rows.used = e->triplets.columns.used = (size_t)kept * sizeof *rows;
    if (e->triplets.values.used > 0) e->triplets.values.used = (size_t)kept * sizeof *values;
    return SPARCL_OK;
}

static sparcl_status collect(edges *e) {
    sparcl_data *const data = e->data;
    const sparcl_known_ids *const known = &e->desc->known_ids;
    const spc_array *const both[] = {&e->triplets.rows, &e->triplets.columns};
    if (e->desc->ids)
        return spc_ids_take_map(data, e->desc->ids, SPC_ID_NODE, SPC_ID_KINDS, e->error);
    if (known->nodes)
        return spc_array_add(&data->row_ids, known->nodes,
                             (size_t)known->node_count * sizeof *known->nodes, &data->allocator,
                             e->error);
    return spc_ids_collect(&data->row_ids, both, 2, &data->allocator, e->error);
}

static sparcl_status compact(edges *e) {
    const sparcl_allocator *const allocator = &e->data->allocator;
    spc_id_index index;
    spc_array marks = {0};
    SPC_TRY(collect(e));
    SPC_TRY(spc_id_index_create(&index, &e->data->row_ids, spc_triplets_count(&e->triplets),
                                allocator, e->error));
    const sparcl_status status = renumber(e, &index, &marks);
    spc_array_free(&index.numbers, allocator);
    spc_array_free(&e->marks, allocator);
    e->marks = marks;
    e->max_id = spc_ids_count(&e->data->row_ids) - 1;
    return status;
}

/* In an undirected graph a pair of nodes is one edge, however often and in which direction it
 * stands. */
static sparcl_status make_symmetric(edges *e) {
    int64_t entry = 0;
    e->triplets.mirror = SPC_MIRROR_SAME;
    SPC_TRY(spc_triplets_unite(&e->triplets, &e->data->allocator, &entry, e->error));
    if (entry < 0) return SPARCL_OK;
    return spc_fail(e->error, SPARCL_E_FORMAT,
                    "%s:%" PRId64 ":1: expected the weight that this pair of nodes has in a line "
                    "before, found another; make the weights equal, or read the graph as directed",
                    e->data->name, spc_line_marks_find(&e->marks, entry));
}

static sparcl_status set_shape(edges *e) {
    sparcl_data_info *const info = &e->data->info;
    const int64_t most = spc_rows_max(spc_triplets_count(&e->triplets));
    const int64_t wanted = e->desc->columns;
    info->rows = info->columns = spc_max_i64(e->max_id + 1, wanted);
    if (wanted > 0 && info->columns > wanted && !e->desc->widen)
        return spc_fail(e->error, SPARCL_E_FORMAT,
                        "%s: expected ids up to %" PRId64 ", found %" PRId64 "; %" PRId64
                        " columns were requested",
                        e->data->name, wanted - 1, e->max_id, wanted);
    if (info->rows <= most) return SPARCL_OK;
    return spc_fail(e->error, SPARCL_E_FORMAT,
                    "%s: expected ids below %" PRId64 " for %" PRId64 " edges, found %" PRId64
                    "; compact the ids (--compact-ids), which numbers them from 0: offsets of at "
                    "most %" PRId64 " bytes in place of %.6g (with --hash-bits nodes of the same "
                    "hash would become one)",
                    e->data->name, most, spc_triplets_count(&e->triplets), info->rows - 1,
                    8 * (2 * spc_triplets_count(&e->triplets) + 1), 8 * (double)info->rows);
}

static sparcl_status refuse_repeat(const edges *e) {
    int64_t entry = 0;
    SPC_TRY(spc_triplets_find_repeat(&e->triplets, &e->data->allocator, &entry, e->error));
    return spc_fail(e->error, SPARCL_E_FORMAT,
                    "%s:%" PRId64 ":1: expected every edge once, found this one again; remove it",
                    e->data->name, spc_line_marks_find(&e->marks, entry));
}

static sparcl_status build(edges *e, spc_input *input) {
    SPC_TRY(read_edges(e, input));
    if (e->desc->compact_ids || e->desc->ids || e->desc->known_ids.nodes) SPC_TRY(compact(e));
    if (e->desc->symmetric) SPC_TRY(make_symmetric(e));
    SPC_TRY(set_shape(e));
    SPC_TRY(spc_triplets_to_rows(&e->triplets, e->data, e->error));
    if (e->desc->strict && e->data->info.duplicates > 0) return refuse_repeat(e);
    return SPARCL_OK;
}

sparcl_status spc_edges_read(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                             sparcl_error *error) {
    edges e = {.data = data, .desc = desc, .error = error, .max_id = -1};
    SPC_TRY(spc_refuse_base_1(input, desc, "a list of edges", error));
    data->bad_column = -1;
    const sparcl_status status = build(&e, input);
    spc_triplets_free(&e.triplets, &data->allocator);
    spc_array_free(&e.marks, &data->allocator);
    return status;
}
