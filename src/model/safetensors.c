/* safetensors.c: reads and writes the safetensors format. */
#include "model/safetensors.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/text.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "safetensors are little-endian: this machine must swap bytes when reading and writing"
#endif

/* The maximum size of the header is that of the format's own library; the depth is header, tensor,
 * list.
 */
enum { LENGTH_BYTES = 8, HEADER_MAX = 100000000, DEPTH_MAX = 3 };

/* A name from a file for messages: short, without control characters. */
typedef struct shown {
    char text[96];
} shown;

static shown show(const char *name) {
    shown copy;
    spc_text text = spc_text_in(copy.text, sizeof copy.text);
    spc_text_add_shown(&text, name, strlen(name));
    return copy;
}

static const struct {
    const char *name;
    int64_t bytes;
} dtypes[] = {{"F32", 4}, {"F64", 8}, {"F16", 2}, {"BF16", 2}, {"I8", 1},  {"I16", 2}, {"I32", 4},
              {"I64", 8}, {"U8", 1},  {"U16", 2}, {"U32", 4},  {"U64", 8}, {"BOOL", 1}};

/* Returns the entry of the table above, with the bytes of one element; NULL when unknown. */
static const char *find_dtype(const char *name, int64_t *bytes) {
    for (size_t i = 0; name && i < SPC_COUNT(dtypes); i++) {
        if (strcmp(dtypes[i].name, name) != 0) continue;
        *bytes = dtypes[i].bytes;
        return dtypes[i].name;
    }
    return NULL;
}

/* bytes = element * shape[0] * shape[1] * ...; false on overflow. */
static bool tensor_bytes(const spc_tensor *tensor, int64_t element, int64_t *bytes) {
    *bytes = element;
    for (int i = 0; i < tensor->rank; i++) {
        if (tensor->shape[i] < 0 || !spc_mul_i64(*bytes, tensor->shape[i], bytes)) return false;
    }
    return true;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* NULL when out of memory, or when a text is not UTF-8. */
static json_t *notes_to_json(const spc_note *notes, int count) {
    json_t *const metadata = json_object();
    int bad = 0;
    for (int i = 0; i < count; i++)
        bad |= json_object_set_new(metadata, notes[i].key, json_string(notes[i].value));
    if (!bad) return metadata;
    json_decref(metadata);
    return NULL;
}

static json_t *tensor_to_json(const spc_tensor *tensor) {
    json_t *const shape = json_array();
    int bad = shape ? 0 : -1;
    for (int i = 0; i < tensor->rank; i++)
        bad |= json_array_append_new(shape, json_integer(tensor->shape[i]));
    json_t *const entry =
        json_pack("{s:s, s:o, s:[I, I]}", "dtype", tensor->dtype, "shape", shape, "data_offsets",
                  (json_int_t)tensor->begin, (json_int_t)(tensor->begin + tensor->bytes));
    if (bad) {
        json_decref(entry);
        return NULL;
    }
    return entry;
}

static sparcl_status place_tensors(spc_tensor *tensors, int count, sparcl_error *error) {
    int64_t at = 0;
    for (int i = 0; i < count; i++) {
        int64_t element = 0;
        tensors[i].begin = at;
        if (!find_dtype(tensors[i].dtype, &element) ||
            !tensor_bytes(&tensors[i], element, &tensors[i].bytes) ||
            !spc_add_i64(at, tensors[i].bytes, &at))
            return spc_fail(error, SPARCL_E_ARG,
                            "tensor %s: its type is unknown, or its shape is too large",
                            tensors[i].name);
    }
    return SPARCL_OK;
}

/* The length and the header as text, padded with blanks so that the tensors are aligned. */
static char *encode_head(const json_t *header, size_t *bytes) {
    const size_t flags = JSON_COMPACT | JSON_SORT_KEYS;
    const size_t length = json_dumpb(header, NULL, 0, flags);
    if (length == 0) return NULL;
    const size_t padded = (length + 7) / 8 * 8;
    char *const head = spc_alloc(NULL, LENGTH_BYTES + padded);
    if (!head) return NULL;
    for (int i = 0; i < LENGTH_BYTES; i++)
        head[i] = (char)(unsigned char)((uint64_t)padded >> (8 * i) & 0xff);
    memset(head + LENGTH_BYTES, ' ', padded);
    json_dumpb(header, head + LENGTH_BYTES, padded, flags);
    *bytes = LENGTH_BYTES + padded;
    return head;
}

sparcl_status spc_tensors_head(spc_tensor *tensors, int count, const spc_note *notes,
                               int note_count, char **head, size_t *head_bytes,
                               sparcl_error *error) {
    *head = NULL;
    SPC_TRY(place_tensors(tensors, count, error));
    json_t *const header = json_object();
    int bad = json_object_set_new(header, "__metadata__", notes_to_json(notes, note_count));
    for (int i = 0; i < count; i++)
        bad |= json_object_set_new(header, tensors[i].name, tensor_to_json(&tensors[i]));
    if (!bad) *head = encode_head(header, head_bytes);
    json_decref(header);
    return *head ? SPARCL_OK
                 : spc_fail(error, SPARCL_E_MEMORY, "no host memory for a safetensors header");
}

/* ---- reading -------------------------------------------------------------------------------- */

static sparcl_status read_exactly(const spc_tensors *in, void *out, size_t bytes,
                                  sparcl_error *error) {
    errno = 0;
    if (bytes == 0 || fread(out, 1, bytes, in->file) == bytes) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_IO, "%s: cannot be read: %s", in->path,
                    errno ? strerror(errno) : "it was truncated meanwhile");
}

