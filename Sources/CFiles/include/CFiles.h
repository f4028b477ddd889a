// Imports XXH3 from libxxhash, and the file functions of the C library that Swift's importer skips.
#pragma once
#include <stdint.h>
#include <sys/eventfd.h>
#include <xxhash.h>

// fallocate(2): reserves space in a file, starting at the given offset. Returns 0, or -1 with errno set if
// the file system doesn't support it.
int files_hold(int descriptor, int64_t from, int64_t count);

// `O_DIRECT` (open(2)), which the C library declares only if _GNU_SOURCE is defined.
extern const int files_O_DIRECT;

// Alignment in bytes required to write a file without the page cache, from statx(2) (`STATX_DIOALIGN`, Linux
// 6.1). 0 if the file system doesn't support or report it.
uint32_t files_direct_unit(int descriptor);

// Opens a path below a folder with openat2(2). Neither symbolic links nor `..` can leave the folder. Returns -1 with
// errno ENOSYS if the kernel or a system call filter lacks openat2.
int files_open_beneath(int folder, const char *path, int flags, uint32_t permissions);

// `O_PATH` (open(2)), which the C library declares only if _GNU_SOURCE is defined.
extern const int files_O_PATH;

// pipe2(2). Both ends of the pipe are closed on exec. Returns -1 and sets errno on failure.
int system_pipe(int ends[2]);

// Sets the default stack size of threads (pthread_setattr_default_np(3)), which applies to library threads.
void system_set_thread_stack(unsigned long size);

// Sets the allocator's maximum number of arenas (mallopt(3), M_ARENA_MAX).
void system_limit_heaps(int count);

// Sets a process's soft limit on file descriptors (prlimit(2), RLIMIT_NOFILE). Returns -1 and sets errno on
// failure.
int system_set_descriptors(int process, uint64_t soft);
