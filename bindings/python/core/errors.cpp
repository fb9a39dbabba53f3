/* errors.cpp: the exceptions of sparcl.errors for the statuses of the library. */
#include "binding.h"

void raise_status(sparcl_status status, const char *message) {
    const nb::object type = nb::module_::import_("sparcl.errors").attr("of_status")((int)status);
    PyErr_SetString(type.ptr(), message[0] ? message : sparcl_status_text(status));
    throw nb::python_error();
}

void bind_errors(nb::module_ &m) {
    m.def("version", sparcl_version, "The version of the C library.");
    m.def(
        "status_text", [](int status) { return sparcl_status_text((sparcl_status)status); },
        nb::arg("status"), "What a status of the C library means.");
}
