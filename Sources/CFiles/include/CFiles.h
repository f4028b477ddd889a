// XXH3 of libxxhash, and what Swift's importer skips of the C library's files.
#pragma once
#include <stdint.h>
#include <sys/eventfd.h>
#include <xxhash.h>

// fallocate(2): holds bytes for a file from a place on. Returns 0, or -1 with errno where the file system cannot.
int files_hold(int descriptor, int64_t from, int64_t count);
