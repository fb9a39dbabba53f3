/* npz_file.c: reads the members of a SciPy .npz file, with libarchive's zip reader. */
#include "data/formats/npz/npz_file.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/text.h"

enum { BLOCK_BYTES = 128 * 1024 };

/* The state of libarchive's callbacks. */
typedef struct feed {
    spc_input *input;
    char *block;
    sparcl_error failure; /* error of reading the input; status 0: none */
} feed;

static const char *const names[SPC_NPZ_MEMBERS] = {
    [SPC_NPZ_FORMAT] = "format",   [SPC_NPZ_SHAPE] = "shape",
    [SPC_NPZ_INDPTR] = "indptr",   [SPC_NPZ_INDICES] = "indices",
    [SPC_NPZ_DATA] = "data",       [SPC_NPZ_ROW] = "row",
    [SPC_NPZ_COL] = "col",         [SPC_NPZ_COORDS] = "coords",
    [SPC_NPZ_OFFSETS] = "offsets", [SPC_NPZ_COLUMNS] = "sparcl_columns",
};

/* False when a name does not fit. */
static bool set_names(spc_npz_file *file, const char *name) {
    bool fits = true;
    for (int i = 0; i < SPC_NPZ_MEMBERS; i++) {
        spc_text text = spc_text_in(file->names[i], SPC_MEMBER_CAPACITY);
        if (names[i])
            spc_text_add(&text, "%s%s%s.npy", name ? name : "", name ? "_" : "", names[i]);
        else if (name)
            spc_text_add(&text, "%s.npy", name);
        fits = fits && !text.cut;
    }
    return fits;
}

static la_ssize_t read_block(struct archive *archive, void *user, const void **block) {
    feed *f = user;
    size_t got = 0;
    *block = f->block;
    if (spc_input_read(f->input, f->block, BLOCK_BYTES, &got, &f->failure) == SPARCL_OK)
        return (la_ssize_t)got;
    archive_set_error(archive, -1, "%s", f->failure.message);
    return -1;
}

static la_int64_t seek(struct archive *archive, void *user, la_int64_t offset, int whence) {
    feed *f = user;
    const int64_t at = spc_input_seek(f->input, offset, whence);
    if (at >= 0) return at;
    archive_set_error(archive, -1, "seeking in the file failed");
    return ARCHIVE_FATAL;
}

/* In a file, libarchive seeks to the central directory; a stream is read from its beginning. */
static int open_archive(struct archive *archive, feed *f) {
    archive_read_support_format_zip(archive);
    archive_read_set_read_callback(archive, read_block);
    if (f->input->raw.size >= 0) archive_read_set_seek_callback(archive, seek);
    archive_read_set_callback_data(archive, f);
    return archive_read_open1(archive);
}

static sparcl_status fail_archive(const feed *f, struct archive *archive, sparcl_error *error) {
    if (f->failure.status == SPARCL_E_IO || f->failure.status == SPARCL_E_MEMORY) {
        if (error) *error = f->failure;
        return f->failure.status;
    }
    const char *found = archive_error_string(archive);
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s: expected an undamaged .npz archive, found %s; fetch or save it again",
                    f->input->raw.name, found ? found : "damage");
}

/* The error has only libarchive's text; the caller adds the member. */
static sparcl_status read_member(void *user, void *buffer, size_t size, size_t *got,
                                 sparcl_error *error) {
    *got = 0;
    while (*got < size) {
        const la_ssize_t done = archive_read_data(user, (char *)buffer + *got, size - *got);
        if (done == 0) break;
        if (done < 0) { /* also a warning, such as a wrong checksum */
            const char *found = archive_error_string(user);
            return spc_fail(error, SPARCL_E_FORMAT,
                            "expected an undamaged archive, found %s; fetch or save it again",
                            found ? found : "damage");
        }
        *got += (size_t)done;
    }
    return SPARCL_OK;
}

