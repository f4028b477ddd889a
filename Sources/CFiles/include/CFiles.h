// Imports XXH3 from libxxhash, and file functions of the C library that Swift can't import directly.
#pragma once
#include <stdint.h>
#include <sys/eventfd.h>
#include <xxhash.h>

// Reserves space in a file with fallocate(2), starting at the given offset. Returns 0, or -1 with errno set
// if the space can't be reserved.
int files_hold(int descriptor, int64_t from, int64_t count);

// The value of `O_DIRECT` (open(2)), which the C library declares only if _GNU_SOURCE is defined.
extern const int files_O_DIRECT;

// Returns the alignment in bytes that is required for direct writes to a file, according to statx(2)
// (`STATX_DIOALIGN`, Linux 6.1). Returns 0 if the file system doesn't support direct writes or doesn't report
// the alignment.
uint32_t files_direct_unit(int descriptor);

// Opens a path below a folder with openat2(2). Neither symbolic links nor `..` can leave the folder. Returns
// -1 with errno ENOSYS if the kernel doesn't support openat2 or a system call filter blocks it.
int files_open_beneath(int folder, const char *path, int flags, uint32_t permissions);

// The value of `O_PATH` (open(2)), which the C library declares only if _GNU_SOURCE is defined.
extern const int files_O_PATH;

// Creates a pipe with pipe2(2). Both ends have the close-on-exec flag. Returns -1 and sets errno on failure.
int system_pipe(int ends[2]);

// Sets the default stack size of new threads, including threads that libraries create
// (pthread_setattr_default_np(3)).
void system_set_thread_stack(unsigned long size);

// Sets the maximum number of arenas of the memory allocator (M_ARENA_MAX, mallopt(3)).
void system_limit_heaps(int count);

// Sets the soft limit on the number of file descriptors of a process (RLIMIT_NOFILE, prlimit(2)). Returns -1
// and sets errno on failure.
int system_set_descriptors(int process, uint64_t soft);