static sparcl_status file_size(const spc_tensors *in, int64_t *bytes, sparcl_error *error) {
    if (fseeko(in->file, 0, SEEK_END) != 0 || (*bytes = ftello(in->file)) < 0 ||
        fseeko(in->file, 0, SEEK_SET) != 0)
        return spc_fail(error, SPARCL_E_IO, "%s: cannot be read: %s", in->path, strerror(errno));
    return SPARCL_OK;
}

/* The JSON parser recurses, so nesting is bounded before it sees the text. */
static bool is_too_deep(const char *text, size_t bytes) {
    int depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < bytes; i++) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            if (++depth > DEPTH_MAX) return true;
        } else if (c == '}' || c == ']') {
            depth--;
        }
    }
    return false;
}

static sparcl_status parse_json(spc_tensors *in, const char *text, size_t bytes,
                                sparcl_error *error) {
    if (bytes == 0 || text[0] != '{')
        return spc_fail(error, SPARCL_E_FORMAT, "%s: byte 8: the header must begin with '{'",
                        in->path);
    if (is_too_deep(text, bytes))
        return spc_fail(error, SPARCL_E_FORMAT, "%s: the header is nested deeper than %d", in->path,
                        DEPTH_MAX);
    json_error_t why;
    in->header = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &why);
    if (in->header) return SPARCL_OK;
    if (json_error_code(&why) == json_error_out_of_memory)
        return spc_fail_memory(error, in->path, bytes);
    return spc_fail(error, SPARCL_E_FORMAT, "%s: byte %lld: the header is invalid JSON: %s",
                    in->path, (long long)why.position + LENGTH_BYTES, show(why.text).text);
}

