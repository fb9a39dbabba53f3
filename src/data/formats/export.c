/* export.c: writes a data set in a format that can hold it. */
#include "data/formats/export.h"

#include "base/error.h"

static const spc_writing *const all[] = {
#define ROW(NAME, word, ...) [SPARCL_DATA_##NAME] = &spc_##word##_writing,
    SPC_WRITTEN_FORMATS(ROW)};

static sparcl_status refuse(const char *format, const char *what, const char *remedy,
                            sparcl_error *error) {
    return spc_fail(error, SPARCL_E_ARG, "export: %s has no %s, which the data has; %s", format,
                    what, remedy);
}

static sparcl_status check(const sparcl_data *data, const spc_writing *as, const char *name,
                           sparcl_error *error) {
    const int flags = spc_format_flags(name);
    if (data->fields.used && !(flags & SPC_KEEPS_FIELDS))
        return refuse(name, "fields", "use libffm", error);
    if (data->weights.used && !(flags & SPC_KEEPS_WEIGHTS))
        return refuse(name, "weights", "use vw or the binary form", error);
    if (data->label_offsets.used && !(flags & SPC_KEEPS_SEVERAL))
        return refuse(name, "rows with several labels", "use svmlight or the binary form", error);
    const char *const needed = as->needs ? as->needs(data) : NULL;
    if (!needed) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG, "export: %s: expected %s", name, needed);
}

sparcl_status sparcl_data_export(const sparcl_data *data, const char *path,
                                 sparcl_data_format format, sparcl_error *error) {
    const char *const name = sparcl_data_format_name(format);
    if (!data || !path) return spc_fail(error, SPARCL_E_ARG, "export: data or path is NULL");
    SPC_TRY(spc_data_check_entries(data, "export", error));
    const bool known = format >= 0 && (size_t)format < SPC_COUNT(all);
    const spc_writing *const as = known ? all[format] : NULL;
#define COMMA_WORD(NAME, word, ...) ", " #word
    if (!as)
        return spc_fail(error, SPARCL_E_ARG,
                        "export: the format is %s, expected one that is written: %s", name,
                        &(SPC_WRITTEN_FORMATS(COMMA_WORD))[2]);
    SPC_TRY(check(data, as, name, error));
    return as->whole ? as->whole(data, path, error) : spc_export_text(data, path, as, error);
}
