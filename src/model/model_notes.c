/* model_notes.c: texts by keys that a model keeps. */
#include "model/model_notes.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/model_object.h"

/* Keys of notes begin with it in a file. */
static const char prefix[] = "note.";
enum { PREFIX = sizeof prefix - 1 };

static const char *key_of(const char *entry) {
    return entry + PREFIX;
}

static const char *text_of(const char *entry) {
    return entry + strlen(entry) + 1;
}

static size_t bytes_of(const char *entry) {
    return strlen(entry) + 1 + strlen(text_of(entry)) + 1;
}

/* Where a key is, or would be. */
static int place_of(const spc_model_notes *notes, const char *key) {
    int i = 0;
    while (i < notes->count && strcmp(key_of(notes->list[i]), key) < 0)
        i++;
    return i;
}

static bool has_at(const spc_model_notes *notes, int i, const char *key) {
    return i < notes->count && strcmp(key_of(notes->list[i]), key) == 0;
}

static char *make_entry(const char *key, const char *text) {
    const size_t key_bytes = strlen(key) + 1, text_bytes = strlen(text) + 1;
    char *const entry = spc_alloc(NULL, PREFIX + key_bytes + text_bytes);
    if (!entry) return NULL;
    memcpy(entry, prefix, PREFIX);
    memcpy(entry + PREFIX, key, key_bytes);
    memcpy(entry + PREFIX + key_bytes, text, text_bytes);
    return entry;
}

static void move_rest(spc_model_notes *notes, int from, int to) {
    memmove(notes->list + to, notes->list + from,
            (size_t)(notes->count - from) * sizeof *notes->list);
    notes->count += to - from;
}

static void take_out(spc_model_notes *notes, int i) {
    spc_free(NULL, notes->list[i], bytes_of(notes->list[i]));
    move_rest(notes, i + 1, i);
}

static const char *wrong(const char *key, const char *text) {
    if (!key || !*key || strlen(key) >= SPARCL_NOTE_KEY) return "expected a key of 1 to 63 bytes";
    if (!spc_is_utf8(key)) return "expected a key in UTF-8";
    if (text && strlen(text) >= SPARCL_NOTE_TEXT) return "expected a text of less than 64 KiB";
    return text && !spc_is_utf8(text) ? "expected a text in UTF-8" : NULL;
}

static sparcl_status set_note(spc_model_notes *notes, const char *key, const char *text,
                              sparcl_status status, const char *what, sparcl_error *error) {
    if (wrong(key, text))
        return spc_fail(error, status, "%s: note \"%.63s\": %s", what, key ? key : "",
                        wrong(key, text));
    const int at = place_of(notes, key);
    const bool is_there = has_at(notes, at, key);
    if (!is_there && text && notes->count == SPARCL_MODEL_NOTES)
        return spc_fail(error, status, "%s: note \"%s\": expected at most %d notes", what, key,
                        SPARCL_MODEL_NOTES);
    char *const entry = text ? make_entry(key, text) : NULL;
    if (text && !entry) return spc_fail_memory(error, what, strlen(text));
    if (is_there) take_out(notes, at);
    if (!text) return SPARCL_OK;
    move_rest(notes, at, at + 1);
    notes->list[at] = entry;
    return SPARCL_OK;
}

/* ---- of a model ----------------------------------------------------------------------------- */

sparcl_status sparcl_model_set_note(sparcl_model *model, const char *key, const char *text,
                                    sparcl_error *error) {
    if (!model) return spc_fail(error, SPARCL_E_ARG, "set_note: model is NULL");
    return set_note(&model->notes, key, text, SPARCL_E_ARG, "set_note", error);
}

const char *sparcl_model_note(const sparcl_model *model, const char *key) {
    const int at = place_of(&model->notes, key);
    return has_at(&model->notes, at, key) ? text_of(model->notes.list[at]) : NULL;
}

const char *sparcl_model_note_key(const sparcl_model *model, int i) {
    return i >= 0 && i < model->notes.count ? key_of(model->notes.list[i]) : NULL;
}

/* ---- in a file ------------------------------------------------------------------------------ */

int spc_model_notes_write(const spc_model_notes *notes, spc_note *to) {
    for (int i = 0; i < notes->count; i++)
        to[i] = (spc_note){notes->list[i], text_of(notes->list[i])};
    return notes->count;
}

typedef struct reading {
    const spc_tensors *in;
    spc_model_notes *notes;
    sparcl_error *error;
} reading;

static sparcl_status read_note(void *user, const char *key, const char *value) {
    const reading *const r = user;
    if (strncmp(key, prefix, PREFIX) != 0) return SPARCL_OK;
    return set_note(r->notes, key + PREFIX, value, SPARCL_E_FORMAT, r->in->path, r->error);
}

sparcl_status spc_model_notes_read(const spc_tensors *in, spc_model_notes *notes,
                                   sparcl_error *error) {
    reading r = {in, notes, error};
    notes->count = 0;
    return spc_tensors_each_note(in, read_note, &r);
}

void spc_model_notes_free(spc_model_notes *notes) {
    while (notes->count > 0)
        take_out(notes, notes->count - 1);
}
