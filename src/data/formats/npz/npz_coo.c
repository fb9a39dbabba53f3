/* npz_coo.c: reads csc, coo, bsr and dia matrices of an .npz file: their entries become triplets,
 * and these rows. */
#include <inttypes.h>
#include <math.h>

#include "base/size.h"
#include "data/formats/npz/npz_build.h"
#include "data/formats/triplets.h"

typedef struct entries {
    spc_triplets triplets;
    const spc_npz_builder *b;
    spc_npz_member of_rows; /* the member that names the row or column, for messages */
} entries;

/* Entry k of data.npy at this row and column, which are inside the shape. */
static sparcl_status add(entries *e, int64_t k, int64_t row, int64_t column, bool keep_zero) {
    const spc_npz_builder *const b = e->b;
    float value = 0;
    SPC_TRY(spc_npz_value(b, k, &value));
    if (value == 0 && !keep_zero) return SPARCL_OK;
    if (!isfinite(value) && b->data->bad_column < 0) b->data->bad_column = k;
    return spc_triplets_add(&e->triplets, row, column, value, &b->data->allocator, b->error);
}

/* Element k of a member of indices, which must be below `length`. */
static sparcl_status read_index(const spc_npz_builder *b, spc_npz_member member, int64_t k,
                                int64_t length, const char *what, int64_t *index) {
    *index = spc_npz_integer(b, member, k);
    if (*index >= 0 && *index < length) return SPARCL_OK;
    return spc_npz_refuse(b, member, k,
                          "expected an index below the %" PRId64 " %s of the shape, found %" PRId64
                          "; save the matrix again",
                          length, what, *index);
}

static sparcl_status check_count(const spc_npz_builder *b, spc_npz_member member, int64_t expected,
                                 const char *what) {
    const int64_t found = b->file->arrays[member].count;
    if (found == expected) return SPARCL_OK;
    return spc_npz_refuse(b, member, SPC_NO_ELEMENT,
                          "expected %" PRId64 " elements, %s, found %" PRId64
                          "; save the matrix again",
                          expected, what, found);
}

static sparcl_status read_csc(entries *e) {
    const spc_npz_builder *const b = e->b;
    SPC_TRY(spc_npz_check_member(b, SPC_NPZ_INDPTR, true, 1));
    SPC_TRY(spc_npz_check_member(b, SPC_NPZ_INDICES, true, 1));
    SPC_TRY(spc_npz_check_member(b, SPC_NPZ_DATA, false, 1));
    const int64_t columns = b->file->arrays[SPC_NPZ_INDPTR].count - 1;
    const int64_t nnz = b->file->arrays[SPC_NPZ_INDICES].count;
    if (columns != b->data->info.columns)
        return spc_npz_refuse(b, SPC_NPZ_INDPTR, SPC_NO_ELEMENT,
                              "expected one offset more than the %" PRId64
                              " columns of the shape, found %" PRId64 "; save the matrix again",
                              b->data->info.columns, columns + 1);
    SPC_TRY(spc_npz_check_offsets(b, nnz));
    for (int64_t column = 0, k = 0; column < columns; column++)
        for (; k < spc_npz_integer(b, SPC_NPZ_INDPTR, column + 1); k++) {
            int64_t row = 0;
            SPC_TRY(read_index(b, SPC_NPZ_INDICES, k, b->data->info.rows, "rows", &row));
            SPC_TRY(add(e, k, row, column, true));
        }
    return SPARCL_OK;
}

