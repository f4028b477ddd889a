#define _GNU_SOURCE
#include "CFiles.h"
#include <fcntl.h>
#include <sys/stat.h>

int files_hold(int descriptor, int64_t from, int64_t count) { return fallocate(descriptor, 0, from, count); }

const int files_O_DIRECT = O_DIRECT;

uint32_t files_direct_unit(int descriptor) {
    struct statx facts;
    if (statx(descriptor, "", AT_EMPTY_PATH, STATX_DIOALIGN, &facts) != 0 || !(facts.stx_mask & STATX_DIOALIGN)) return 0;
    const uint32_t offset = facts.stx_dio_offset_align, memory = facts.stx_dio_mem_align;
    return offset == 0 || memory == 0 ? 0 : offset > memory ? offset : memory;
}