static sparcl_status read_header(spc_tensors *in, int64_t file_bytes, sparcl_error *error) {
    unsigned char raw[LENGTH_BYTES];
    if (file_bytes < LENGTH_BYTES)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: a safetensors file has at least 8 bytes, this one has %lld", in->path,
                        (long long)file_bytes);
    SPC_TRY(read_exactly(in, raw, sizeof raw, error));
    uint64_t length = 0;
    for (int i = LENGTH_BYTES; i-- > 0;)
        length = length << 8 | raw[i];
    if (length > HEADER_MAX || length > (uint64_t)(file_bytes - LENGTH_BYTES))
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: not a safetensors file: its first 8 bytes declare a header of %llu "
                        "bytes, the file has %lld (at most %d are allowed)",
                        in->path, (unsigned long long)length, (long long)file_bytes, HEADER_MAX);
    in->data_at = LENGTH_BYTES + (int64_t)length;

    const size_t capacity = (size_t)length + 1;
    char *const text = spc_alloc(NULL, capacity);
    if (!text) return spc_fail_memory(error, in->path, capacity);
    sparcl_status status = read_exactly(in, text, (size_t)length, error);
    if (status == SPARCL_OK) status = parse_json(in, text, (size_t)length, error);
    spc_free(NULL, text, capacity);
    return status;
}

static sparcl_status bad_tensor(const spc_tensors *in, const char *name, const char *expected,
                                sparcl_error *error) {
    return spc_fail(error, SPARCL_E_FORMAT, "%s: tensor %s: %s", in->path, show(name).text,
                    expected);
}

/* Parse a list of at most `maximum` integers, none negative; returns their number, or -1 for
 * anything else. */
static int parse_sizes(const json_t *list, int64_t *sizes, int maximum) {
    if (!json_is_array(list) || json_array_size(list) > (size_t)maximum) return -1;
    const int count = (int)json_array_size(list);
    for (int i = 0; i < count; i++) {
        const json_t *const item = json_array_get(list, (size_t)i);
        if (!json_is_integer(item) || json_integer_value(item) < 0) return -1;
        sizes[i] = json_integer_value(item);
    }
    return count;
}

static sparcl_status parse_tensor(const spc_tensors *in, const char *name, const json_t *entry,
                                  spc_tensor *tensor, sparcl_error *error) {
    int64_t element = 0, bytes = 0, ends[2] = {0};
    *tensor = (spc_tensor){.name = name};
    if (json_object_size(entry) != 3)
        return bad_tensor(in, name, "expected exactly dtype, shape and data_offsets", error);
    tensor->dtype = find_dtype(json_string_value(json_object_get(entry, "dtype")), &element);
    if (!tensor->dtype) return bad_tensor(in, name, "its dtype is missing or unknown", error);
    tensor->rank = parse_sizes(json_object_get(entry, "shape"), tensor->shape, SPC_TENSOR_RANK);
    if (tensor->rank < 0)
        return bad_tensor(in, name, "its shape is not a list of at most 8 sizes", error);
    if (parse_sizes(json_object_get(entry, "data_offsets"), ends, 2) != 2 || ends[0] > ends[1])
        return bad_tensor(in, name, "its data_offsets are not [begin, end]", error);
    tensor->begin = ends[0];
    tensor->bytes = ends[1] - ends[0];
    if (!tensor_bytes(tensor, element, &bytes))
        return bad_tensor(in, name, "its shape is too large", error);
    if (bytes != tensor->bytes)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: tensor %s: its shape needs %lld bytes, data_offsets have %lld",
                        in->path, show(name).text, (long long)bytes, (long long)tensor->bytes);
    return SPARCL_OK;
}

static sparcl_status parse_metadata(const spc_tensors *in, json_t *metadata, sparcl_error *error) {
    const char *key;
    json_t *value;
    if (!json_is_object(metadata))
        return spc_fail(error, SPARCL_E_FORMAT, "%s: __metadata__ is not an object", in->path);
    json_object_foreach(metadata, key, value) {
        if (!json_is_string(value))
            return spc_fail(error, SPARCL_E_FORMAT, "%s: metadata %s is not a string", in->path,
                            show(key).text);
    }
    return SPARCL_OK;
}

