/* data_sets.cpp: data sets from arrays and files, their parts, and their arrays. */
#include <optional>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <sparcl/data.h>

#include "training.h"

/* ---- from arrays ---------------------------------------------------------------------------- */

/* An array of `size` elements, or nothing for None. */
struct Elements {
    std::optional<HostMemory> memory;

    Elements(nb::handle array, int64_t size, int64_t element_bytes, const char *name) {
        if (array.is_none()) return;
        memory.emplace(array, false);
        if (memory->buffer.len != size * element_bytes)
            throw nb::value_error((std::string(name) + ": expected an array of " +
                                   std::to_string(size) + " elements of " +
                                   std::to_string(element_bytes) + " bytes, found " +
                                   std::to_string(memory->buffer.len) + " bytes")
                                      .c_str());
    }
    template <class T> const T *as() const {
        return memory ? static_cast<const T *>(memory->buffer.buf) : nullptr;
    }
};

/* Python has arrays of these types: int64 offsets, indices of `index_type`, float32 values, float64
 * labels, float32 weights, int32 fields. */
static Data *from_arrays(int64_t rows, int64_t columns, int index_type, nb::handle offsets,
                         nb::handle indices, nb::handle values, nb::handle labels,
                         nb::handle weights, nb::handle fields, int index_base) {
    const Elements at(offsets, rows + 1, 8, "offsets");
    if (!at.memory) throw nb::value_error("offsets: expected an array, found None");
    const int64_t entries = at.as<int64_t>()[rows];
    const Elements column(indices, entries, index_type == SPARCL_INDEX64 ? 8 : 4, "indices");
    const Elements value(values, entries, 4, "values");
    const Elements label(labels, rows, 8, "labels"), weight(weights, rows, 4, "weights");
    const Elements field(fields, entries, 4, "fields");
    sparcl_data_arrays arrays{};
    arrays.rows = rows;
    arrays.columns = columns;
    arrays.offsets = at.as<int64_t>();
    arrays.index_type = (sparcl_itype)index_type;
    arrays.indices = column.as<void>();
    arrays.values = value.as<float>();
    arrays.labels = label.as<double>();
    arrays.weights = weight.as<float>();
    arrays.fields = field.as<int32_t>();
    arrays.index_base = index_base;
    auto made = std::make_unique<Data>();
    run_on_host([&](sparcl_error *error) { return sparcl_data_create(&made->at, &arrays, error); });
    return made.release();
}

/* Ids of users, items and nodes, each an array or None; None: none of them. */
struct KnownIds {
    std::optional<Elements> lists[3];
    int64_t counts[3]{};

    explicit KnownIds(nb::handle ids) {
        static const char *const names[] = {"user_ids", "item_ids", "node_ids"};
        for (int i = 0; i < 3 && !ids.is_none(); i++) {
            const nb::object list = ids[i];
            counts[i] = list.is_none() ? 0 : (int64_t)nb::len(list);
            lists[i].emplace(list, counts[i], 8, names[i]);
        }
    }
    const int64_t *at(int i) const {
        return lists[i] ? lists[i]->as<int64_t>() : nullptr;
    }
    sparcl_known_ids ids() const {
        return {at(0), counts[0], at(1), counts[1], at(2), counts[2]};
    }
};

/* ---- from files ----------------------------------------------------------------------------- */

static sparcl_data_format format_of(const std::string &name) {
    for (int i = 0;; i++) {
        const std::string word = sparcl_data_format_name((sparcl_data_format)i);
        if (word == "unknown") break;
        if (word == name) return (sparcl_data_format)i;
    }
    throw nb::value_error(
        ("format: expected auto, svmlight, npz, csv or another one of `sparcl help data`, found " +
         name)
            .c_str());
}

using Text = std::optional<std::string>;

static const char *text_of(const Text &text, const char *argument) {
    return text ? c_text(*text, argument) : nullptr;
}

