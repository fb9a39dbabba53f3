/* npzfile.c: reads the members of a SciPy .npz file, with libarchive's zip reader. */
#include "data/npzfile.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

enum { BLOCK_BYTES = 128 * 1024 };

/* The state of libarchive's callbacks. */
typedef struct feed {
    spc_input *input;
    char *block;
    sparcl_error failure; /* error of reading the input; status 0: none */
} feed;

static const char *const names[SPC_NPZ_MEMBERS] = {
    [SPC_NPZ_FORMAT] = "format",   [SPC_NPZ_SHAPE] = "shape",   [SPC_NPZ_INDPTR] = "indptr",
    [SPC_NPZ_INDICES] = "indices", [SPC_NPZ_DATA] = "data",     [SPC_NPZ_ROW] = "row",
    [SPC_NPZ_COL] = "col",         [SPC_NPZ_COORDS] = "coords", [SPC_NPZ_OFFSETS] = "offsets",
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

static sparcl_status read_one(spc_npz_file *file, spc_npz_member member, const feed *f,
                              struct archive *archive, sparcl_error *error) {
    const char *const name = f->input->raw.name;
    if (file->present[member])
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s:%s: expected one member of this name, found two; save the file again",
                        name, file->names[member]);
    file->present[member] = true;
    sparcl_error why = {.status = SPARCL_OK};
    const sparcl_status status =
        spc_npy_read(&file->arrays[member], read_member, archive, &f->input->raw.allocator, &why);
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

static sparcl_status read_members(spc_npz_file *file, const feed *f, struct archive *archive,
                                  sparcl_error *error) {
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
            SPC_TRY(read_one(file, member, f, archive, error));
    }
}

sparcl_status spc_npz_file_read(spc_npz_file *file, spc_input *input, const char *name,
                                sparcl_error *error) {
    *file = (spc_npz_file){.present = {false}};
    if (!set_names(file, name))
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: expected the name of a member of up to %d bytes, found \"%.32s...\"; "
                        "save the archive with shorter names",
                        input->raw.name, SPC_MEMBER_CAPACITY - 16, name);
    sparcl_status status = SPARCL_OK;
    feed f = {.input = input};
    struct archive *archive = archive_read_new();
    f.block = spc_alloc(&input->raw.allocator, BLOCK_BYTES);
    if (!archive || !f.block)
        status = spc_fail_memory(error, input->raw.name, BLOCK_BYTES);
    else if (open_archive(archive, &f) != ARCHIVE_OK)
        status = fail_archive(&f, archive, error);
    else
        status = read_members(file, &f, archive, error);
    if (archive) archive_read_free(archive);
    spc_free(&input->raw.allocator, f.block, BLOCK_BYTES);
    return status;
}

void spc_npz_file_free(spc_npz_file *file, const sparcl_allocator *allocator) {
    for (int i = 0; i < SPC_NPZ_MEMBERS; i++)
        spc_array_free(&file->arrays[i].bytes, allocator);
}
