/* data.c: the public functions: detect the format of a file, read it, return its properties and
 * arrays. */
#include "sparcl/data.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "data/formats/format_words.h"
#include "data/formats/npz/npz.h"
#include "data/formats/readers.h"
#include "data/io/detect.h"
#include "data/io/foreign_file.h"
#include "data/io/input.h"
#include "data/io/member_path.h"
#include "data/io/texts.h"
#include "data/set/dataset.h"
#include "data/set/kept_names.h"
#include "data/set/matrix_ids.h"
#include "data/set/read.h"
#include "data/set/summary.h"
#include "data/set/validation.h"

typedef sparcl_status (*read_format)(sparcl_data *data, spc_input *input,
                                     const sparcl_data_desc *desc, sparcl_error *error);

static const read_format readers[] = {
#define READER(NAME, word, ...) [SPARCL_DATA_##NAME] = spc_##word##_read,
    SPC_FORMATS(READER)};

static sparcl_status check_id_list(const char *name, const int64_t *ids, int64_t count,
                                   sparcl_error *error) {
    if (count < 0 || (count > 0 && !ids))
        return spc_fail(error, SPARCL_E_ARG, "data: there are %lld %s, expected their number",
                        (long long)count, name);
    for (int64_t i = 0; i < count; i++)
        if (ids[i] < 0 || (i > 0 && ids[i] <= ids[i - 1]))
            return spc_fail(error, SPARCL_E_ARG,
                            "data: %s[%lld] is %lld, expected ascending ids from 0", name,
                            (long long)i, (long long)ids[i]);
    return SPARCL_OK;
}

/* Ids have one way to become columns. */
static sparcl_status check_ids(const sparcl_data_desc *desc, sparcl_error *error) {
    const bool has_ids = desc->feature_ids || desc->ids;
    const sparcl_known_ids *const known = &desc->known_ids;
    if (desc->hash_bits > 0 && (desc->compact_ids || has_ids))
        return spc_fail(
            error, SPARCL_E_ARG,
            "data: hash_bits (--hash-bits) is set with %s, expected one of them: ids are either "
            "hashed or numbered",
            desc->compact_ids   ? "compact_ids"
            : desc->feature_ids ? "feature_ids"
                                : "ids");
    if (desc->feature_ids && desc->ids)
        return spc_fail(error, SPARCL_E_ARG, "data: feature_ids and ids are set, expected one");
    SPC_TRY(check_id_list("feature_ids", desc->feature_ids, desc->feature_id_count, error));
    SPC_TRY(check_id_list("known_ids.users", known->users, known->user_count, error));
    SPC_TRY(check_id_list("known_ids.items", known->items, known->item_count, error));
    SPC_TRY(check_id_list("known_ids.nodes", known->nodes, known->node_count, error));
    if (!known->users == !known->items) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG,
                    "data: of known_ids.users and known_ids.items one is NULL, expected both or "
                    "none");
}

static sparcl_status check_named(const sparcl_data_desc *desc, sparcl_error *error) {
    const int64_t *const columns = desc->named_columns;
    if (desc->named_column_count < 0 || (desc->named_column_count > 0 && !columns))
        return spc_fail(error, SPARCL_E_ARG,
                        "data: named_column_count is %lld, expected the number of named_columns",
                        (long long)desc->named_column_count);
    for (int64_t i = 0; i < desc->named_column_count; i++)
        if (columns[i] < 0 || (i > 0 && columns[i] <= columns[i - 1]))
            return spc_fail(error, SPARCL_E_ARG,
                            "data: named_columns[%lld] is %lld, expected ascending columns from 0",
                            (long long)i, (long long)columns[i]);
    return SPARCL_OK;
}