/* Two arrays, or one of two rows. */
static sparcl_status check_coo(const spc_npz_builder *b, int64_t nnz) {
    if (!b->file->present[SPC_NPZ_COORDS]) {
        SPC_TRY(spc_npz_check_member(b, SPC_NPZ_ROW, true, 1));
        return spc_npz_check_member(b, SPC_NPZ_COL, true, 1);
    }
    SPC_TRY(spc_npz_check_member(b, SPC_NPZ_COORDS, true, 2));
    const spc_npy *const coords = &b->file->arrays[SPC_NPZ_COORDS];
    if (coords->shape[0] == 2 && coords->shape[1] == nnz && !coords->fortran) return SPARCL_OK;
    return spc_npz_refuse(b, SPC_NPZ_COORDS, SPC_NO_ELEMENT,
                          "expected 2 x %" PRId64 " indices in C order, found %" PRId64
                          " x %" PRId64 "%s; save the matrix again",
                          nnz, coords->shape[0], coords->shape[1],
                          coords->fortran ? " in Fortran order" : "");
}

static sparcl_status read_coo(entries *e) {
    const spc_npz_builder *const b = e->b;
    const bool one = b->file->present[SPC_NPZ_COORDS];
    SPC_TRY(spc_npz_check_member(b, SPC_NPZ_DATA, false, 1));
    const int64_t nnz = b->file->arrays[SPC_NPZ_DATA].count;
    SPC_TRY(check_coo(b, nnz));
    for (int64_t k = 0; k < nnz; k++) {
        int64_t row = 0, column = 0;
        SPC_TRY(
            read_index(b, one ? SPC_NPZ_COORDS : SPC_NPZ_ROW, k, b->data->info.rows, "rows", &row));
        SPC_TRY(read_index(b, one ? SPC_NPZ_COORDS : SPC_NPZ_COL, one ? nnz + k : k,
                           b->data->info.columns, "columns", &column));
        SPC_TRY(add(e, k, row, column, true));
    }
    return SPARCL_OK;
}

/* data.npy is blocks x height x width; a block is at `indices`, counted in blocks. */
typedef struct blocks {
    int64_t count, height, width;
} blocks;

static sparcl_status check_bsr(const spc_npz_builder *b, blocks *found) {
    SPC_TRY(spc_npz_check_member(b, SPC_NPZ_INDPTR, true, 1));
    SPC_TRY(spc_npz_check_member(b, SPC_NPZ_INDICES, true, 1));
    SPC_TRY(spc_npz_check_member(b, SPC_NPZ_DATA, false, 3));
    const sparcl_data_info *const info = &b->data->info;
    const spc_npy *const data = &b->file->arrays[SPC_NPZ_DATA];
    *found = (blocks){data->shape[0], data->shape[1], data->shape[2]};
    if (found->height < 1 || found->width < 1 || info->rows % found->height != 0 ||
        info->columns % found->width != 0)
        return spc_npz_refuse(b, SPC_NPZ_DATA, SPC_NO_ELEMENT,
                              "expected blocks that divide %" PRId64 " x %" PRId64
                              ", found blocks of %" PRId64 " x %" PRId64 "; save the matrix again",
                              info->rows, info->columns, found->height, found->width);
    SPC_TRY(check_count(b, SPC_NPZ_INDPTR, info->rows / found->height + 1,
                        "one more than rows of blocks"));
    return spc_npz_check_offsets(b, found->count);
}

/* The zeros of a block fill it up; they are no entries. */
static sparcl_status add_block(entries *e, const blocks *all, int64_t block, int64_t row,
                               int64_t column) {
    const bool fortran = e->b->file->arrays[SPC_NPZ_DATA].fortran;
    for (int64_t i = 0; i < all->height; i++)
        for (int64_t j = 0; j < all->width; j++) {
            const int64_t k = fortran ? block + all->count * (i + all->height * j)
                                      : (block * all->height + i) * all->width + j;
            SPC_TRY(add(e, k, row * all->height + i, column * all->width + j, false));
        }
    return SPARCL_OK;
}

