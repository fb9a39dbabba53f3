/* structs.h: the structs that operations take beside views, with the buffers that they name. */
#ifndef SPARCL_PYTHON_STRUCTS_H
#define SPARCL_PYTHON_STRUCTS_H

#include <vector>

#include "binding.h"

/* A struct of the library, and the buffers that it names. */
template <class T, int N> struct Record {
    T value{};
    std::array<BufferRef, N> buffers;
};
using Moved = Record<sparcl_moved, 2>;
using Filled = Record<sparcl_filled, 4>;
using Coalesced = Record<sparcl_coalesced, 3>;
using Unique = Record<sparcl_unique_result, 5>;
using Sources = Record<sparcl_csr_sources, 3>;
using Bags = Record<sparcl_bags, 3>;

/* Named by the views of other objects, which the caller keeps. */
struct Segments {
    sparcl_segments value{};
};
struct Terms {
    std::vector<sparcl_term> values;
};
struct Matrix {
    sparcl_matrix value{};
};

/* What the product of two CSR matrices needs that depends on their patterns alone. */
struct Spgemm {
    ContextRef context;
    sparcl_spgemm *plan = nullptr;

    explicit Spgemm(ContextRef context);
    ~Spgemm();
    Spgemm(const Spgemm &) = delete;
    int64_t entries() const;
};

void bind_structs(nb::module_ &m);
void bind_structure(nb::module_ &m);
void bind_conversions(nb::module_ &m);

#endif
