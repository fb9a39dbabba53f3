/* report_page.h: one HTML page that shows runs beside one another. */
#ifndef SPARCL_TOOL_REPORT_PAGE_H
#define SPARCL_TOOL_REPORT_PAGE_H

#include "report_run.h"

/* Write a page that needs no other file and no script; "-" is standard output. */
exit_code report_page_save(const report_run *runs, int count, const char *path);

#endif
