/* select.c: find the device of a list that a selector names; needs no OpenCL. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sparcl/device.h"

#define MAX_TEXT       256
#define EXTRA_CAPACITY 24 /* for "and N more" */

static bool same(const char *a, const char *b) {
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b))
        ++a, ++b;
    return *a == 0 && *b == 0;
}

static bool contains(const char *text, const char *part) {
    for (; *text; ++text) {
        size_t n = 0;
        while (part[n] && tolower((unsigned char)text[n]) == tolower((unsigned char)part[n]))
            ++n;
        if (part[n] == 0) return true;
    }
    return false;
}

/* The address after "pci:", or NULL. */
static const char *pci_address(const char *text) {
    const char *prefix = "pci:";
    for (; *prefix; ++prefix, ++text)
        if (tolower((unsigned char)*text) != *prefix) return NULL;
    return text;
}

static bool fits_name(const sparcl_device_list *list, const sparcl_device *device,
                      const char *part) {
    const sparcl_platform *platform = &list->platforms[device->platform];
    return contains(device->name, part) || contains(device->vendor, part) ||
           contains(platform->name, part) || contains(platform->vendor, part);
}

/* One parsed selector. */
typedef struct selector {
    char name[MAX_TEXT];
    int number;           /* the N of "name:N", or -1 */
    int platform, device; /* of "platform:device", or -1 */
} selector;

/* The small integer that is all of `text`, or -1. */
static int parse_number(const char *text) {
    size_t n = 0;
    while (isdigit((unsigned char)text[n]))
        ++n;
    return n > 0 && n < 6 && text[n] == 0 ? atoi(text) : -1;
}

static selector parse_selector(const char *text) {
    selector want = {.number = -1, .platform = -1, .device = -1};
    snprintf(want.name, sizeof want.name, "%s", text);
    char *colon = strrchr(want.name, ':');
    if (!colon || pci_address(want.name)) return want;
    const int number = parse_number(colon + 1);
    if (number < 0) return want;
    *colon = 0;
    want.platform = parse_number(want.name);
    if (want.platform >= 0)
        want.device = number;
    else
        want.number = number;
    return want;
}

static bool fits(const sparcl_device_list *list, const sparcl_device *device,
                 const selector *want) {
    const char *address = pci_address(want->name);
    if (want->platform >= 0)
        return device->platform == want->platform && device->number == want->device;
    if (!device->usable) return false;
    if (same(want->name, "gpu")) return device->types == SPARCL_TYPE_GPU;
    if (same(want->name, "cpu")) return device->types == SPARCL_TYPE_CPU;
    if (same(want->name, "pocl"))
        return same(list->platforms[device->platform].name, "Portable Computing Language");
    if (address) return *address && device->pci[0] && contains(device->pci, address);
    return fits_name(list, device, want->name);
}

/* The device that one selector names, or -1; counts the matches. */
static int find(const sparcl_device_list *list, const char *text, int *matches) {
    const selector want = parse_selector(text);
    int first = -1;
    *matches = 0;
    for (int d = 0; d < list->device_count; ++d) {
        if (!fits(list, &list->devices[d], &want)) continue;
        if (want.number >= 0 ? *matches == want.number : first < 0) first = d;
        ++*matches;
    }
    if (want.number >= 0) *matches = first >= 0;
    return first;
}

/* The device with the most compute units; the first one on a tie. */
static int best_of(const sparcl_device_list *list, uint32_t types, int *matches) {
    int best = -1;
    *matches = 0;
    for (int d = 0; d < list->device_count; ++d) {
        const sparcl_device *device = &list->devices[d];
        if (!device->usable || device->types != types) continue;
        ++*matches;
        if (best < 0 || device->units > list->devices[best].units) best = d;
    }
    return best;
}

/* auto: the best GPU, else the first CPU in loader order. */
static int find_auto(const sparcl_device_list *list, int *matches) {
    const int gpu = best_of(list, SPARCL_TYPE_GPU, matches);
    return gpu >= 0 ? gpu : find(list, "cpu", matches);
}

static const char *type_text(uint32_t types) {
    if (types == SPARCL_TYPE_CPU) return "CPU";
    if (types == SPARCL_TYPE_GPU) return "GPU";
    return types & (types - 1) ? "several types" : "other";
}

/* A line per device. If not all fit, the first ones and the number of others. */
static void write_list(const sparcl_device_list *list, char *lines, size_t capacity) {
    char line[200];
    size_t used = 0;
    lines[0] = 0;
    for (int d = 0; d < list->device_count; ++d) {
        const sparcl_device *device = &list->devices[d];
        snprintf(line, sizeof line, "\n  %d:%d  %.60s (%s, %.40s)%s", device->platform,
                 device->number, device->name, type_text(device->types),
                 list->platforms[device->platform].name, device->usable ? "" : " not usable");
        const bool is_last = d + 1 == list->device_count;
        if (used + strlen(line) + (is_last ? 0 : EXTRA_CAPACITY) >= capacity) {
            snprintf(lines + used, capacity - used, "\n  and %d more", list->device_count - d);
            return;
        }
        used += (size_t)snprintf(lines + used, capacity - used, "%s", line);
    }
}

static sparcl_status fail_with_list(const sparcl_device_list *list, const char *text,
                                    sparcl_error *error) {
    char lines[900];
    write_list(list, lines, sizeof lines);
    if (list->platform_count == 0)
        return spc_fail(error, SPARCL_E_DEVICE,
                        "device \"%.60s\": there is no OpenCL platform; install one, such "
                        "as Debian's package pocl-opencl-icd",
                        text);
    if (list->device_count == 0)
        return spc_fail(error, SPARCL_E_DEVICE,
                        "device \"%.60s\": no OpenCL platform has a device; install one, such as "
                        "Debian's package pocl-opencl-icd",
                        text);
    return spc_fail(error, SPARCL_E_DEVICE, "device \"%.60s\" matches none of:%s", text, lines);
}

/* Copy the next selector between commas, without surrounding spaces; false at the end. */
static bool next_text(const char **at, char *text, size_t size) {
    if (!**at) return false;
    const size_t n = strcspn(*at, ",");
    size_t from = 0, to = n;
    while (from < to && (*at)[from] == ' ')
        ++from;
    while (to > from && (*at)[to - 1] == ' ')
        --to;
    snprintf(text, size, "%.*s", (int)(to - from), *at + from);
    *at += n + ((*at)[n] == ',');
    return true;
}

sparcl_status sparcl_device_select(const sparcl_device_list *list, const char *text, int *index,
                                   int *matches, sparcl_error *error) {
    char one[MAX_TEXT];
    int count = 0;
    const sparcl_device *refused = NULL; /* the first match that cannot be used */
    if (index) *index = -1;
    if (!list || !index)
        return spc_fail(error, SPARCL_E_ARG, "device select: %s is NULL", list ? "index" : "list");
    if (!text || !*text) text = "auto";
    for (const char *at = text; next_text(&at, one, sizeof one);) {
        if (!one[0]) continue;
        const int found = same(one, "auto") ? find_auto(list, &count) : find(list, one, &count);
        if (found < 0) continue;
        if (list->devices[found].usable) {
            *index = found;
            if (matches) *matches = count;
            return SPARCL_OK;
        }
        if (!refused) refused = &list->devices[found];
    }
    if (!refused) return fail_with_list(list, text, error);
    return spc_fail(error, SPARCL_E_DEVICE, "device %s cannot be used: %s", refused->name,
                    refused->why_not);
}
