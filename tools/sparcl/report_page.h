/* report_page.h: one HTML page that shows runs beside one another. */
#ifndef SPARCL_TOOL_REPORT_PAGE_H
#define SPARCL_TOOL_REPORT_PAGE_H

#include "report_run.h"
#include "report_table.h"

/* Write a page that needs no other file; "-" is standard output. */
exit_code report_page_save(const report_run *runs, int count, report_layout layout,
                           const char *path);

#endif
