/* results.h: what evaluations and predictions give to Python. */
#ifndef SPARCL_PYTHON_RESULTS_H
#define SPARCL_PYTHON_RESULTS_H

#include <optional>

#include <sparcl/apply.h>

#include "sparcl/apply.h"
#include "training.h"

using Numbers = nb::typed<nb::dict, nb::str, double>;

Numbers describe(const sparcl_metrics &metrics);

/* A writable array, or nothing for None. */
struct Result {
    std::optional<HostMemory> memory;

    explicit Result(nb::handle array) {
        if (!array.is_none()) memory.emplace(array, true);
    }
    template <class T> T *at(int64_t least) const {
        if (!memory) return nullptr;
        if (memory->buffer.len < least * (int64_t)sizeof(T))
            throw nb::value_error("expected a larger array for the results");
        return static_cast<T *>(memory->buffer.buf);
    }
};

#endif
