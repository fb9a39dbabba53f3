/* npz_build.c: what the readers of the formats of an .npz matrix share: checks of members. */
#include "data/formats/npz/npz_build.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"

sparcl_status spc_npz_refuse(const spc_npz_builder *b, spc_npz_member member, int64_t element,
                             const char *format, ...) {
    char at[32] = "", why[512];
    SPC_FORMAT(why, format);
    if (element >= 0) snprintf(at, sizeof at, "[%" PRId64 "]", element);
    return spc_fail(b->error, SPARCL_E_FORMAT, "%s:%s%s: %s", b->name, b->file->names[member], at,
                    why);
}

sparcl_status spc_npz_check_numbers(const spc_npz_builder *b, spc_npz_member member,
                                    bool is_integer) {
    const spc_npy *array = &b->file->arrays[member];
    if (!b->file->present[member])
        return spc_npz_refuse(b, member, SPC_NO_ELEMENT,
                              "expected the members that scipy.sparse.save_npz writes, found no "
                              "%s; save the matrix with scipy.sparse.save_npz",
                              b->file->names[member]);
    if (!spc_npy_is_number(array))
        return spc_npz_refuse(b, member, SPC_NO_ELEMENT,
                              "expected numbers, found text; save the matrix again");
    if (array->big_endian)
        return spc_npz_refuse(
            b, member, SPC_NO_ELEMENT,
            "expected little-endian numbers, found big-endian ones; convert them with "
            ".astype(a.dtype.newbyteorder('<')) and save the matrix again");
    if (is_integer && (array->kind != 'i' || array->size < 4))
        return spc_npz_refuse(b, member, SPC_NO_ELEMENT,
                              "expected int32 or int64 numbers, found %zu-byte ones of kind '%c'; "
                              "save the matrix again",
                              array->size, array->kind);
    return SPARCL_OK;
}

sparcl_status spc_npz_check_member(const spc_npz_builder *b, spc_npz_member member, bool is_integer,
                                   int rank) {
    static const char *const words[] = {"no dimension", "one dimension", "two dimensions",
                                        "three dimensions"};
    const spc_npy *array = &b->file->arrays[member];
    SPC_TRY(spc_npz_check_numbers(b, member, false));
    if (array->rank != rank)
        return spc_npz_refuse(b, member, SPC_NO_ELEMENT,
                              "expected %s, found %d; save the matrix again", words[rank],
                              array->rank);
    return spc_npz_check_numbers(b, member, is_integer);
}

int64_t spc_npz_integer(const spc_npz_builder *b, spc_npz_member member, int64_t k) {
    int64_t value = 0;
    (void)spc_npy_i64(&b->file->arrays[member], k, &value); /* int32 and int64 always fit */
    return value;
}

sparcl_status spc_npz_value(const spc_npz_builder *b, int64_t k, float *value) {
    const spc_npy_result result = spc_npy_f32(&b->file->arrays[SPC_NPZ_DATA], k, value);
    if (result == SPC_NPY_RANGE)
        return spc_npz_refuse(
            b, SPC_NPZ_DATA, k,
            "expected a number in the range of a 32-bit float, up to 3.4e38, found a "
            "larger one; scale the feature");
    if (result == SPC_NPY_BAD)
        return spc_npz_refuse(
            b, SPC_NPZ_DATA, k,
            "expected 0 or 1 as a bool, found another byte; save the matrix again");
    b->data->info.narrowed_values += result == SPC_NPY_ROUNDED;
    return SPARCL_OK;
}

sparcl_status spc_npz_check_offsets(const spc_npz_builder *b, int64_t end) {
    const int64_t count = b->file->arrays[SPC_NPZ_INDPTR].count;
    int64_t before = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t offset = spc_npz_integer(b, SPC_NPZ_INDPTR, i);
        const bool last = i == count - 1;
        if (i == 0 && offset != 0)
            return spc_npz_refuse(b, SPC_NPZ_INDPTR, i,
                                  "expected 0, found %" PRId64 "; save the matrix again", offset);
        if (offset < before || offset > end || (last && offset != end))
            return spc_npz_refuse(b, SPC_NPZ_INDPTR, i,
                                  "expected an offset from %" PRId64 " to %" PRId64
                                  ", found %" PRId64 "; call matrix.prune() and save it again",
                                  last ? end : before, end, offset);
        before = offset;
    }
    return SPARCL_OK;
}