static sparcl_status check_desc(const char *path, const sparcl_data_desc *desc,
                                sparcl_error *error) {
    if (!path) return spc_fail(error, SPARCL_E_ARG, "data: path is NULL, expected a file");
    if (desc->columns < 0)
        return spc_fail(error, SPARCL_E_ARG, "data: columns is negative, expected at least 0");
    if (!isfinite(desc->scale))
        return spc_fail(error, SPARCL_E_ARG, "data: scale is %g, expected a finite number",
                        desc->scale);
    if (desc->threads < 0)
        return spc_fail(error, SPARCL_E_ARG, "data: threads is negative, expected at least 0");
    if (desc->index_base != SPARCL_BASE_AUTO && desc->index_base != SPARCL_BASE_0 &&
        desc->index_base != SPARCL_BASE_1)
        return spc_fail(error, SPARCL_E_ARG,
                        "data: index_base is unknown, expected a sparcl_index_base");
    if (desc->format < 0 || (size_t)desc->format >= SPC_COUNT(readers))
        return spc_fail(error, SPARCL_E_ARG,
                        "data: format is unknown, expected a sparcl_data_format");
    if (desc->hash_bits < 0 || desc->hash_bits > SPARCL_HASH_BITS_MAX)
        return spc_fail(error, SPARCL_E_ARG,
                        "data: hash_bits (--hash-bits) is %d, expected 0 to %d", desc->hash_bits,
                        SPARCL_HASH_BITS_MAX);
    SPC_TRY(check_ids(desc, error));
    SPC_TRY(check_named(desc, error));
    if (desc->csv_heading < SPARCL_HEADING_AUTO || desc->csv_heading > SPARCL_HEADING_NO)
        return spc_fail(error, SPARCL_E_ARG,
                        "data: csv_heading is unknown, expected a sparcl_heading");
    if (desc->csv_decimal != 0 && !strchr(".,", desc->csv_decimal))
        return spc_fail(error, SPARCL_E_ARG,
                        "data: csv_decimal is \"%c\", expected a point or a comma",
                        desc->csv_decimal);
    if (desc->csv_delimiter != 0 && !strchr(",;|\t :", desc->csv_delimiter))
        return spc_fail(error, SPARCL_E_ARG,
                        "data: csv_delimiter is \"%c\", expected a comma, semicolon, bar, tab, "
                        "blank or colon",
                        desc->csv_delimiter);
    if (desc->csv_label && desc->csv_label[0] == '\0')
        return spc_fail(error, SPARCL_E_ARG,
                        "data: csv_label (--label) is empty, expected the name or the number of a "
                        "column");
    if (desc->row_tag && (desc->stream || desc->row_tag[0] == '\0'))
        return spc_fail(error, SPARCL_E_ARG,
                        "data: row_tag is %s, expected the name or the number of a column, of data "
                        "that is not streamed",
                        desc->stream ? "set with stream" : "empty");
    if (desc->spill && desc->allocator.fn)
        return spc_fail(error, SPARCL_E_ARG, "data: spill is set with an allocator, expected one");
    if (!spc_is_struct_size(desc->size, sizeof *desc))
        return spc_fail(error, SPARCL_E_ARG, "data: size is %zu, expected 0 or %zu", desc->size,
                        sizeof *desc);
    return SPARCL_OK;
}

/* Why its columns are no ids, and what to do. */
static const char *why_no_ids(sparcl_data_format format) {
    switch (format) {
    case SPARCL_DATA_VW:
        return "whose names are hashed; use hash_bits";
    case SPARCL_DATA_CSV:
        return "whose columns its description says; describe a column of ids as hashed or as a "
               "dictionary";
    case SPARCL_DATA_RATINGS:
        return "whose users and items are numbered always; read it without, and other files with "
               "the map of their ids";
    case SPARCL_DATA_EDGES:
        return "of which nodes with the same hash would become one; use compact_ids";
    case SPARCL_DATA_SPARCL:
        return "which has its columns already; convert the source with it";
    default:
        return "whose columns its shape says; read it without, or name the format";
    }
}

/* In the binary form, what was requested is compared with what the source was read with. */
static sparcl_status check_id_options(const char *name, sparcl_data_format format,
                                      const sparcl_data_desc *desc, sparcl_error *error) {
    const char *const word = sparcl_data_format_name(format);
    const int flags = spc_format_flags(word);
    const bool ids = flags & SPC_HAS_IDS, binary = format == SPARCL_DATA_SPARCL;
    const char *option = NULL;
    spc_format_list expected;
    if (desc->hash_bits > 0 && !ids && !binary && !(flags & SPC_HAS_NAMES)) option = "hash_bits";
    if (desc->compact_ids && !ids && !binary && format != SPARCL_DATA_EDGES) option = "compact_ids";
    if (desc->feature_ids && !ids && !binary) option = "feature_ids, such as those of a model";
    if (desc->ids && !ids && format != SPARCL_DATA_EDGES && format != SPARCL_DATA_RATINGS)
        option = "a map of ids";
    if (!option) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT, "%s: expected ids (%s), for %s, found %s, %s", name,
                    spc_format_words(&expected, SPC_HAS_IDS), option, word, why_no_ids(format));
}

static bool has_csv_options(const sparcl_data_desc *desc) {
    return desc->csv_columns || desc->csv_delimiter || desc->csv_heading || desc->csv_label;
}

static spc_csv_sign csv_sign(const sparcl_data_desc *desc) {
    return has_csv_options(desc)   ? SPC_CSV_IF_TEXT
           : desc->csv_description ? SPC_CSV_IF_TABLE
                                   : SPC_NO_SIGN;
}

