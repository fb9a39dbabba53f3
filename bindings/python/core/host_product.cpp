/* host_product.cpp: products of few entries in the memory of the host, on the calling thread:
 * launching a kernel would take longer. */
#include <algorithm>
#include <vector>

#include <nanobind/stl/shared_ptr.h>

#include "binding.h"

/* The orders of additions of rule S in docs/numerics.md. */
enum { BLOCK = 256, SUMS = 8 };

/* A matrix whose entry k has the value at order[k], or at k, and the dense one it is multiplied by.
 */
template <class T, class I, bool IS_ORDERED> struct HostProduct {
    const I *offsets, *indices, *order;
    const T *values, *b;

    T value(int64_t k) const {
        return values[IS_ORDERED ? order[k] : k];
    }

    T term(int64_t k) const {
        return value(k) * b[indices[k]];
    }

    /* Halves of the tree that would add zeros only are left out. */
    T block_of_column(int64_t from, int64_t to) const {
        T sums[SUMS] = {};
        int half = to - from > 4 ? 4 : to - from > 2 ? 2 : 1;
        for (; to - from >= SUMS; from += SUMS)
            for (int i = 0; i < SUMS; i++)
                sums[i] += term(from + i);
        for (int i = 0; i < to - from; i++)
            sums[i] += term(from + i);
        for (; half > 0; half /= 2)
            for (int i = 0; i < half; i++)
                sums[i] += sums[i + half];
        return sums[0];
    }

    T sum_of_column(int64_t from, int64_t to) const {
        T sum = 0;
        if (to - from == 1) return sum + term(from);
        for (; from < to; from += BLOCK)
            sum += block_of_column(from, std::min<int64_t>(from + BLOCK, to));
        return sum;
    }

    void one_column(T *y, int64_t rows) const {
        for (int64_t row = 0; row < rows; row++)
            y[row] = sum_of_column(offsets[row], offsets[row + 1]);
    }

    void columns(T *y, int64_t rows, int64_t n) const {
        std::vector<T> block(n);
        for (int64_t row = 0; row < rows; row++, y += n) {
            std::fill(y, y + n, T(0));
            for (int64_t from = offsets[row]; from < offsets[row + 1]; from += BLOCK) {
                std::fill(block.begin(), block.end(), T(0));
                for (int64_t k = from; k < std::min<int64_t>(from + BLOCK, offsets[row + 1]); k++)
                    for (int64_t j = 0; j < n; j++)
                        block[j] += value(k) * b[indices[k] * n + j];
                for (int64_t j = 0; j < n; j++)
                    y[j] += block[j];
            }
        }
    }
};

template <class T, class I, bool IS_ORDERED>
static void multiply(const HostMemory &y, const HostMemory &offsets, const HostMemory &indices,
                     const HostMemory *order, const HostMemory &values, const HostMemory &b) {
    const int64_t rows = offsets.buffer.len / (int64_t)sizeof(I) - 1;
    const HostProduct<T, I, IS_ORDERED> product = {
        (const I *)offsets.buffer.buf, (const I *)indices.buffer.buf,
        order ? (const I *)order->buffer.buf : nullptr, (const T *)values.buffer.buf,
        (const T *)b.buffer.buf};
    const int64_t n = rows ? y.buffer.len / (int64_t)sizeof(T) / rows : 0;
    if (n == 1)
        product.one_column((T *)y.buffer.buf, rows);
    else
        product.columns((T *)y.buffer.buf, rows, n);
}

/* For arrays of integers of one type, and of numbers of one type. */
template <bool IS_ORDERED> static auto multiply_for(bool wide, bool is_double) {
    if (wide)
        return is_double ? multiply<double, int64_t, IS_ORDERED>
                         : multiply<float, int64_t, IS_ORDERED>;
    return is_double ? multiply<double, int32_t, IS_ORDERED> : multiply<float, int32_t, IS_ORDERED>;
}

/* What a buffer wrote may not be complete. */
static bool is_pending(Context &context, std::initializer_list<const HostMemory *> arrays) {
    bool found = false;
    run(context, [&](sparcl_ctx *ctx) {
        for (const HostMemory *array : arrays)
            found |= sparcl_ctx_has_written(ctx, array->buffer.buf, array->buffer.len) != 0;
        return SPARCL_OK;
    });
    return found;
}

static bool product_on_host(Context &context, nb::handle y, nb::handle offsets, nb::handle indices,
                            nb::handle order, nb::handle values, nb::handle b) {
    const HostMemory to(y, true), at(offsets, false), columns(indices, false), x(values, false),
        by(b, false);
    std::unique_ptr<HostMemory> ordered;
    if (is_pending(context, {&at, &columns, &x, &by})) return false;
    if (!order.is_none()) ordered = std::make_unique<HostMemory>(order, false);
    const bool wide = columns.buffer.itemsize == 8, is_double = x.buffer.itemsize == 8;
    const auto f =
        ordered ? multiply_for<true>(wide, is_double) : multiply_for<false>(wide, is_double);
    f(to, at, columns, ordered.get(), x, by);
    return true;
}

/* The columns that have entries, in ascending order, and where those of each begin; for each entry
 * its row, and its place in the matrix. Returns the number of columns. */
template <class I>
static int64_t transpose(const HostMemory &offsets, const HostMemory &indices, int64_t cols,
                         I *columns, I *begins, I *rows, I *order) {
    const I *const at = (const I *)offsets.buffer.buf, *const index = (const I *)indices.buffer.buf;
    const int64_t height = offsets.buffer.len / (int64_t)sizeof(I) - 1;
    const int64_t entries = indices.buffer.len / (int64_t)sizeof(I);
    std::vector<I> next(cols + 1);
    int64_t found = 0;
    for (int64_t k = 0; k < entries; k++)
        next[index[k] + 1]++;
    for (int64_t j = 0; j < cols; j++) {
        if (next[j + 1] > 0) {
            columns[found] = (I)j;
            begins[found++] = next[j];
        }
        next[j + 1] += next[j];
    }
    begins[found] = (I)entries;
    for (int64_t row = 0; row < height; row++)
        for (I k = at[row]; k < at[row + 1]; k++) {
            const I to = next[index[k]]++;
            rows[to] = (I)row;
            order[to] = k;
        }
    return found;
}

static int64_t transpose_on_host(nb::handle offsets, nb::handle indices, int64_t cols,
                                 nb::handle columns, nb::handle begins, nb::handle rows,
                                 nb::handle order) {
    const HostMemory at(offsets, false), index(indices, false), c(columns, true), s(begins, true),
        r(rows, true), o(order, true);
    const auto fill = [&](auto type) {
        using I = decltype(type);
        return transpose<I>(at, index, cols, (I *)c.buffer.buf, (I *)s.buffer.buf,
                            (I *)r.buffer.buf, (I *)o.buffer.buf);
    };
    return index.buffer.itemsize == 8 ? fill(int64_t{}) : fill(int32_t{});
}

void bind_host_product(nb::module_ &m) {
    m.def("product_on_host", &product_on_host, nb::arg("context"), nb::arg("y"), nb::arg("offsets"),
          nb::arg("indices"), nb::arg("order").none(), nb::arg("values"), nb::arg("b"),
          "False where a buffer wrote one of the arrays.");
    m.def("transpose_on_host", &transpose_on_host, nb::arg("offsets"), nb::arg("indices"),
          nb::arg("cols"), nb::arg("columns"), nb::arg("begins"), nb::arg("rows"), nb::arg("order"),
          "The number of columns that have entries.");
}
