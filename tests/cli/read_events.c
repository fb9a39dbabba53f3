/* read_events.c: prints what is in an event file of TensorBoard, "STEP TAG VALUE" in each line,
 * after checking each sum, key and length. Written from the formats, not from the code that writes.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint32_t table[256];

static void fail(const char *why, long at) {
    fprintf(stderr, "byte %ld: %s\n", at, why);
    exit(1);
}

static void require(bool good, const char *why, long at) {
    if (!good) fail(why, at);
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* The polynomial 0x1edc6f41, with its bits in the other order. */
static void make_table(void) {
    for (uint32_t byte = 0; byte < 256; ++byte) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit)
            crc = crc & 1 ? 0x82f63b78u ^ crc >> 1 : crc >> 1;
        table[byte] = crc;
    }
}

static uint32_t sum(const unsigned char *bytes, size_t count) {
    uint32_t crc = 0xffffffffu;
    while (count-- > 0)
        crc = table[(crc ^ *bytes++) & 0xff] ^ crc >> 8;
    return crc ^ 0xffffffffu;
}

static uint64_t number(const unsigned char *bytes, int count) {
    uint64_t value = 0;
    while (count-- > 0)
        value = value << 8 | bytes[count];
    return value;
}

static void check_sum(const unsigned char *bytes, size_t count, const unsigned char *stored,
                      long at) {
    const uint32_t masked = (uint32_t)number(stored, 4), rotated = masked - 0xa282ead8u;
    require((rotated >> 17 | rotated << 15) == sum(bytes, count), "wrong sum", at);
}

/* ---- messages ------------------------------------------------------------------------------- */

typedef struct field {
    unsigned key; /* number and wire type */
    uint64_t value;
    const unsigned char *bytes; /* of wire type 2: `value` of them */
} field;

static uint64_t varint(const unsigned char **at, const unsigned char *end) {
    uint64_t value = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        const unsigned char byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
    fail("a number has no end", -1);
    return 0;
}

static bool next_field(field *f, const unsigned char **at, const unsigned char *end) {
    if (*at == end) return false;
    f->key = (unsigned)varint(at, end);
    const unsigned wire = f->key & 7;
    const int fixed = wire == 1 ? 8 : wire == 5 ? 4 : 0;
    require(wire == 0 || wire == 2 || fixed, "unknown wire type", -1);
    require(end - *at >= fixed, "a field is cut off", -1);
    f->value = fixed ? number(*at, fixed) : varint(at, end);
    f->bytes = *at;
    *at += fixed;
    if (wire != 2) return true;
    require((uint64_t)(end - *at) >= f->value, "a field is cut off", -1);
    *at += f->value;
    return true;
}

static void print_value(const unsigned char *at, const unsigned char *end, int64_t step) {
    field f;
    float value = NAN;
    char tag[64] = "";
    while (next_field(&f, &at, end)) {
        const uint32_t bits = (uint32_t)f.value;
        if (f.key == (1 << 3 | 2))
            snprintf(tag, sizeof tag, "%.*s", (int)f.value, (const char *)f.bytes);
        else if (f.key == (2 << 3 | 5))
            memcpy(&value, &bits, sizeof value);
        else
            fail("unknown field of a value", -1);
    }
    printf("%lld %s %.9g\n", (long long)step, tag, (double)value);
}

static void print_event(const unsigned char *at, const unsigned char *end) {
    field f;
    int64_t step = 0;
    double seconds = 0;
    while (next_field(&f, &at, end)) {
        const unsigned char *inner = f.bytes;
        field part;
        switch (f.key) {
        case 1 << 3 | 1:
            memcpy(&seconds, &f.value, sizeof seconds);
            break;
        case 2 << 3 | 0:
            step = (int64_t)f.value;
            break;
        case 3 << 3 | 2:
            printf("version %.*s\n", (int)f.value, (const char *)f.bytes);
            break;
        case 5 << 3 | 2:
            while (next_field(&part, &inner, f.bytes + f.value)) {
                require(part.key == (1 << 3 | 2), "unknown field of a summary", -1);
                print_value(part.bytes, part.bytes + part.value, step);
            }
            break;
        case 7 << 3 | 2:
            require(next_field(&part, &inner, f.bytes + f.value) && part.key == 1 << 3, "status",
                    -1);
            printf("%lld session %d\n", (long long)step, (int)part.value);
            break;
        default:
            fail("unknown field of an event", -1);
        }
    }
    require(fabs(seconds - (double)time(NULL)) < 3600, "the time is not now", -1);
}

int main(int argc, char **argv) {
    unsigned char head[12], data[4096];
    FILE *const file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file) return 2;
    make_table();
    require(sum((const unsigned char *)"123456789", 9) == 0xe3069283u, "CRC-32C", -1);
    for (size_t got; (got = fread(head, 1, sizeof head, file)) > 0;) {
        const long at = ftell(file);
        require(got == sizeof head, "a head is cut off", at);
        check_sum(head, 8, head + 8, at);
        const uint64_t length = number(head, 8);
        require(length + 4 <= sizeof data, "a record is too long", at);
        require(fread(data, 1, length + 4, file) == length + 4, "a record is cut off", at);
        check_sum(data, length, data + length, at);
        print_event(data, data + length);
    }
    fclose(file);
    return 0;
}
