/* class_report.h: what is predicted, class by class. */
#ifndef SPC_TRAIN_CLASS_REPORT_H
#define SPC_TRAIN_CLASS_REPORT_H

#include "train/measure.h"

/* The report on predictions of classes, whose weights are those of the data, and 0 for rows that
 * are left out. E_MEMORY: *report is NULL. */
sparcl_status spc_class_report_make(sparcl_class_report **report, const spc_predictions *of,
                                    sparcl_error *error);

#endif
