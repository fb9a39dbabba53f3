/* export.c: writes a data set in a format that can hold it. */
#include "data/formats/export.h"

#include "base/error.h"

static sparcl_status refuse(const char *format, const char *what, const char *remedy,
                            sparcl_error *error) {
    return spc_fail(error, SPARCL_E_ARG, "export: %s has no %s, which the data has; %s", format,
                    what, remedy);
}

static sparcl_status check(const sparcl_data *data, const spc_text_format *format, const char *name,
                           sparcl_error *error) {
    if (data->fields.used && !format->has_fields)
        return refuse(name, "fields", "use libffm", error);
    if (data->weights.used && !format->has_weights)
        return refuse(name, "weights", "use vw or the binary form", error);
    if (data->label_offsets.used && !format->has_several)
        return refuse(name, "rows with several labels", "use svmlight or the binary form", error);
    const char *const needed = format->needs ? format->needs(data) : NULL;
    if (!needed) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG, "export: %s: expected %s", name, needed);
}

sparcl_status sparcl_data_export(const sparcl_data *data, const char *path,
                                 sparcl_data_format format, sparcl_error *error) {
    static const spc_text_format npz = {.format = SPARCL_DATA_NPZ};
    if (!data || !path) return spc_fail(error, SPARCL_E_ARG, "export: data or path is NULL");
    SPC_TRY(spc_data_check_entries(data, "export", error));
    const char *const name = sparcl_data_format_name(format);
    const spc_text_format *const as = format == SPARCL_DATA_NPZ ? &npz : spc_text_format_of(format);
    if (!as)
        return spc_fail(error, SPARCL_E_ARG,
                        "export: the format is %s, expected npz or a text format: svmlight, "
                        "libffm, vw, csv, array, mtx, edges, ratings, adjacency or smtx",
                        name);
    SPC_TRY(check(data, as, name, error));
    return as == &npz ? spc_export_npz(data, path, error) : spc_export_text(data, path, as, error);
}
