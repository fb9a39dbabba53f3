/* errors.cpp: the exceptions of sparcl.errors for the statuses of the library. */
#include "binding.h"

void raise_status(sparcl_status status, const char *message) {
    const nb::object type = nb::module_::import_("sparcl.errors").attr("of_status")((int)status);
    const nb::bytes text(message[0] ? message : sparcl_status_text(status));
    const nb::object shown = nb::module_::import_("sparcl._messages").attr("in_python")(text);
    PyErr_SetObject(type.ptr(), shown.ptr());
    throw nb::python_error();
}

const char *c_text(const std::string &text, const char *argument) {
    const size_t at = text.find('\0');
    if (at == std::string::npos) return text.c_str();
    const std::string message = std::string(argument) +
                                ": expected a text without NUL characters, found one at position " +
                                std::to_string(at);
    throw nb::value_error(message.c_str());
}

void bind_errors(nb::module_ &m) {
    m.def("version", sparcl_version, "The version of the C library.");
    m.def(
        "status_text", [](int status) { return sparcl_status_text((sparcl_status)status); },
        nb::arg("status"), "What a status of the C library means.");
}
