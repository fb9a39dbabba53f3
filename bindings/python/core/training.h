/* training.h: data sets and models of sparcl._core, which are in host memory. */
#ifndef SPARCL_PYTHON_TRAINING_H
#define SPARCL_PYTHON_TRAINING_H

#include <sparcl/data.h>
#include <sparcl/model.h>

#include <nanobind/ndarray.h>

#include <cstring>
#include <optional>

#include "binding.h"

/* Something of the library that is freed with its holder. */
template <class T, void (*Free)(T *)> struct Owned {
    T *at = nullptr;

    Owned() = default;
    ~Owned() {
        Free(at);
    }
    Owned(const Owned &) = delete;
};
using Data = Owned<sparcl_data, sparcl_data_free>;
using Model = Owned<sparcl_model, sparcl_model_free>;

/* An array of the library that Python reads where it is; `owner` keeps it. */
template <class T> using HostArray = nb::ndarray<nb::numpy, const T, nb::c_contig>;
template <class T>
HostArray<T> array_of(const T *values, std::initializer_list<size_t> shape, nb::handle owner) {
    return HostArray<T>(values, shape, owner);
}

/* Ids of users, items and nodes, each an array or None; `owner` keeps them. */
using IdLists = nb::typed<nb::tuple, nb::any, nb::any, nb::any>;
inline IdLists ids_of(const sparcl_known_ids &ids, nb::handle owner) {
    const auto list = [&](const int64_t *at, int64_t count) {
        return at ? nb::cast(array_of(at, {(size_t)count}, owner)) : nb::none();
    };
    return nb::borrow<IdLists>(nb::make_tuple(list(ids.users, ids.user_count),
                                              list(ids.items, ids.item_count),
                                              list(ids.nodes, ids.node_count)));
}

/* The description of the columns of CSV. Bytes: their names may be no UTF-8. */
inline std::optional<nb::bytes> bytes_or_none(const char *text) {
    if (!text) return std::nullopt;
    return nb::bytes(text, std::strlen(text));
}

#endif
