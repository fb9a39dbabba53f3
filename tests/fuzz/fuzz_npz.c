/*
 * fuzz_npz.c: libFuzzer target for .npz matrices and .npy labels. The first byte says how to read,
 * with 64 with labels. With 128 in it the rest is the archive as it is; else it is packed here from
 * parts, each a length (two bytes, low first) and the bytes of a member, the sixth the labels: so a
 * mutation passes the checksums of the archive. Members after the last byte are left out.
 */
#include "fuzz_data.h"

#include <archive.h>
#include <archive_entry.h>

enum { PARTS = 10, FIRST = 6, ROOM = 1 << 20 };

static const char *const names[PARTS] = {"indices.npy", "indptr.npy", "format.npy", "shape.npy",
                                         "data.npy",    NULL,         "row.npy",    "col.npy",
                                         "offsets.npy", "coords.npy"};

static void add_member(struct archive *archive, const char *name, const uint8_t *bytes,
                       size_t size) {
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, (la_int64_t)size);
    archive_write_header(archive, entry);
    archive_write_data(archive, bytes, size);
    archive_entry_free(entry);
}

/* Pack the parts; the labels go to a file of their own. */
static void pack(const uint8_t *bytes, size_t size, fuzz_file *file, fuzz_file *labels) {
    static char packed[ROOM];
    size_t used = 0;
    struct archive *archive = archive_write_new();
    archive_write_set_format_zip(archive);
    archive_write_set_options(archive, "zip:compression=store");
    archive_write_open_memory(archive, packed, sizeof packed, &used);
    for (int i = 0; i < PARTS && (size > 0 || i < FIRST); i++) {
        const size_t expected = size < 2 ? 0 : (size_t)bytes[0] | (size_t)bytes[1] << 8;
        const size_t head = size < 2 ? size : 2;
        const size_t length = expected < size - head ? expected : size - head;
        if (names[i] && length > 0)
            add_member(archive, names[i], bytes + head, length);
        else if (!names[i])
            fuzz_write(labels, bytes + head, length);
        bytes += head + length;
        size -= head + length;
    }
    archive_write_free(archive);
    fuzz_write(file, packed, used);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static fuzz_file file, labels;
    if (size < 1 || size > ROOM / 2) return 0;
    sparcl_data_desc desc = fuzz_desc(bytes[0] & 127);
    if (bytes[0] & 128)
        fuzz_write(&file, bytes + 1, size - 1);
    else
        pack(bytes + 1, size - 1, &file, &labels);
    if (bytes[0] & 64) desc.labels = bytes[0] & 128 ? file.path : labels.path;
    fuzz_read(file.path, &desc);
    return 0;
}
