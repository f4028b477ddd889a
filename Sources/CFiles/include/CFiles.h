// XXH3 of libxxhash, and what Swift's importer skips of the C library's files.
#pragma once
#include <stdint.h>
#include <sys/eventfd.h>
#include <xxhash.h>

// fallocate(2): holds bytes for a file from a place on. Returns 0, or -1 with errno where the file system cannot.
int files_hold(int descriptor, int64_t from, int64_t count);

// `O_DIRECT` (open(2)), which the C library declares for GNU programs alone.
extern const int files_O_DIRECT;

// The unit in bytes in which a file can be written past the page cache, as statx(2) tells it (`STATX_DIOALIGN`, Linux 6.1); 0
// where the file system cannot, or does not tell.
uint32_t files_direct_unit(int descriptor);
