/* csv_numbers.h: columns of numbers of a CSV file, standardized. */
#ifndef SPC_DATA_CSVNUMBERS_H
#define SPC_DATA_CSVNUMBERS_H

#include "data/formats/csv/csv.h"
#include "data/io/block.h"

/* Note a number at the beginning of a file; or, with a description, all that are in `text`. */
void spc_csv_note_number(spc_csv_sample *s, double x);
void spc_csv_note_numbers(spc_csv *csv, spc_csv_text text);

/* From what was noted: without a description, which columns of numbers have counts over orders of
 * magnitude and become logarithms; where numbers are standardized, which of them stay sparse. */
void spc_csv_plan_numbers(spc_csv *csv);

/* Give the columns of numbers that are crossed the mean and the scale of those that were noted. */
void spc_csv_scale_crossed(spc_csv *csv);

/* Of the columns for which that is planned: note the numbers of each block, in file order; then
 * compute means and scales, and standardize the entries that are in memory, as long as columns have
 * the numbers that they had in blocks. */
SPARCL_MUST_CHECK sparcl_status spc_csv_begin_moments(spc_csv *csv);
void spc_csv_add_moments(spc_csv *csv, const spc_block *block);
void spc_csv_standardize(spc_csv *csv, sparcl_data *data);

/* The value of an entry, from a number of the file. */
float spc_csv_value_of(const spc_csv_column *column, double x);

#endif