/* One pass over the members. */
typedef struct pass {
    spc_npz_file *file;
    const spc_npy_accept *accept;
    spc_npz_member member; /* the one that is read */
    bool only_headers;     /* and the elements of short arrays */
} pass;

/* ---- headers against each other ------------------------------------------------------------- */

/* What must be as many as the values: E_FORMAT, about the member that is read. */
static sparcl_status check_values(const spc_npz_file *file, sparcl_error *error) {
    static const struct {
        spc_npz_member member;
        const char *name;
        int rank; /* of the values, at least: each is one, a block or a diagonal */
    } others[] = {{SPC_NPZ_INDICES, "indices", 1},
                  {SPC_NPZ_ROW, "row", 1},
                  {SPC_NPZ_COL, "col", 1},
                  {SPC_NPZ_OFFSETS, "offsets", 2}};
    if (!file->present[SPC_NPZ_DATA]) return SPARCL_OK;
    const spc_npy *const data = &file->arrays[SPC_NPZ_DATA];
    const int64_t values = data->rank > 1 ? data->shape[0] : data->count;
    for (size_t i = 0; i < SPC_COUNT(others); i++)
        if (file->present[others[i].member] && data->rank >= others[i].rank &&
            file->arrays[others[i].member].count != values)
            return spc_fail(error, SPARCL_E_FORMAT,
                            "expected as many values as %s, %lld, found %lld; "
                            "save the matrix again",
                            others[i].name, (long long)file->arrays[others[i].member].count,
                            (long long)values);
    return SPARCL_OK;
}

/* No format has more offsets than the longer side of the shape, and one. */
static sparcl_status check_offsets(const spc_npz_file *file, sparcl_error *error) {
    const spc_npy *const shape = &file->arrays[SPC_NPZ_SHAPE];
    const spc_npy *const indptr = &file->arrays[SPC_NPZ_INDPTR];
    const int64_t offsets = indptr->size < 4 ? 0 : indptr->count; /* of another type: refused */
    int64_t rows = 0, columns = 0;
    if (!file->present[SPC_NPZ_INDPTR] || !file->present[SPC_NPZ_SHAPE] || shape->count != 2 ||
        shape->bytes.used != 2 * shape->size || shape->kind != 'i')
        return SPARCL_OK;
    (void)spc_npy_i64(shape, 0, &rows);
    (void)spc_npy_i64(shape, 1, &columns);
    if (offsets - 1 <= rows || offsets - 1 <= columns) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT,
                    "expected one offset more than the rows or columns of the shape, %lld x %lld, "
                    "found %lld; save the matrix again",
                    (long long)rows, (long long)columns, (long long)offsets);
}

static sparcl_status check_header(void *user, const spc_npy *array, bool *skip,
                                  sparcl_error *error) {
    enum { SHORT_BYTES = 4096 };
    const pass *const p = user;
    if (p->member == SPC_NPZ_WHOLE && p->accept->check)
        SPC_TRY(p->accept->check(p->accept->user, array, skip, error));
    SPC_TRY(check_values(p->file, error));
    *skip = p->only_headers && (array->size > SHORT_BYTES ||
                                array->count > SHORT_BYTES / spc_max_i64(1, (int64_t)array->size));
    return SPARCL_OK;
}

/* ---- members -------------------------------------------------------------------------------- */

static sparcl_status read_one(pass *p, spc_npz_member member, const feed *f,
                              struct archive *archive, sparcl_error *error) {
    const char *const name = f->input->raw.name;
    spc_npz_file *const file = p->file;
    const spc_npy_accept accept = {check_header, p};
    if (file->present[member])
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s:%s: expected one member of this name, found two; save the file again",
                        name, file->names[member]);
    file->present[member] = true;
    p->member = member;
    sparcl_error why = {.status = SPARCL_OK};
    sparcl_status status = spc_npy_read(&file->arrays[member], read_member, archive, &accept,
                                        &f->input->raw.allocator, &why);
    if (status == SPARCL_OK) status = check_offsets(file, &why);
    if (status != SPARCL_E_FORMAT) {
        if (status != SPARCL_OK && error) *error = why;
        return status;
    }
    if (f->failure.status != SPARCL_OK) return fail_archive(f, archive, error);
    return spc_fail(error, SPARCL_E_FORMAT, "%s:%s: %s", name, file->names[member], why.message);
}

