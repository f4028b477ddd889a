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

// Returns the file at `index`, in file name order. `index` must be below the number of files.
static inline const page_file *page_file_at(size_t index) { return &page_files[index]; }
