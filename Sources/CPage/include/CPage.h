// The files of the control room's page, embedded in the program.
#pragma once
#include <stddef.h>

typedef struct {
    const char *name;
    const unsigned char *bytes;
    size_t count;
} page_file;

extern const page_file page_files[];
// Number of files.
extern const size_t page_file_count;

// A file, in the order of their names; `index` is below the number of files.
static inline const page_file *page_file_at(size_t index) { return &page_files[index]; }
