/* status.h: the status list, the error record and the export macro; every other header includes it.
 */
#ifndef SPARCL_STATUS_H
#define SPARCL_STATUS_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(SPARCL_BUILD) /* while the libraries are built */
#define SPARCL_API __declspec(dllexport)
#elif !defined(_WIN32) && defined(__GNUC__)
/** Marks what the shared libraries export. */
#define SPARCL_API __attribute__((visibility("default")))
#else
#define SPARCL_API
#endif

/**
 * Marks functions that may change or go in any release (docs/stability.md). They compile where
 * SPARCL_EXPERIMENTAL is defined before the first header of sparcl is included.
 */
#ifdef SPARCL_EXPERIMENTAL
#define SPARCL_EXPERIMENTAL_API SPARCL_API
#elif defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
#define SPARCL_EXPERIMENTAL_API                                                                    \
    SPARCL_API __attribute__((unavailable("it is experimental: define SPARCL_EXPERIMENTAL")))
#elif defined(__GNUC__)
#define SPARCL_EXPERIMENTAL_API                                                                    \
    SPARCL_API __attribute__((error("it is experimental: define SPARCL_EXPERIMENTAL")))
#else
#define SPARCL_EXPERIMENTAL_API SPARCL_API
#endif

#if defined(__GNUC__)
/** The compiler warns where the returned status is ignored. */
#define SPARCL_MUST_CHECK __attribute__((warn_unused_result))
#else
#define SPARCL_MUST_CHECK
#endif

#if defined(__GNUC__)
/** Marks a name that the next release does not have; `text` says what to use instead. */
#define SPARCL_DEPRECATED(text) __attribute__((deprecated(text)))
#elif defined(_MSC_VER)
#define SPARCL_DEPRECATED(text) __declspec(deprecated(text))
#else
#define SPARCL_DEPRECATED(text)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Every status: name, value, text. 0 is success, errors are negative and never renumbered.
 */
#define SPARCL_STATUS_LIST(X)                                                                      \
    X(SPARCL_OK, 0, "success")                                                                     \
    X(SPARCL_E_ARG, -1, "an argument is wrong")                                                    \
    X(SPARCL_E_SHAPE, -2, "shapes do not match")                                                   \
    X(SPARCL_E_DTYPE, -3, "element types do not match")                                            \
    X(SPARCL_E_ALIAS, -4, "a result overlaps an operand")                                          \
    X(SPARCL_E_UNCHECKED, -5, "a sparse view was neither validated nor trusted")                   \
    X(SPARCL_E_DATA, -6, "stored data are invalid")                                                \
    X(SPARCL_E_UNSUPPORTED, -7, "not supported by the device or this build")                       \
    X(SPARCL_E_DEVICE, -8, "no such device")                                                       \
    X(SPARCL_E_MEMORY, -9, "out of memory")                                                        \
    X(SPARCL_E_BUILD, -10, "a kernel did not build")                                               \
    X(SPARCL_E_OPENCL, -11, "an OpenCL call failed")                                               \
    X(SPARCL_E_IO, -12, "a file could not be read or written")                                     \
    X(SPARCL_E_FORMAT, -13, "the content of a file is invalid")                                    \
    X(SPARCL_E_DIVERGED, -14, "training diverged")                                                 \
    X(SPARCL_E_INTERRUPTED, -15, "interrupted")

/** The result of a call: SPARCL_OK, or an error. */
typedef enum sparcl_status {
#define SPARCL_STATUS_ENUM(name, value, text) name = value,
    SPARCL_STATUS_LIST(SPARCL_STATUS_ENUM)
#undef SPARCL_STATUS_ENUM
} sparcl_status;

/** An error as plain data; a zeroed record means no error. */
typedef struct sparcl_error {
    sparcl_status status; /**< SPARCL_OK: no error */
    int opencl_code;      /**< the OpenCL error code that caused it, or 0 */
    char message[1024]; /**< what: which argument is what, what was expected; no newline at the end
                         */
} sparcl_error;

/** The name of a status, such as "SPARCL_E_SHAPE"; "SPARCL_E_?" for an unknown number. */
SPARCL_API const char *sparcl_status_name(sparcl_status status);

/** The text of a status, such as "shapes do not match"; "no such status" for an unknown number. */
SPARCL_API const char *sparcl_status_text(sparcl_status status);

/**
 * Memory hook: one function that allocates, resizes and frees, as realloc.
 *
 * size == 0 frees `memory` and returns NULL; memory == NULL allocates; otherwise the block is
 * resized. Returns NULL on failure; the old block is then unchanged.
 */
typedef void *(*sparcl_alloc_fn)(void *user, void *memory, size_t old_size, size_t size);

/** An allocator. Zeroed, it means malloc, realloc and free. */
typedef struct sparcl_allocator {
    sparcl_alloc_fn fn; /**< NULL: malloc, realloc and free */
    void *user;         /**< passed to `fn` */
} sparcl_allocator;

#ifdef __cplusplus
}
#endif

#endif
