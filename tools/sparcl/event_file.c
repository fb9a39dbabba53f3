/* event_file.c: scalars for TensorBoard: an event file, which is TFRecords of protobuf messages.
 *
 * A record is the length of its data (uint64), the masked CRC-32C of that (uint32), the data, and
 * their masked CRC-32C, all little-endian. The data are a message Event (tensorflow/core/util/
 * event.proto): wall_time = 1, step = 2, file_version = 3, summary = 5, session_log = 7; a Summary
 * has values = 1; a Value has tag = 1 and simple_value = 2; a SessionLog has status = 1.
 */
#include "event_file.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "message.h"

enum { HOST_BYTES = 256, TAG_BYTES = 64, MESSAGE_BYTES = 256, SESSION_START = 1 };

/* Of protobuf. */
enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

/* ---- messages ------------------------------------------------------------------------------- */

typedef struct message {
    unsigned char bytes[MESSAGE_BYTES];
    size_t count;
} message;

static void put_varint(message *m, uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        m->bytes[m->count++] = (unsigned char)(value | 0x80);
    m->bytes[m->count++] = (unsigned char)value;
}

static void put_key(message *m, unsigned field, unsigned wire) {
    put_varint(m, field << 3 | wire);
}

/* The lowest bytes of a number, the first one first. */
static void put_fixed(message *m, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        m->bytes[m->count++] = (unsigned char)(value >> (8 * i));
}

static void put_bytes(message *m, unsigned field, const void *bytes, size_t count) {
    put_key(m, field, WIRE_BYTES);
    put_varint(m, count);
    memcpy(m->bytes + m->count, bytes, count);
    m->count += count;
}

static message begin_event(int64_t step) {
    message m = {.count = 0};
    struct timespec now;
    uint64_t bits;
    clock_gettime(CLOCK_REALTIME, &now);
    const double seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    memcpy(&bits, &seconds, sizeof bits);
    put_key(&m, 1, WIRE_64);
    put_fixed(&m, bits, 8);
    put_key(&m, 2, WIRE_VARINT);
    put_varint(&m, (uint64_t)step);
    return m;
}

static message describe_scalar(const char *tag, double number) {
    message value = {.count = 0}, summary = {.count = 0};
    const float rounded = (float)number;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    put_bytes(&value, 1, tag, strnlen(tag, TAG_BYTES));
    put_key(&value, 2, WIRE_32);
    put_fixed(&value, bits, 4);
    put_bytes(&summary, 1, value.bytes, value.count);
    return summary;
}

/* ---- records -------------------------------------------------------------------------------- */

uint32_t crc32c(const void *bytes, size_t count) {
    const unsigned char *const b = bytes;
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        crc ^= b[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

/* So that the sum of data that contain sums is not one of them. */
static uint32_t masked_crc(const void *bytes, size_t count) {
    const uint32_t crc = crc32c(bytes, count);
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static void write_record(FILE *file, const message *data) {
    message head = {.count = 0}, tail = {.count = 0};
    put_fixed(&head, data->count, 8);
    put_fixed(&head, masked_crc(head.bytes, 8), 4);
    put_fixed(&tail, masked_crc(data->bytes, data->count), 4);
    fwrite(head.bytes, 1, head.count, file);
    fwrite(data->bytes, 1, data->count, file);
    fwrite(tail.bytes, 1, tail.count, file);
}

/* ---- the file ------------------------------------------------------------------------------- */

/* TensorBoard reads the files of a folder in the order of their names. */
static char *name_file(const char *folder) {
    char host[HOST_BYTES] = "localhost";
    const size_t bytes = strlen(folder) + HOST_BYTES + 64;
    char *const path = malloc(bytes);
    (void)gethostname(host, sizeof host - 1);
    if (path)
        snprintf(path, bytes, "%s/events.out.tfevents.%010lld.%s.%ld.sparcl", folder,
                 (long long)time(NULL), host, (long)getpid());
    return path;
}

/* The version; and that a session begins: what is of an earlier one in the folder is over. */
static void write_beginning(event_file *events) {
    static const char version[] = "brain.Event:2";
    static const unsigned char status[] = {1 << 3 | WIRE_VARINT, SESSION_START};
    message first = begin_event(0), second = begin_event(0);
    put_bytes(&first, 3, version, sizeof version - 1);
    put_bytes(&second, 7, status, sizeof status);
    write_record(events->out.file, &first);
    write_record(events->out.file, &second);
    event_file_flush(events);
}

/* The folder and those that it is in. */
static bool make_folders(char *path) {
    for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        const bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made) return false;
    }
    return true;
}

static exit_code cannot_make(const char *folder) {
    print_error("%s: the folder cannot be made: %s", folder, strerror(errno));
    print_remedy("use another folder with --tensorboard, which can be written");
    return EXIT_RUNTIME;
}

exit_code event_file_open(event_file *events, const char *folder) {
    *events = (event_file){0};
    if (!folder) return EXIT_OK;
    events->path = name_file(folder);
    if (!events->path) return out_of_memory();
    if (!make_folders(events->path)) return cannot_make(folder);
    const exit_code code = out_open_growing(&events->out, events->path);
    if (code == EXIT_OK) write_beginning(events);
    return code;
}

void event_file_add(event_file *events, int64_t step, const char *tag, double value) {
    if (!events->out.file || isnan(value)) return;
    const message summary = describe_scalar(tag, value);
    message event = begin_event(step);
    put_bytes(&event, 5, summary.bytes, summary.count);
    write_record(events->out.file, &event);
}

void event_file_flush(event_file *events) {
    if (events->out.file && out_flush(&events->out) != EXIT_OK)
        print_note("the run goes on without this file");
}

exit_code event_file_close(event_file *events) {
    const exit_code code = out_close(&events->out, true);
    free(events->path);
    *events = (event_file){0};
    return code;
}
