/*
 * decode.c: decompresses gzip, bzip2, xz, zstd and lz4 streams, with libarchive.
 *
 * libarchive does not compare the checksum at the end of a gzip member, so it is done here.
 * Therefore gzip files are decoded member by member: the input of the archive ends where the next
 * header begins.
 */
#include "data/io/decode.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/io/crc32.h"

enum { GZIP_HEADER = 10, GZIP_TRAILER = 8, GZIP_MIN = GZIP_HEADER + GZIP_TRAILER };

typedef struct known_coding {
    const char *name, *magic;
    size_t magic_size;
    int (*support)(struct archive *);
} known_coding;

static const known_coding codings[] = {
    [SPC_CODING_GZIP] = {"gzip", "\x1f\x8b", 2, archive_read_support_filter_gzip},
    [SPC_CODING_BZIP2] = {"bzip2", "BZh", 3, archive_read_support_filter_bzip2},
    [SPC_CODING_XZ] = {"xz",
                       "\xfd"
                       "7zXZ",
                       6, archive_read_support_filter_xz},
    [SPC_CODING_ZSTD] = {"zstd", "\x28\xb5\x2f\xfd", 4, archive_read_support_filter_zstd},
    [SPC_CODING_LZ4] = {"lz4", "\x04\x22\x4d\x18", 4, archive_read_support_filter_lz4},
};

struct spc_decoder {
    spc_raw *raw;
    spc_coding coding;
    struct archive *archive;
    int failure;                      /* errno of reading the file */
    size_t given;                     /* raw bytes that the archive may still be reading */
    bool member_end;                  /* gzip: the next raw byte begins another member */
    int64_t member_bytes;             /* gzip: raw bytes of this member passed to the archive */
    unsigned char tail[GZIP_TRAILER]; /* gzip: the last of these bytes */
    spc_crc32 crc;
    uint32_t plain_bytes; /* gzip: decoded bytes of this member modulo 2^32, as in its trailer */
};

spc_coding spc_coding_of(const char *bytes, size_t size) {
    for (spc_coding i = SPC_CODING_GZIP; i <= SPC_CODING_LZ4; i++)
        if (size >= codings[i].magic_size &&
            memcmp(bytes, codings[i].magic, codings[i].magic_size) == 0)
            return i;
    return SPC_CODING_NONE;
}

/*
 * The fixed part of a header: no reserved flag, and only the known values of XFL and OS. These bits
 * match by chance about once in 10^11 bytes; such a file would be refused, never read incorrectly.
 */
static bool is_gzip_header(const unsigned char *at) {
    return at[0] == 0x1f && at[1] == 0x8b && at[2] == 8 && at[3] < 0x20 &&
           (at[8] == 0 || at[8] == 2 || at[8] == 4) && (at[9] <= 13 || at[9] == 255);
}

/* The number of these bytes that belong to this member, which has at least GZIP_MIN bytes. */
static size_t find_member_end(spc_decoder *decoder, const unsigned char *bytes, size_t size) {
    size_t at = decoder->member_bytes < GZIP_MIN ? (size_t)(GZIP_MIN - decoder->member_bytes) : 0;
    while (at + GZIP_HEADER <= size) {
        const unsigned char *found = memchr(bytes + at, 0x1f, size - at - (GZIP_HEADER - 1));
        if (!found) break;
        at = (size_t)(found - bytes);
        if (is_gzip_header(found)) {
            decoder->member_end = true;
            return at;
        }
        at++;
    }
    /* A header may begin in the last bytes; keep them until more bytes are read. */
    return decoder->raw->at_end ? size : size - (GZIP_HEADER - 1);
}

static void keep_tail(spc_decoder *decoder, const unsigned char *bytes, size_t size) {
    decoder->member_bytes += (int64_t)size;
    const size_t kept = size < GZIP_TRAILER ? size : GZIP_TRAILER;
    memmove(decoder->tail, decoder->tail + kept, GZIP_TRAILER - kept);
    memcpy(decoder->tail + GZIP_TRAILER - kept, bytes + size - kept, kept);
}

static la_ssize_t feed(struct archive *archive, void *user, const void **block) {
    spc_decoder *decoder = user;
    spc_raw *raw = decoder->raw;
    raw->at += decoder->given;
    decoder->given = 0;
    *block = NULL;
    if (decoder->member_end) return 0;
    if (raw->end - raw->at < GZIP_MIN + GZIP_HEADER) {
        decoder->failure = spc_raw_refill(raw);
        if (decoder->failure) {
            archive_set_error(archive, decoder->failure, "%s", strerror(decoder->failure));
            return -1;
        }
    }
    const unsigned char *bytes = (const unsigned char *)raw->bytes + raw->at;
    decoder->given = raw->end - raw->at;
    if (decoder->coding == SPC_CODING_GZIP) {
        decoder->given = find_member_end(decoder, bytes, decoder->given);
        keep_tail(decoder, bytes, decoder->given);
    }
    *block = bytes;
    return (la_ssize_t)decoder->given;
}

