#pragma once

/// Called before each file function on a path below `inject_begin`'s folder, with the function's name and the
/// path relative to that folder. Returns 0 to proceed, an error number to fail with instead of calling the
/// function, INJECT_SHORT, or INJECT_NOTHING.
typedef int (*inject_question)(const char *call, const char *path);

enum {
    INJECT_SHORT = -1,   ///< Half of what was asked for is written or read.
    INJECT_NOTHING = -2, ///< Nothing is, and the call says so.
};

/// From now on, calls `question` for file functions below `folder`, an absolute path without a trailing
/// slash.
void inject_begin(const char *folder, inject_question question);

/// Stops calling the question.
void inject_end(void);
