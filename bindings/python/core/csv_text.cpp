/* csv_text.cpp: rows of columns as CSV text, with the numbers that Python's repr() and str() give.
 */
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include <nanobind/stl/string.h>

#include "binding.h"

/* A column of a table: float64, int64 or uint64 numbers, or objects. */
struct CsvColumn {
    char kind; /* of NumPy: f, i, u, O */
    nb::handle values;
    std::unique_ptr<HostMemory> memory; /* of numbers */

    CsvColumn(char kind, nb::handle values) : kind(kind), values(values) {
        if (kind != 'O') memory = std::make_unique<HostMemory>(values, false);
    }
    int64_t rows() const {
        return memory ? (int64_t)(memory->buffer.len / 8) : (int64_t)nb::len(values);
    }
    template <class T> T at(int64_t row) const {
        return static_cast<const T *>(memory->buffer.buf)[row];
    }
};

/* What is missing is empty. */
static void add_real(std::string &text, double x) {
    char word[64];
    const double size = std::fabs(x);
    const bool is_fixed = x == 0 || (size >= 1e-4 && size < 1e16);
    if (std::isnan(x)) return;
    const auto form = is_fixed ? std::chars_format::fixed : std::chars_format::scientific;
    const auto end = std::to_chars(word, word + sizeof word, x, form).ptr;
    const std::string_view found(word, (size_t)(end - word));
    text += found;
    if (is_fixed && found.find('.') == found.npos) text += ".0";
}

template <class T> static void add_integer(std::string &text, T x) {
    char word[24];
    text.append(word, std::to_chars(word, word + sizeof word, x).ptr);
}

static void add_word(std::string &text, std::string_view word) {
    if (word.find_first_of(",\"\r\n") == word.npos) {
        text += word;
        return;
    }
    text += '"';
    for (const char c : word) {
        if (c == '"') text += '"';
        text += c;
    }
    text += '"';
}

static void add_object(std::string &text, nb::handle x) {
    Py_ssize_t length = 0;
    if (x.is_none()) return;
    const nb::object shown = PyBool_Check(x.ptr()) ? nb::object(nb::int_(x)) : nb::borrow(x);
    const nb::str word(shown);
    const char *const at = PyUnicode_AsUTF8AndSize(word.ptr(), &length);
    if (!at) throw nb::python_error();
    add_word(text, {at, (size_t)length});
}

static void add_cell(std::string &text, const CsvColumn &column, int64_t row) {
    if (column.kind == 'f')
        add_real(text, column.at<double>(row));
    else if (column.kind == 'i')
        add_integer(text, column.at<int64_t>(row));
    else if (column.kind == 'u')
        add_integer(text, column.at<uint64_t>(row));
    else
        add_object(text, column.values[row]);
}

/* A line without characters would be no row. */
static void add_row(std::string &text, const std::vector<CsvColumn> &columns, int64_t row) {
    const size_t begin = text.size();
    for (size_t i = 0; i < columns.size(); i++) {
        if (i > 0) text += ',';
        add_cell(text, columns[i], row);
    }
    if (text.size() == begin && columns.size() == 1) text += "\"\"";
    text += '\n';
}

static nb::bytes csv_rows(const std::string &kinds, nb::typed<nb::list, nb::any> values,
                          int64_t begin, int64_t end) {
    std::vector<CsvColumn> columns;
    std::string text;
    if (kinds.size() != nb::len(values)) throw nb::value_error("expected a kind for each column");
    columns.reserve(kinds.size());
    for (size_t i = 0; i < kinds.size(); i++) {
        columns.emplace_back(kinds[i], values[i]);
        if (columns[i].rows() < end) throw nb::value_error("expected columns of one length");
    }
    for (int64_t row = begin; row < end; row++)
        add_row(text, columns, row);
    return nb::bytes(text.data(), text.size());
}

void bind_csv_text(nb::module_ &m) {
    m.def(
        "csv_rows", csv_rows, nb::arg("kinds"), nb::arg("columns"), nb::arg("begin"),
        nb::arg("end"),
        "Rows of a table as CSV text, of columns of float64 (f), int64 (i), uint64 (u), which are "
        "arrays, or objects (O), which are lists.");
}