static sparcl_status fail(const spc_decoder *decoder, const char *found, sparcl_error *error) {
    if (decoder->failure)
        return spc_fail(error, SPARCL_E_IO, "%s: cannot be read: %s", decoder->raw->name,
                        strerror(decoder->failure));
    return spc_fail(error, SPARCL_E_FORMAT,
                    "expected an undamaged %s stream, found %s; fetch or compress the file again",
                    codings[decoder->coding].name, found);
}

static sparcl_status fail_archive(const spc_decoder *decoder, sparcl_error *error) {
    const char *found = decoder->archive ? archive_error_string(decoder->archive) : NULL;
    return fail(decoder, found ? found : "damage", error);
}

/* Open an archive object for the next stream; *end: the stream is empty. */
static sparcl_status start(spc_decoder *decoder, bool *end, sparcl_error *error) {
    decoder->member_end = false;
    decoder->member_bytes = 0;
    decoder->plain_bytes = 0;
    spc_crc32_start(&decoder->crc);
    decoder->archive = archive_read_new();
    if (!decoder->archive) return spc_fail_memory(error, "decoder", 0);
    struct archive *archive = decoder->archive;
    /* A warning here would mean that libarchive would run an external program. */
    if (codings[decoder->coding].support(archive) != ARCHIVE_OK)
        return spc_fail(error, SPARCL_E_UNSUPPORTED, "libarchive was built without %s",
                        codings[decoder->coding].name);
    archive_read_support_format_raw(archive);
    archive_read_support_format_empty(archive);
    if (archive_read_open(archive, decoder, NULL, feed, NULL) != ARCHIVE_OK)
        return fail_archive(decoder, error);
    struct archive_entry *entry = NULL;
    const int result = archive_read_next_header(archive, &entry);
    *end = result == ARCHIVE_EOF;
    if (result != ARCHIVE_OK && !*end) return fail_archive(decoder, error);
    const int filters = archive_filter_count(archive); /* including the one that does nothing */
    if (filters < 2) return fail(decoder, "a damaged header", error);
    return filters == 2 ? SPARCL_OK : fail(decoder, "a stream inside the stream", error);
}

static uint32_t little_endian(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* At the end of a stream: check it; *more: another gzip member follows. */
static sparcl_status finish(spc_decoder *decoder, bool *more, sparcl_error *error) {
    *more = decoder->member_end;
    if (decoder->coding == SPC_CODING_GZIP) {
        if (little_endian(decoder->tail) != spc_crc32_value(&decoder->crc))
            return fail(decoder, "a wrong checksum", error);
        if (little_endian(decoder->tail + 4) != decoder->plain_bytes)
            return fail(decoder, "a wrong length", error);
    }
    decoder->raw->at += decoder->given;
    decoder->given = 0;
    archive_read_free(decoder->archive);
    decoder->archive = NULL;
    return SPARCL_OK;
}

sparcl_status spc_decoder_open(spc_decoder **decoder, spc_raw *raw, spc_coding coding,
                               sparcl_error *error) {
    spc_decoder *made = spc_alloc_zero(&raw->allocator, 1, sizeof *made);
    if (!made) return spc_fail_memory(error, raw->name, sizeof *made);
    made->raw = raw;
    made->coding = coding;
    spc_crc32_prepare(&made->crc);
    made->member_end = true; /* the first stream must be started */
    *decoder = made;
    return SPARCL_OK;
}

void spc_decoder_close(spc_decoder *decoder) {
    if (!decoder) return;
    if (decoder->archive) archive_read_free(decoder->archive);
    spc_free(&decoder->raw->allocator, decoder, sizeof *decoder);
}

sparcl_status spc_decoder_next(spc_decoder *decoder, const char **bytes, size_t *size,
                               sparcl_error *error) {
    *size = 0;
    for (;;) {
        bool end = false;
        if (!decoder->archive) {
            if (!decoder->member_end) return SPARCL_OK;
            SPC_TRY(start(decoder, &end, error));
        }
        const void *block = NULL;
        la_int64_t offset = 0;
        if (!end) {
            const int result = archive_read_data_block(decoder->archive, &block, size, &offset);
            end = result == ARCHIVE_EOF;
            if (end) *size = 0;
            if (result != ARCHIVE_OK && !end) {
                *size = 0;
                return fail_archive(decoder, error);
            }
        }
        if (!end && *size > 0) {
            *bytes = block;
            if (decoder->coding == SPC_CODING_GZIP) spc_crc32_add(&decoder->crc, block, *size);
            decoder->plain_bytes += (uint32_t)*size;
            return SPARCL_OK;
        }
        bool more = false;
        if (end) {
            SPC_TRY(finish(decoder, &more, error));
            decoder->member_end = more;
        }
    }
}