static sparcl_status read_bsr(entries *e) {
    const spc_npz_builder *const b = e->b;
    blocks all;
    SPC_TRY(check_bsr(b, &all));
    for (int64_t row = 0, k = 0; row < b->data->info.rows / all.height; row++)
        for (; k < spc_npz_integer(b, SPC_NPZ_INDPTR, row + 1); k++) {
            int64_t column = 0;
            SPC_TRY(read_index(b, SPC_NPZ_INDICES, k, b->data->info.columns / all.width,
                               "columns of blocks", &column));
            SPC_TRY(add_block(e, &all, k, row, column));
        }
    return SPARCL_OK;
}

/* Diagonal d at offset o has element j in column j and row j - o. Zeros fill it up. */
static sparcl_status read_dia(entries *e) {
    const spc_npz_builder *const b = e->b;
    SPC_TRY(spc_npz_check_member(b, SPC_NPZ_OFFSETS, true, 1));
    SPC_TRY(spc_npz_check_member(b, SPC_NPZ_DATA, false, 2));
    const spc_npy *const data = &b->file->arrays[SPC_NPZ_DATA];
    const int64_t count = data->shape[0], length = data->shape[1];
    for (int64_t d = 0; d < count; d++) {
        const int64_t offset = spc_npz_integer(b, SPC_NPZ_OFFSETS, d);
        for (int64_t j = 0; j < spc_min_i64(length, b->data->info.columns); j++) {
            int64_t row = 0;
            if (__builtin_sub_overflow(j, offset, &row) || row < 0 || row >= b->data->info.rows)
                continue;
            SPC_TRY(add(e, data->fortran ? d + count * j : d * length + j, row, j, false));
        }
    }
    return SPARCL_OK;
}

/* Memory is bounded by the file, so a shape with nearly only empty rows is refused. */
static sparcl_status check_rows(const spc_npz_builder *b) {
    const int64_t most = spc_rows_max(b->file->arrays[SPC_NPZ_DATA].count);
    if (b->data->info.rows <= most) return SPARCL_OK;
    return spc_npz_refuse(b, SPC_NPZ_SHAPE, 0,
                          "expected at most %" PRId64 " rows for %" PRId64 " values, found %" PRId64
                          "; keep only the rows that have entries",
                          most, b->file->arrays[SPC_NPZ_DATA].count, b->data->info.rows);
}

static sparcl_status refuse_repeat(const entries *e) {
    const spc_npz_builder *const b = e->b;
    int64_t entry = 0;
    SPC_TRY(spc_triplets_find_repeat(&e->triplets, &b->data->allocator, &entry, b->error));
    return spc_npz_refuse(b, SPC_NPZ_DATA, SPC_NO_ELEMENT,
                          "expected every row and column once, found row %" PRId64
                          ", column %" PRId64 " again as entry %" PRId64
                          "; call matrix.sum_duplicates() and save it again",
                          ((const int64_t *)e->triplets.rows.at)[entry],
                          ((const int64_t *)e->triplets.columns.at)[entry], entry);
}

static sparcl_status read_entries(const spc_npz_builder *b, sparcl_status (*read)(entries *)) {
    entries e = {.b = b};
    sparcl_status status = SPARCL_OK;
    b->data->bad_column = -1;
    SPC_GO(check_rows(b));
    SPC_GO(read(&e));
    b->data->info.columns = spc_max_i64(b->data->info.columns, b->desc->columns);
    SPC_GO(spc_triplets_to_rows(&e.triplets, b->data, b->error));
    if (b->desc->strict && b->data->info.duplicates > 0) status = refuse_repeat(&e);
done:
    spc_triplets_free(&e.triplets, &b->data->allocator);
    return status;
}

sparcl_status spc_npz_read_csc(const spc_npz_builder *b) {
    return read_entries(b, read_csc);
}

sparcl_status spc_npz_read_coo(const spc_npz_builder *b) {
    return read_entries(b, read_coo);
}

sparcl_status spc_npz_read_bsr(const spc_npz_builder *b) {
    return read_entries(b, read_bsr);
}

sparcl_status spc_npz_read_dia(const spc_npz_builder *b) {
    return read_entries(b, read_dia);
}