static Data *read_file(const std::string &path, const Text &format, const Text &labels,
                       const Text &weights, int64_t columns, int index_base, bool strict,
                       bool widen, bool multilabel, double scale, int hash_bits, const Text &ids,
                       const Text &csv_columns, const Text &csv_decimal, const Text &label,
                       bool symmetric, bool compact_ids, const Text &spill, bool stream,
                       nb::handle feature_ids, nb::handle known_ids,
                       const std::optional<nb::bytes> &csv_description, bool standardize,
                       bool tfidf, const Text &row_tag, const Text &cross, int heading,
                       bool labelled_only, bool ratings) {
    sparcl_data_desc desc{};
    desc.format = format ? format_of(*format) : SPARCL_DATA_AUTO;
    desc.labels = text_of(labels, "labels");
    desc.weights = text_of(weights, "weights");
    desc.columns = columns;
    desc.index_base = (sparcl_index_base)index_base;
    desc.strict = strict;
    desc.widen = widen;
    desc.multilabel = multilabel;
    desc.scale = scale;
    desc.hash_bits = hash_bits;
    desc.ids = text_of(ids, "ids");
    desc.csv_columns = text_of(csv_columns, "csv_columns");
    desc.csv_decimal = csv_decimal ? *csv_decimal->c_str() : '\0';
    desc.csv_label = text_of(label, "label");
    desc.symmetric = symmetric;
    desc.compact_ids = compact_ids;
    desc.spill = text_of(spill, "spill");
    desc.stream = stream;
    const int64_t count = feature_ids.is_none() ? 0 : (int64_t)nb::len(feature_ids);
    const Elements known(feature_ids, count, 8, "feature_ids");
    desc.feature_ids = known.as<int64_t>();
    desc.feature_id_count = count;
    const KnownIds of_pairs(known_ids);
    desc.known_ids = of_pairs.ids();
    desc.csv_standardize = standardize;
    desc.csv_tfidf = tfidf;
    desc.row_tag = text_of(row_tag, "row_tag");
    desc.crosses = text_of(cross, "cross");
    desc.csv_heading = (sparcl_heading)heading;
    desc.labelled_only = labelled_only;
    desc.ratings = ratings;
    desc.csv_description = csv_description ? csv_description->c_str() : nullptr;
    auto made = std::make_unique<Data>();
    run_on_host([&](sparcl_error *error) {
        return sparcl_data_read(&made->at, c_text(path, "path"), &desc, error);
    });
    return made.release();
}

/* ---- parts and arrays ----------------------------------------------------------------------- */

static std::pair<Data *, Data *> split(const Data &data, double fraction, uint64_t seed) {
    auto rest = std::make_unique<Data>(), held = std::make_unique<Data>();
    run_on_host([&](sparcl_error *error) {
        return sparcl_data_split(data.at, fraction, seed, &rest->at, &held->at, error);
    });
    return {rest.release(), held.release()};
}

static void save(const Data &data, const std::string &path) {
    run_on_host([&](sparcl_error *error) {
        return sparcl_data_save(data.at, c_text(path, "path"), error);
    });
}

static nb::typed<nb::dict, nb::str, nb::any> info(const Data &data) {
    const sparcl_data_info &d = *sparcl_data_get_info(data.at);
    nb::typed<nb::dict, nb::str, nb::any> found;
    found["format"] = d.format;
    found["rows"] = d.rows;
    found["columns"] = d.columns;
    found["entries"] = d.entries;
    found["duplicates"] = d.duplicates;
    found["unsorted_rows"] = d.unsorted_rows;
    found["index_base"] = d.index_base;
    found["has_labels"] = d.has_labels != 0;
    found["narrowed_values"] = d.narrowed_values;
    found["fields"] = d.fields;
    found["users"] = d.users;
    found["items"] = d.items;
    found["hash_bits"] = d.hash_bits;
    found["shared_columns"] = d.shared_columns;
    found["unknown_ids"] = d.unknown_ids;
    found["unknown_words"] = d.unknown_words;
    found["negative_logs"] = d.negative_logs;
    found["crosses"] = d.crosses;
    found["cross_entries"] = d.cross_entries;
    found["other_columns"] = d.other_columns;
    found["unlabelled_rows"] = d.unlabelled_rows;
    found["unlabelled_line"] = d.unlabelled_line;
    found["streamed"] = d.streamed != 0;
    found["fingerprint"] = d.fingerprint;
    return found;
}

