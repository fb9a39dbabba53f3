/* arguments.h: what Python gives for a parameter of a C function, and how functions are bound by
 * their declarations. */
#ifndef SPARCL_PYTHON_ARGUMENTS_H
#define SPARCL_PYTHON_ARGUMENTS_H

#include <type_traits>
#include <vector>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "binding.h"
#include "structs.h"

/* A number or an enumeration. */
template <class T> struct Argument {
    using python = std::conditional_t<std::is_enum_v<T>, int, T>;
    static T of(python value) {
        return (T)value;
    }
};

/* A pointer to what an object has; None is NULL. */
template <class Object, auto Member> struct Pointer {
    using python = Object *;
    static auto of(python object) -> decltype(&(object->*Member)) {
        return object ? &(object->*Member) : nullptr;
    }
};
template <> struct Argument<const sparcl_dense *> : Pointer<Dense, &Dense::view> {};
template <> struct Argument<const sparcl_csr *> : Pointer<Csr, &Csr::view> {};
template <> struct Argument<sparcl_csr *> : Pointer<Csr, &Csr::view> {};
template <> struct Argument<const sparcl_csc *> : Pointer<Csc, &Csc::view> {};
template <> struct Argument<sparcl_csc *> : Pointer<Csc, &Csc::view> {};
template <> struct Argument<const sparcl_coo *> : Pointer<Coo, &Coo::view> {};
template <> struct Argument<sparcl_coo *> : Pointer<Coo, &Coo::view> {};
template <> struct Argument<const sparcl_rows *> : Pointer<Rows, &Rows::view> {};
template <> struct Argument<sparcl_rows *> : Pointer<Rows, &Rows::view> {};
template <> struct Argument<const sparcl_bsr *> : Pointer<Bsr, &Bsr::view> {};
template <> struct Argument<sparcl_bsr *> : Pointer<Bsr, &Bsr::view> {};
template <> struct Argument<const sparcl_list *> : Pointer<List, &List::view> {};
template <> struct Argument<sparcl_list *> : Pointer<List, &List::view> {};
template <> struct Argument<const sparcl_moved *> : Pointer<Moved, &Moved::value> {};
template <> struct Argument<const sparcl_filled *> : Pointer<Filled, &Filled::value> {};
template <> struct Argument<const sparcl_coalesced *> : Pointer<Coalesced, &Coalesced::value> {};
template <> struct Argument<const sparcl_unique_result *> : Pointer<Unique, &Unique::value> {};
template <> struct Argument<const sparcl_csr_sources *> : Pointer<Sources, &Sources::value> {};
template <> struct Argument<const sparcl_segments *> : Pointer<Segments, &Segments::value> {};
template <> struct Argument<const sparcl_bags *> : Pointer<Bags, &Bags::value> {};
template <> struct Argument<const sparcl_matrix *> : Pointer<Matrix, &Matrix::value> {};
template <> struct Argument<sparcl_matrix *> : Pointer<Matrix, &Matrix::value> {};

/* A pointer that an object has. */
template <class Object, auto Member> struct Owned {
    using python = Object *;
    static auto of(python object) {
        return object ? object->*Member : nullptr;
    }
};
template <> struct Argument<sparcl_buf *> : Owned<Buffer, &Buffer::buf> {};
template <> struct Argument<const sparcl_buf *> : Owned<Buffer, &Buffer::buf> {};
template <> struct Argument<sparcl_pattern *> : Owned<Pattern, &Pattern::pattern> {};
template <> struct Argument<sparcl_spgemm *> : Owned<Spgemm, &Spgemm::plan> {};
template <> struct Argument<const sparcl_spgemm *> : Owned<Spgemm, &Spgemm::plan> {};

/* Arrays of numbers and of terms; an empty one is NULL. */
template <class T> struct Array {
    using python = std::vector<T>;
    static const T *of(const python &values) {
        return values.empty() ? nullptr : values.data();
    }
};
template <> struct Argument<const int *> : Array<int> {};
template <> struct Argument<const int64_t *> : Array<int64_t> {};
template <> struct Argument<const sparcl_term *> {
    using python = Terms *;
    static const sparcl_term *of(python terms) {
        return terms->values.data();
    }
};

/* Several views, of functions that are wrapped to take them. */
template <class H> using Several = const std::vector<H *> &;
template <class H> struct Argument<const std::vector<H *> &> {
    using python = std::vector<H *>;
    static const python &of(const python &holders) {
        return holders;
    }
};

/* Objects may be None, where the library allows NULL. */
template <class T> static auto argument() {
    if constexpr (std::is_pointer_v<T>)
        return nb::arg().none();
    else
        return nb::arg();
}

template <class... A>
static void bind_one(nb::module_ &m, const char *name,
                     sparcl_status (*function)(sparcl_ctx *, A...)) {
    const auto call = [function](Context &context, typename Argument<A>::python... arguments) {
        run(context, [&](sparcl_ctx *ctx) { return function(ctx, Argument<A>::of(arguments)...); });
    };
    m.def(name, call, nb::arg(), argument<typename Argument<A>::python>()...);
}

#define BIND(name) bind_one(m, #name, sparcl_##name)

#endif