static sparcl_status check_options(const spc_input *input, sparcl_data_format format,
                                   const sparcl_data_desc *desc, sparcl_error *error) {
    const char *const name = input->raw.name, *const word = sparcl_data_format_name(format);
    const int flags = spc_format_flags(word);
    if (input->member && format != SPARCL_DATA_NPZ)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected an archive with the member %s, found %s; name the file "
                        "without a member",
                        name, input->member, word);
    if (desc->symmetric && format != SPARCL_DATA_EDGES)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected a list of edges, for symmetric, found %s; read it without, "
                        "or name the format",
                        name, word);
    SPC_TRY(check_id_options(name, format, desc, error));
    const bool is_described = desc->csv_columns && format == SPARCL_DATA_RATINGS;
    if (has_csv_options(desc) && format != SPARCL_DATA_CSV && !is_described)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected CSV, for the label, the description of its columns, the "
                        "delimiter or the heading, found %s; read it without them, or name the "
                        "format",
                        name, word);
    if (desc->row_tag && !(flags & SPC_HAS_NAMES))
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected CSV or Vowpal Wabbit text, for the tags of rows, found %s; "
                        "read it without",
                        name, word);
    if (desc->crosses && desc->columns == 0 && !(flags & SPC_HAS_NAMES))
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected CSV or Vowpal Wabbit text, for crosses (--cross) of columns "
                        "or namespaces, found %s; read it without, or name the format",
                        name, word);
    if (desc->labels && (flags & SPC_HAS_LABELS))
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected a file without labels for the labels %s, found %s text, "
                        "which contains its own labels; read it without a file of labels",
                        name, desc->labels, word);
    return SPARCL_OK;
}

static sparcl_status read_weights(sparcl_data *data, const spc_input *input, const char *path,
                                  sparcl_error *error) {
    if (!path) return SPARCL_OK;
    if (data->weights.used)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected a file without weights for the weights %s, found weights in "
                        "it; read it without a file of weights",
                        input->raw.name, path);
    return spc_weights_read(data, path, error);
}

static sparcl_status read_content(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                                  sparcl_error *error) {
    sparcl_data_format format = desc->format;
    bool skipped = false;
    SPC_TRY(spc_input_begin_text(input, &skipped, error));
    SPC_TRY(spc_refuse_foreign(input, format != SPARCL_DATA_AUTO, error));
    data->info.byte_order_mark = skipped;
    data->info.index_base_given = desc->index_base != SPARCL_BASE_AUTO;
    if (format == SPARCL_DATA_AUTO) SPC_TRY(spc_detect(input, csv_sign(desc), &format, error));
    if (desc->format == SPARCL_DATA_AUTO && format == SPARCL_DATA_CSV && desc->multilabel)
        format = SPARCL_DATA_SVMLIGHT; /* "1,2" are labels */
    if (desc->ratings && desc->format == SPARCL_DATA_AUTO && format == SPARCL_DATA_CSV &&
        !has_csv_options(desc))
        format = SPARCL_DATA_RATINGS;
    data->info.format = sparcl_data_format_name(format);
    if (data->notes) data->notes->format = data->info.format;
    SPC_TRY(check_options(input, format, desc, error));
    if (!data->sink)
        SPC_TRY(spc_kept_names_create(&data->kept_names, desc, &data->allocator, error));
    const bool is_matrix = spc_format_flags(data->info.format) & SPC_IS_MATRIX;
    const sparcl_data_desc plain = is_matrix ? spc_matrix_desc(desc) : *desc;
    SPC_TRY(readers[format](data, input, &plain, error));
    if (is_matrix) SPC_TRY(spc_matrix_ids(data, desc, error));
    SPC_TRY(read_weights(data, input, desc->weights, error));
    if (!desc->labels) return SPARCL_OK;
    if (data->info.has_labels)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected a file without labels for the labels %s, found labels in it; "
                        "read it without a file of labels",
                        input->raw.name, desc->labels);
    return spc_labels_read(data, desc->labels, error);
}

static sparcl_status read_path(sparcl_data *data, const char *path, const sparcl_data_desc *desc,
                               sparcl_error *error) {
    spc_input input;
    char *file = NULL;
    const char *member = NULL;
    SPC_TRY(spc_split_member(path, &data->allocator, &file, &member, error));
    sparcl_status status = spc_input_open(&input, file, &data->allocator, error);
    input.member = member;
    memcpy(data->name, input.raw.name, sizeof data->name);
    if (status == SPARCL_OK) spc_raw_watch(&input.raw, desc->progress, desc->progress_user);
    if (status == SPARCL_OK) status = read_content(data, &input, desc, error);
    spc_input_close(&input);
    spc_strfree(&data->allocator, file);
    return status;
}

void spc_data_scale(sparcl_data *data, double scale) {
    float *const values = data->values.at;
    const size_t count = data->values.used / sizeof *values;
    if (scale == 0 || scale == 1) return;
    for (size_t k = 0; k < count; k++)
        values[k] = (float)(scale * (double)values[k]);
}