static const Data &of(nb::handle self) {
    return *nb::cast<Data *>(self);
}

static size_t rows_of(const Data &d) {
    return (size_t)sparcl_data_get_info(d.at)->rows;
}

static HostArray<int64_t> offsets(nb::handle self) {
    return array_of(sparcl_data_offsets(of(self).at), {rows_of(of(self)) + 1}, self);
}

/* An array of the entries, or None where it is not in memory. */
template <class T> static nb::object entries(nb::handle self, const void *at) {
    const sparcl_data_info *const d = sparcl_data_get_info(of(self).at);
    static const T none{};
    if (!at && (d->entries > 0 || d->streamed)) return nb::none();
    return nb::cast(array_of(at ? static_cast<const T *>(at) : &none, {(size_t)d->entries}, self));
}

static nb::object indices(nb::handle self) {
    const sparcl_data *const d = of(self).at;
    const void *const at = sparcl_data_indices(d);
    return sparcl_data_index_type(d) == SPARCL_INDEX64 ? entries<int64_t>(self, at)
                                                       : entries<int32_t>(self, at);
}

static nb::object labels(nb::handle self) {
    const sparcl_data *const d = of(self).at;
    if (!sparcl_data_labels(d)) return nb::none();
    const auto count = (size_t)sparcl_data_get_info(d)->label_count;
    return nb::cast(array_of(sparcl_data_labels(d), {count}, self));
}

static nb::object weights(nb::handle self) {
    const sparcl_data *const d = of(self).at;
    if (!sparcl_data_weights(d)) return nb::none();
    return nb::cast(array_of(sparcl_data_weights(d), {rows_of(of(self))}, self));
}

/* None where the columns are no ids. */
static nb::object feature_ids(nb::handle self) {
    const sparcl_data *const d = of(self).at;
    const auto count = (size_t)sparcl_data_get_info(d)->id_count;
    if (count == 0) return nb::none();
    return nb::cast(array_of(sparcl_data_column_ids(d), {count}, self));
}

/* Ids of users, items and nodes, each an array or None. */
static IdLists known_ids(nb::handle self) {
    return ids_of(sparcl_data_known_ids(of(self).at), self);
}

static Data *pairs(const Data &data) {
    auto made = std::make_unique<Data>();
    run_on_host(
        [&](sparcl_error *error) { return sparcl_data_of_ratings(data.at, &made->at, error); });
    return made.release();
}

static std::optional<nb::bytes> csv_description(const Data &data) {
    return bytes_or_none(sparcl_data_csv_columns(data.at));
}

static std::vector<nb::bytes> words_at(const sparcl_csv_columns *columns, int64_t first,
                                       int64_t count) {
    std::vector<nb::bytes> found;
    for (int64_t i = first; i < first + count; i++) {
        size_t length = 0;
        const char *const word = sparcl_csv_columns_word(columns, i, &length);
        found.emplace_back(word, length);
    }
    return found;
}

/* The words of users and of items in a description of columns, as bytes, which may be no UTF-8. */
using PairWords = std::pair<std::vector<nb::bytes>, std::vector<nb::bytes>>;
static std::optional<PairWords> pair_words(const nb::bytes &description, int64_t width) {
    sparcl_csv_columns *made = nullptr;
    int64_t users = 0, items = 0;
    run_on_host([&](sparcl_error *error) {
        return sparcl_csv_columns_create(&made, description.c_str(), width, error);
    });
    const std::unique_ptr<sparcl_csv_columns, decltype(&sparcl_csv_columns_free)> columns(
        made, sparcl_csv_columns_free);
    if (!sparcl_csv_columns_pairs(made, &users, &items)) return std::nullopt;
    return PairWords{words_at(made, 0, users), words_at(made, users, items)};
}

/* Users, items and ratings, -1 without; None: the names do not say them. */
static std::optional<std::vector<int64_t>> rating_columns(const std::vector<std::string> &names) {
    std::vector<const char *> texts;
    std::vector<int64_t> found(3);
    for (const std::string &name : names)
        texts.push_back(name.c_str());
    if (!sparcl_rating_columns(texts.data(), (int64_t)texts.size(), found.data()))
        return std::nullopt;
    return found;
}

