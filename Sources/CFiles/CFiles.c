#define _GNU_SOURCE
#include "CFiles.h"
#include <fcntl.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int files_hold(int descriptor, int64_t from, int64_t count) { return fallocate(descriptor, 0, from, count); }

const int files_O_DIRECT = O_DIRECT;

uint32_t files_direct_unit(int descriptor) {
    struct statx facts;
    if (statx(descriptor, "", AT_EMPTY_PATH, STATX_DIOALIGN, &facts) != 0 || !(facts.stx_mask & STATX_DIOALIGN)) return 0;
    const uint32_t offset = facts.stx_dio_offset_align, memory = facts.stx_dio_mem_align;
    return offset == 0 || memory == 0 ? 0 : offset > memory ? offset : memory;
}

int files_open_beneath(int folder, const char *path, int flags, uint32_t permissions) {
    struct open_how how = {
        .flags = (uint64_t)(unsigned)flags,
        .mode = flags & O_CREAT ? permissions : 0,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
    };
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

const int files_O_PATH = O_PATH;

int system_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

void system_set_thread_stack(unsigned long size) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    if (pthread_attr_setstacksize(&attributes, size) == 0) pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

void system_limit_heaps(int count) { mallopt(M_ARENA_MAX, count); }

int system_set_descriptors(int process, uint64_t soft) {
    struct rlimit limit;
    if (prlimit(process, RLIMIT_NOFILE, NULL, &limit) != 0) return -1;
    limit.rlim_cur = soft;
    return prlimit(process, RLIMIT_NOFILE, &limit, NULL);
}
