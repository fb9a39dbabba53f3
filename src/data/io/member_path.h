/* member_path.h: paths that name a member of an archive: FILE.npz:NAME. */
#ifndef SPC_DATA_MEMBER_PATH_H
#define SPC_DATA_MEMBER_PATH_H

#include "base/macros.h"

/*
 * Split "FILE.npz:NAME", unless there is a file with all of this name. *file is a copy of the path
 * of the file, to be freed with spc_strfree; *member points into `path`, or is NULL.
 */
SPARCL_MUST_CHECK sparcl_status spc_split_member(const char *path,
                                                 const sparcl_allocator *allocator, char **file,
                                                 const char **member, sparcl_error *error);

#endif
