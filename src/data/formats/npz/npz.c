/* npz.c: reads a SciPy .npz file into a data set; every array is checked against the others before
 * use. */
#include "data/formats/npz/npz.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "data/formats/dense.h"
#include "data/formats/npz/npz_build.h"
#include "data/formats/readers.h"

enum { FORMAT_BYTES = 16 };

/* The name of the format: bytes, or text in old files. It is shown in messages, so it must be
 * printable. */
static void format_of(const spc_npy *array, char *text, size_t capacity) {
    const size_t step = array->kind == 'U' ? 4 : 1;
    spc_text shown = spc_text_in(text, capacity);
    const char *at = array->bytes.at;
    for (size_t i = 0; i < array->bytes.used && at[i] != '\0'; i += step)
        spc_text_add_shown(&shown, at + i, 1);
}

static sparcl_status refuse_members(const spc_npz_builder *b, const char *member) {
    const char *const others = b->file->others;
    if (!member)
        return spc_npz_refuse(
            b, SPC_NPZ_FORMAT, SPC_NO_ELEMENT,
            "expected the members that scipy.sparse.save_npz writes, found no %s but %s; save the "
            "matrix with scipy.sparse.save_npz(file, matrix.tocsr()), %s",
            b->file->names[SPC_NPZ_FORMAT], others[0] ? others : "nothing else",
            strstr(others, ".npy") ? "or name a member: FILE.npz:NAME"
                                   : "or take out a file: unzip -p ARCHIVE NAME > FILE");
    return spc_npz_refuse(b, SPC_NPZ_WHOLE, SPC_NO_ELEMENT,
                          "expected this array, or the matrix of %s, found neither but %s; name "
                          "one of these members, for a matrix without _indptr and so on",
                          b->file->names[SPC_NPZ_INDPTR], others[0] ? others : "nothing else");
}

/* A matrix without a format member is csr, if it has row offsets; those of save_npz have one. */
static sparcl_status find_format(const spc_npz_builder *b, const char *member, char *format) {
    const spc_npy *array = &b->file->arrays[SPC_NPZ_FORMAT];
    strcpy(format, "csr");
    if (!b->file->present[SPC_NPZ_FORMAT]) {
        if (member && b->file->present[SPC_NPZ_INDPTR]) return SPARCL_OK;
        return refuse_members(b, member);
    }
    if ((array->kind != 'S' && array->kind != 'U') || array->big_endian || array->count != 1)
        return spc_npz_refuse(b, SPC_NPZ_FORMAT, SPC_NO_ELEMENT,
                              "expected one text, the name of a format, found another array; "
                              "save the matrix with scipy.sparse.save_npz");
    format_of(array, format, FORMAT_BYTES);
    return SPARCL_OK;
}

static sparcl_status check_shape(const spc_npz_builder *b) {
    const spc_npy *array = &b->file->arrays[SPC_NPZ_SHAPE];
    SPC_TRY(spc_npz_check_member(b, SPC_NPZ_SHAPE, true, 1));
    if (array->count != 2)
        return spc_npz_refuse(b, SPC_NPZ_SHAPE, SPC_NO_ELEMENT,
                              "expected rows and columns, found %" PRId64 " numbers; save a matrix",
                              array->count);
    sparcl_data_info *info = &b->data->info;
    info->rows = spc_npz_integer(b, SPC_NPZ_SHAPE, 0);
    info->columns = spc_npz_integer(b, SPC_NPZ_SHAPE, 1);
    if (info->rows < 0 || info->columns < 0)
        return spc_npz_refuse(b, SPC_NPZ_SHAPE, SPC_NO_ELEMENT,
                              "expected lengths of at least 0, found %" PRId64 " x %" PRId64
                              "; save the matrix again",
                              info->rows, info->columns);
    return SPARCL_OK;
}

/* A file must not have more columns than expected, unless desc->widen is set. */
static sparcl_status check_width(const spc_npz_builder *b) {
    const int64_t expected = b->desc->columns, declared = b->data->info.columns;
    if (expected > 0 && declared > expected && !b->desc->widen)
        return spc_npz_refuse(b, SPC_NPZ_SHAPE, 1,
                              "expected at most %" PRId64 " columns, found %" PRId64 "; %" PRId64
                              " columns were requested",
                              expected, declared, expected);
    return SPARCL_OK;
}

static sparcl_status read_matrix(const spc_npz_builder *b, const char *member) {
    static const struct {
        const char *name;
        sparcl_status (*read)(const spc_npz_builder *);
    } formats[] = {{"csr", spc_npz_read_csr},
                   {"csc", spc_npz_read_csc},
                   {"coo", spc_npz_read_coo},
                   {"bsr", spc_npz_read_bsr},
                   {"dia", spc_npz_read_dia}};
    char format[FORMAT_BYTES];
    const spc_npy *const values = &b->file->arrays[SPC_NPZ_DATA];
    SPC_TRY(find_format(b, member, format));
    for (size_t i = 0; i < SPC_COUNT(formats); i++) {
        if (strcmp(format, formats[i].name) != 0) continue;
        SPC_TRY(check_shape(b));
        SPC_TRY(check_width(b));
        if (b->file->present[SPC_NPZ_COLUMNS])
            format_of(&b->file->arrays[SPC_NPZ_COLUMNS], b->data->mark, sizeof b->data->mark);
        b->data->info.float64_source = values->kind == 'f' && values->size == 8;
        return formats[i].read(b);
    }
    return spc_npz_refuse(b, SPC_NPZ_FORMAT, SPC_NO_ELEMENT,
                          "expected a csr, csc, coo, bsr or dia matrix, found \"%s\"; "
                          "save it again with scipy.sparse.save_npz(file, matrix.tocsr())",
                          format);
}

static sparcl_status read_file(sparcl_data *data, spc_npz_file *file, const spc_npz_builder *b,
                               const char *member) {
    const spc_npz_member whole =
        file->present[SPC_NPZ_WHOLE] ? SPC_NPZ_WHOLE : SPC_NPZ_DATA; /* what has the values */
    memcpy(data->member, file->names[whole], sizeof data->member);
    if (whole == SPC_NPZ_DATA) return read_matrix(b, member);
    char place[SPC_NAME_CAPACITY + SPC_MEMBER_CAPACITY + 2];
    spc_text text = spc_text_in(place, sizeof place);
    spc_text_add(&text, "%s:%s", b->name, file->names[whole]);
    return spc_dense_read(data, &file->arrays[whole], place, b->desc, b->error);
}

sparcl_status spc_npz_read(sparcl_data *data, spc_input *input, const sparcl_data_desc *desc,
                           sparcl_error *error) {
    spc_npz_file file;
    const spc_npz_builder b = {
        .data = data, .file = &file, .name = input->raw.name, .desc = desc, .error = error};
    if (desc->index_base == SPARCL_BASE_1)
        return spc_fail(
            error, SPARCL_E_FORMAT,
            "%s: expected indices from 1, found a .npz file, whose indices count from 0; read it "
            "with indices from 0",
            input->raw.name);
    const spc_npy_accept any = {.check = NULL};
    sparcl_status status = spc_npz_file_read(&file, input, input->member, &any, error);
    if (status == SPARCL_OK) status = read_file(data, &file, &b, input->member);
    spc_npz_file_free(&file, &data->allocator);
    return status;
}
