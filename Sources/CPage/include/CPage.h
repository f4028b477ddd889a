// The files of the control room's web page, which are embedded in the program.
#pragma once
#include <stddef.h>

typedef struct {
    const char *name;
    const unsigned char *bytes;
    size_t count;
} page_file;

extern const page_file page_files[];
// Number of embedded files.
extern const size_t page_file_count;

// Returns the embedded file with the given index. Files are sorted by name. `index` must be less than
// `page_file_count`.
static inline const page_file *page_file_at(size_t index) { return &page_files[index]; }