/* SPC_NPZ_MEMBERS for any other name. */
static spc_npz_member find_member(const spc_npz_file *file, const char *name) {
    int member = 0;
    while (member < SPC_NPZ_MEMBERS && (!name || strcmp(name, file->names[member]) != 0))
        member++;
    return (spc_npz_member)member;
}

/* For the message when a member is missing. */
static void note_other(spc_npz_file *file, const char *name) {
    const size_t used = strlen(file->others);
    spc_text text = spc_text_in(file->others + used, sizeof file->others - used);
    if (!name || used + strlen(name) + sizeof ", ..." > sizeof file->others) return;
    if (used > 0) spc_text_add(&text, ", ");
    spc_text_add_shown(&text, name, strlen(name));
}

static sparcl_status read_members(pass *p, const feed *f, struct archive *archive,
                                  sparcl_error *error) {
    spc_npz_file *const file = p->file;
    for (;;) {
        struct archive_entry *entry = NULL;
        const int result = archive_read_next_header(archive, &entry);
        if (result == ARCHIVE_EOF) return SPARCL_OK;
        if (result < ARCHIVE_WARN) return fail_archive(f, archive, error);
        const char *const name = archive_entry_pathname(entry);
        const spc_npz_member member = find_member(file, name);
        if (member == SPC_NPZ_MEMBERS)
            note_other(file, name);
        else
            SPC_TRY(read_one(p, member, f, archive, error));
    }
}

static sparcl_status read_archive(pass *p, spc_input *input, sparcl_error *error) {
    sparcl_status status = SPARCL_OK;
    feed f = {.input = input};
    struct archive *archive = archive_read_new();
    f.block = spc_alloc(&input->raw.allocator, BLOCK_BYTES);
    if (!archive || !f.block)
        status = spc_fail_memory(error, input->raw.name, BLOCK_BYTES);
    else if (open_archive(archive, &f) != ARCHIVE_OK)
        status = fail_archive(&f, archive, error);
    else
        status = read_members(p, &f, archive, error);
    if (archive) archive_read_free(archive);
    spc_free(&input->raw.allocator, f.block, BLOCK_BYTES);
    return status;
}

/* What is wrong besides the headers is found again by the pass that reads all. */
static sparcl_status read_headers(pass *p, spc_input *input, sparcl_error *error) {
    const spc_npz_file begun = *p->file;
    p->only_headers = true;
    const sparcl_status status = read_archive(p, input, error);
    p->only_headers = false;
    spc_npz_file_free(p->file, &input->raw.allocator);
    *p->file = begun;
    if (status == SPARCL_OK && spc_input_seek(input, 0, SEEK_SET) < 0)
        return spc_fail(error, SPARCL_E_IO, "%s: seeking in the file failed", input->raw.name);
    return status;
}

sparcl_status spc_npz_file_read(spc_npz_file *file, spc_input *input, const char *name,
                                const spc_npy_accept *accept, sparcl_error *error) {
    pass p = {.file = file, .accept = accept};
    *file = (spc_npz_file){.present = {false}};
    if (!set_names(file, name))
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected the name of a member of up to %d bytes, found \"%.32s...\"; "
                        "save the archive with shorter names",
                        input->raw.name, SPC_MEMBER_CAPACITY - 16, name);
    if (input->raw.size >= 0) SPC_TRY(read_headers(&p, input, error));
    return read_archive(&p, input, error);
}

void spc_npz_file_free(spc_npz_file *file, const sparcl_allocator *allocator) {
    for (int i = 0; i < SPC_NPZ_MEMBERS; i++)
        spc_array_free(&file->arrays[i].bytes, allocator);
}
