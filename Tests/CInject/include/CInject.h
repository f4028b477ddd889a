#pragma once

/// Asked before each call of the system that names a file below `inject_begin`'s folder: by the call's name and the file's path below
/// that folder. Answers with 0, with an error number that the call gives in place of doing anything, with INJECT_SHORT or with
/// INJECT_NOTHING.
typedef int (*inject_question)(const char *call, const char *path);

enum {
    INJECT_SHORT = -1,   ///< Half of what was asked for is written or read.
    INJECT_NOTHING = -2, ///< Nothing is, and the call says so.
};

/// From here on `question` is asked of what happens below `folder`, an absolute path without its last slash.
void inject_begin(const char *folder, inject_question question);

/// Nobody is asked any more.
void inject_end(void);