static sparcl_status parse_header(spc_tensors *in, sparcl_error *error) {
    in->capacity = json_object_size(in->header) + 1;
    in->tensors = spc_alloc_zero(NULL, in->capacity, sizeof *in->tensors);
    if (!in->tensors) return spc_fail_memory(error, in->path, in->capacity * sizeof *in->tensors);
    const char *key;
    json_t *value;
    json_object_foreach(in->header, key, value) {
        if (strcmp(key, "__metadata__") == 0) {
            SPC_TRY(parse_metadata(in, value, error));
        } else {
            SPC_TRY(parse_tensor(in, key, value, &in->tensors[in->count], error));
            in->count++;
        }
    }
    return SPARCL_OK;
}

/* Order by position; a tensor without bytes comes before another at the same position. */
static int compare_places(const void *left, const void *right) {
    const spc_tensor *const a = left, *const b = right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static sparcl_status check_places(spc_tensors *in, int64_t data_bytes, sparcl_error *error) {
    int64_t at = 0;
    qsort(in->tensors, (size_t)in->count, sizeof *in->tensors, compare_places);
    for (int64_t i = 0; i < in->count; i++) {
        const spc_tensor *const tensor = &in->tensors[i];
        if (tensor->begin != at)
            return spc_fail(error, SPARCL_E_FORMAT,
                            "%s: tensor %s begins at byte %lld of the data, expected %lld: %s",
                            in->path, show(tensor->name).text, (long long)tensor->begin,
                            (long long)at,
                            tensor->begin > at ? "there is a hole" : "it overlaps another");
        at += tensor->bytes;
    }
    if (at != data_bytes)
        return spc_fail(error, SPARCL_E_FORMAT,
                        "%s: the header describes %lld bytes of data, the file has %lld", in->path,
                        (long long)at, (long long)data_bytes);
    return SPARCL_OK;
}

sparcl_status spc_tensors_open(spc_tensors *in, FILE *file, const char *path, sparcl_error *error) {
    sparcl_status status;
    int64_t bytes = 0;
    *in = (spc_tensors){.file = file, .path = path};
    SPC_GO(file_size(in, &bytes, error));
    SPC_GO(read_header(in, bytes, error));
    SPC_GO(parse_header(in, error));
    SPC_GO(check_places(in, bytes - in->data_at, error));
done:
    if (status != SPARCL_OK) spc_tensors_close(in);
    return status;
}

void spc_tensors_close(spc_tensors *in) {
    spc_free(NULL, in->tensors, in->capacity * sizeof *in->tensors);
    json_decref(in->header);
    *in = (spc_tensors){0};
}

const spc_tensor *spc_tensors_find(const spc_tensors *in, const char *name) {
    for (int64_t i = 0; i < in->count; i++) {
        if (strcmp(in->tensors[i].name, name) == 0) return &in->tensors[i];
    }
    return NULL;
}

const char *spc_tensors_note(const spc_tensors *in, const char *key) {
    return json_string_value(json_object_get(json_object_get(in->header, "__metadata__"), key));
}

int spc_tensors_note_count(const spc_tensors *in) {
    return (int)json_object_size(json_object_get(in->header, "__metadata__"));
}

sparcl_status spc_tensors_each_note(const spc_tensors *in,
                                    sparcl_status (*each)(void *user, const char *key,
                                                          const char *value),
                                    void *user) {
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(in->header, "__metadata__"), key, value) {
        const sparcl_status status = each(user, key, json_string_value(value));
        if (status != SPARCL_OK) return status;
    }
    return SPARCL_OK;
}

bool spc_is_utf8(const char *text) {
    json_t *const made = json_string(text);
    json_decref(made);
    return made != NULL;
}

sparcl_status spc_tensors_read(const spc_tensors *in, const spc_tensor *tensor, void *out,
                               sparcl_error *error) {
    if (fseeko(in->file, (off_t)(in->data_at + tensor->begin), SEEK_SET) != 0)
        return spc_fail(error, SPARCL_E_IO, "%s: cannot be read: %s", in->path, strerror(errno));
    return read_exactly(in, out, (size_t)tensor->bytes, error);
}
