/* operations.cpp: operations on views, each bound by its C declaration. */
#include <type_traits>

#include <nanobind/stl/shared_ptr.h>

#include "binding.h"

/* What Python gives for a parameter of C, and how it becomes that. */
template <class T> struct Argument {
    using python = std::conditional_t<std::is_enum_v<T>, int, T>;
    static T of(python value) {
        return (T)value;
    }
};

template <class View> struct ViewArgument {
    using python = Holder<View> *;
    static View *of(python h) {
        return h ? &h->view : nullptr;
    }
};
template <> struct Argument<const sparcl_dense *> : ViewArgument<sparcl_dense> {};
template <> struct Argument<const sparcl_csr *> : ViewArgument<sparcl_csr> {};
template <> struct Argument<sparcl_csr *> : ViewArgument<sparcl_csr> {};
template <> struct Argument<const sparcl_csc *> : ViewArgument<sparcl_csc> {};
template <> struct Argument<sparcl_csc *> : ViewArgument<sparcl_csc> {};
template <> struct Argument<const sparcl_coo *> : ViewArgument<sparcl_coo> {};
template <> struct Argument<sparcl_coo *> : ViewArgument<sparcl_coo> {};
template <> struct Argument<const sparcl_rows *> : ViewArgument<sparcl_rows> {};
template <> struct Argument<sparcl_rows *> : ViewArgument<sparcl_rows> {};

template <> struct Argument<const sparcl_bsr *> : ViewArgument<sparcl_bsr> {};
template <> struct Argument<sparcl_bsr *> : ViewArgument<sparcl_bsr> {};
template <> struct Argument<const sparcl_list *> : ViewArgument<sparcl_list> {};
template <> struct Argument<sparcl_list *> : ViewArgument<sparcl_list> {};

template <> struct Argument<sparcl_buf *> {
    using python = Buffer *;
    static sparcl_buf *of(python b) {
        return b ? b->buf : nullptr;
    }
};

template <> struct Argument<sparcl_pattern *> {
    using python = Pattern *;
    static sparcl_pattern *of(python p) {
        return p ? p->pattern : nullptr;
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

void bind_operations(nb::module_ &m) {
    BIND(pattern_build);
    BIND(spmm);
    BIND(spmm_t_rows);
    BIND(csr_to_dense);
    BIND(csc_to_dense);
    BIND(coo_to_dense);
    BIND(rows_to_dense);
    BIND(dense_to_csr);
    BIND(csr_to_csc);
    BIND(csc_to_csr);
    BIND(coo_to_csr);
    BIND(csr_to_coo);
    BIND(coo_coalesce);
    BIND(rows_coalesce);
    BIND(csr_to_bsr);
    BIND(bsr_to_csr);
    BIND(bsr_to_dense);
}