static sparcl_status make_data(sparcl_data **data, const sparcl_data_desc *desc,
                               sparcl_error *error) {
    sparcl_allocator allocator = desc->allocator;
    spc_spill *spill = NULL;
    if (desc->spill) {
        SPC_TRY(spc_spill_open(&spill, desc->spill, error));
        allocator = spc_spill_allocator(spill);
    }
    *data = spc_alloc_zero(&allocator, 1, sizeof **data);
    if (!*data) {
        spc_spill_release(spill);
        return spc_fail_memory(error, "data", sizeof **data);
    }
    (*data)->allocator = allocator;
    (*data)->spill = spill;
    return SPARCL_OK;
}

sparcl_status spc_data_read_to(sparcl_data **data, const char *path, const sparcl_data_desc *desc,
                               spc_notes *notes, spc_sink *sink, sparcl_error *error) {
    sparcl_data *made = NULL;
    SPC_TRY(make_data(&made, desc, error));
    made->notes = notes;
    made->sink = sink;
    sparcl_status status = read_path(made, path, desc, error);
    if (status != SPARCL_OK) {
        status = spc_spill_explain(made->spill, status, error);
        sparcl_data_free(made);
        return status;
    }
    spc_data_scale(made, desc->scale);
    spc_data_summarize(made);
    made->notes = NULL;
    made->sink = NULL;
    *data = made;
    return SPARCL_OK;
}

sparcl_status spc_data_check_desc(const char *path, const sparcl_data_desc **desc,
                                  sparcl_error *error) {
    static const sparcl_data_desc zero = {.labels = NULL};
    if (!*desc) *desc = &zero;
    return check_desc(path, *desc, error);
}

sparcl_status spc_data_read_noting(sparcl_data **data, const char *path,
                                   const sparcl_data_desc *desc, spc_notes *notes,
                                   sparcl_error *error) {
    *data = NULL;
    SPC_TRY(spc_data_check_desc(path, &desc, error));
    return spc_data_read_to(data, path, desc, notes, NULL, error);
}

/* The arrays lie in the file, which is freed as a whole. */
static void free_file(sparcl_data *data) {
    if (data->is_mapped)
        (void)munmap(data->file.at, data->file.used);
    else
        spc_array_free(&data->file, &data->allocator);
}

void sparcl_data_free(sparcl_data *data) {
    if (!data) return;
    const sparcl_allocator allocator = data->allocator;
    spc_spill *const spill = data->spill;
    spc_array *const arrays[] = {
        &data->offsets,     &data->indices,    &data->values,  &data->label_offsets,
        &data->marks,       &data->rows,       &data->fields,  &data->weights,
        &data->row_ids,     &data->column_ids, &data->labels,  &data->csv_columns,
        &data->csv_missing, &data->csv_notes,  &data->crosses, &data->left_out};
    const char *const begin = data->file.at, *const end = begin ? begin + data->file.used : NULL;
    for (size_t i = 0; i < SPC_COUNT(arrays); i++) {
        const char *const at = arrays[i]->at;
        if (!begin || !at || at < begin || at > end) spc_array_free(arrays[i], &allocator);
    }
    spc_texts_free(&data->tags, &allocator);
    spc_texts_free(&data->label_names, &allocator);
    free_file(data);
    spc_kept_names_free(data->kept_names, &allocator);
    spc_stream_free(data->stream);
    spc_free(&allocator, data, sizeof *data);
    spc_spill_release(spill);
}

const sparcl_data_info *sparcl_data_get_info(const sparcl_data *data) {
    return &data->info;
}

const int64_t *sparcl_data_offsets(const sparcl_data *data) {
    return data->offsets.at;
}

sparcl_itype sparcl_data_index_type(const sparcl_data *data) {
    return data->index_type;
}

const void *sparcl_data_indices(const sparcl_data *data) {
    return data->indices.at;
}

const float *sparcl_data_values(const sparcl_data *data) {
    return data->values.at;
}

const double *sparcl_data_labels(const sparcl_data *data) {
    return data->info.label_count > 0 ? data->labels.at : NULL;
}

const int32_t *sparcl_data_fields(const sparcl_data *data) {
    return data->fields.at;
}

const float *sparcl_data_weights(const sparcl_data *data) {
    return data->weights.at;
}

const int64_t *sparcl_data_row_ids(const sparcl_data *data) {
    return data->row_ids.at;
}

const int64_t *sparcl_data_column_ids(const sparcl_data *data) {
    return data->column_ids.at;
}

const int64_t *sparcl_data_label_offsets(const sparcl_data *data) {
    return data->label_offsets.at;
}
