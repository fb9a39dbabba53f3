/* open_device.c: opens the selected device, with the tool's kernel cache. */
#include "open_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "crash.h"
#include "message.h"
#include "pocl_cache.h"
#include "verbose.h"

const char *cache_folder(char *path, size_t bytes) {
    const char *const value = getenv("SPARCL_CACHE_DIR");
    const char *const xdg = getenv("XDG_CACHE_HOME");
    const char *const home = getenv("HOME");
    if (value) return value[0] ? value : NULL;
    int length = 0;
    if (xdg && xdg[0] == '/')
        length = snprintf(path, bytes, "%s", xdg);
    else if (home && home[0] == '/')
        length = snprintf(path, bytes, "%s/.cache", home);
    else
        return NULL;
    if (length < 0 || (size_t)length + sizeof "/sparcl" > bytes) return NULL;
    (void)mkdir(path, 0700); /* usually exists; if it cannot be created, there is no cache */
    strcpy(path + length, "/sparcl");
    return path;
}

static void print_log(void *user, sparcl_log_level level, const char *message) {
    (void)user;
    if (level >= SPARCL_LOG_WARNING) print_note("%s", message);
}

static sparcl_status select_device(const char *selector, char *position, size_t bytes,
                                   sparcl_error *error) {
    sparcl_device_list list = {0};
    int index = 0, matches = 0;
    char why[900];
    sparcl_status status = sparcl_device_list_get(&list, NULL, error);
    if (status == SPARCL_OK)
        status = sparcl_device_select(&list, selector, &index, &matches, error);
    if (status == SPARCL_OK) {
        const sparcl_device *const device = &list.devices[index];
        snprintf(position, bytes, "%d:%d", device->platform, device->number);
        crash_install(list.platforms[device->platform].name);
        verbose_device(position, device, &list.platforms[device->platform]);
        if (matches > 1)
            print_note("%d devices match \"%s\"; selected: %s, %s (%s)", matches,
                       selector ? selector : "auto", position, device->name,
                       list.platforms[device->platform].name);
    }
    if (status == SPARCL_E_DEVICE && pocl_cache_is_why(&list, why, sizeof why))
        snprintf(error->message, sizeof error->message, "device \"%.60s\": %s",
                 selector ? selector : "auto", why);
    sparcl_device_list_free(&list);
    return status;
}

/* For development: a class of kernels that differs from the device's default. */
static sparcl_class kernel_class(void) {
    const char *const value = getenv("SPARCL_KERNEL_CLASS");
    if (value && strcmp(value, "cpu") == 0) return SPARCL_CLASS_CPU;
    if (value && strcmp(value, "gpu") == 0) return SPARCL_CLASS_GPU;
    return SPARCL_CLASS_AUTO;
}

sparcl_status open_context(const char *selector, sparcl_ctx_desc desc, sparcl_ctx **ctx,
                           sparcl_error *error) {
    char position[32], folder[4096];
    const char *const kernels = getenv("SPARCL_KERNEL_DIR");
    if (!selector) selector = getenv("SPARCL_DEVICE");
    begin_part("opening the device");
    const sparcl_status status = select_device(selector, position, sizeof position, error);
    if (status != SPARCL_OK) return status;
    desc.device = position;
    desc.device_class = kernel_class();
    desc.cache_dir = cache_folder(folder, sizeof folder);
    desc.kernel_dir = kernels && kernels[0] ? kernels : NULL;
    const sparcl_status opened = sparcl_ctx_open(ctx, &desc, error);
    if (opened == SPARCL_OK) sparcl_ctx_on_build(*ctx, part_builds, NULL);
    return opened;
}

exit_code open_device_as(const char *selector, sparcl_ctx_desc desc, sparcl_ctx **ctx) {
    sparcl_error error = {0};
    desc.log = print_log;
    return open_context(selector, desc, ctx, &error) == SPARCL_OK ? EXIT_OK : report(&error);
}

exit_code open_device(const char *selector, sparcl_ctx **ctx) {
    return open_device_as(selector, (sparcl_ctx_desc){0}, ctx);
}
