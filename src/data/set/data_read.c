/* data_read.c: sparcl_data_read: into memory, or without the entries. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/set/read.h"

static sparcl_status read_once(sparcl_data **data, const char *path, const sparcl_data_desc *desc,
                               sparcl_error *error) {
    return desc->stream ? spc_data_scan(data, path, desc, error)
                        : spc_data_read_to(data, path, desc, NULL, NULL, error);
}

/* With the description that was found, of which tf-idf needs the frequencies of words. */
static sparcl_status read_again(sparcl_data **data, const char *path, const sparcl_data_desc *desc,
                                sparcl_error *error) {
    const sparcl_data_info first = (*data)->info;
    sparcl_data_desc again = *desc;
    if (strcmp(path, "-") == 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "data: expected a file, which tf-idf reads twice, found standard input; "
                        "write it to a file");
    char *const description = spc_strdup(NULL, (*data)->csv_columns.at);
    if (!description)
        return spc_fail_memory(error, "the description of columns", (*data)->csv_columns.used);
    sparcl_data_free(*data);
    *data = NULL;
    again.csv_description = description;
    again.csv_columns = again.csv_label = again.crosses = NULL;
    const sparcl_status status = read_once(data, path, &again, error);
    spc_free(NULL, description, strlen(description) + 1);
    if (status != SPARCL_OK) return status;
    (*data)->info.label_guessed = first.label_guessed;
    (*data)->info.label_names = first.label_names;
    return SPARCL_OK;
}

sparcl_status sparcl_data_read(sparcl_data **data, const char *path, const sparcl_data_desc *desc,
                               sparcl_error *error) {
    if (!data) return spc_fail(error, SPARCL_E_ARG, "data: the pointer for the result is NULL");
    *data = NULL;
    SPC_TRY(spc_data_check_desc(path, &desc, error));
    sparcl_status status = read_once(data, path, desc, error);
    if (status == SPARCL_OK && (*data)->was_counted) status = read_again(data, path, desc, error);
    if (status == SPARCL_OK) return status;
    sparcl_data_free(*data);
    *data = NULL;
    return status;
}