static std::optional<nb::bytes> csv_notes(const Data &data) {
    return bytes_or_none(sparcl_data_csv_notes(data.at));
}

/* Words that are labels, by their numbers, as bytes, which may be no UTF-8. */
static std::optional<std::vector<nb::bytes>> label_names(const Data &data) {
    std::vector<nb::bytes> found;
    const int64_t words = sparcl_data_get_info(data.at)->label_words;
    for (int64_t k = 0; k < words; k++) {
        const auto name = bytes_or_none(sparcl_data_label_name(data.at, (double)k));
        if (name) found.push_back(*name);
    }
    if (found.empty()) return std::nullopt;
    return found;
}

/* The same. */
static std::optional<std::vector<nb::bytes>> row_tags(const Data &data) {
    const int64_t rows = sparcl_data_get_info(data.at)->rows;
    std::vector<nb::bytes> found;
    if (rows > 0 && !sparcl_data_row_tag(data.at, 0)) return std::nullopt;
    for (int64_t i = 0; i < rows; i++)
        found.push_back(*bytes_or_none(sparcl_data_row_tag(data.at, i)));
    return found;
}

static Text crosses(const Data &data) {
    const char *const text = sparcl_data_crosses(data.at);
    return text ? Text(text) : std::nullopt;
}

void bind_data_sets(nb::module_ &m) {
    m.def("rating_columns", rating_columns, nb::arg("names"));
    m.def("pair_words", pair_words, nb::arg("description"), nb::arg("width"));
    nb::class_<Data>(m, "Data", "A data set in host memory.")
        .def_static("create", from_arrays, nb::arg("rows"), nb::arg("columns"),
                    nb::arg("index_type"), nb::arg("offsets"), nb::arg("indices"),
                    nb::arg("values"), nb::arg("labels").none(), nb::arg("weights").none(),
                    nb::arg("fields").none(), nb::arg("index_base"))
        .def_static(
            "read", read_file, nb::arg("path"), nb::arg("format").none(), nb::arg("labels").none(),
            nb::arg("weights").none(), nb::arg("columns"), nb::arg("index_base"), nb::arg("strict"),
            nb::arg("widen"), nb::arg("multilabel"), nb::arg("scale"), nb::arg("hash_bits"),
            nb::arg("ids").none(), nb::arg("csv_columns").none(), nb::arg("csv_decimal").none(),
            nb::arg("label").none(), nb::arg("symmetric"), nb::arg("compact_ids"),
            nb::arg("spill").none(), nb::arg("stream"), nb::arg("feature_ids").none(),
            nb::arg("known_ids").none(), nb::arg("csv_description").none(), nb::arg("standardize"),
            nb::arg("tfidf"), nb::arg("row_tag").none(), nb::arg("cross").none(),
            nb::arg("heading"), nb::arg("labelled_only"), nb::arg("ratings"))
        .def("split", split, nb::arg("fraction"), nb::arg("seed"))
        .def("pairs", pairs)
        .def("save", save, nb::arg("path"))
        .def_prop_ro("info", info)
        .def_prop_ro("offsets", offsets)
        .def_prop_ro("indices", indices)
        .def_prop_ro(
            "values",
            [](nb::handle self) { return entries<float>(self, sparcl_data_values(of(self).at)); })
        .def_prop_ro("fields",
                     [](nb::handle self) {
                         const void *const at = sparcl_data_fields(of(self).at);
                         return at ? entries<int32_t>(self, at) : nb::none();
                     })
        .def_prop_ro("feature_ids", feature_ids)
        .def_prop_ro("known_ids", known_ids)
        .def_prop_ro("csv_description", csv_description)
        .def_prop_ro("csv_notes", csv_notes)
        .def_prop_ro("label_names", label_names)
        .def_prop_ro("row_tags", row_tags)
        .def_prop_ro("crosses", crosses)
        .def_prop_ro("labels", labels)
        .def_prop_ro("weights", weights);
}
