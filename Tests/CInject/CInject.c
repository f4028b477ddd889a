// Interposes the C library's file functions for the whole process: the linker prefers a program's symbol to a
// library's.
#define _GNU_SOURCE
#include "CInject.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static char root[PATH_MAX];
static size_t root_length;
static _Atomic(inject_question) asked;

void inject_begin(const char *folder, inject_question question) {
    snprintf(root, sizeof root, "%s", folder);
    root_length = strlen(root);
    atomic_store(&asked, question);
}

void inject_end(void) { atomic_store(&asked, NULL); }

static int ask_path(const char *call, const char *path) {
    inject_question question = atomic_load(&asked);
    if (!question || strncmp(path, root, root_length) != 0 || path[root_length] != '/') return 0;
    return question(call, path + root_length + 1);
}

static int ask(const char *call, int descriptor) {
    if (!atomic_load(&asked)) return 0;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return ask_path(call, path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
// A function that returns no count reports INJECT_NOTHING as an error.
#define REFUSE(question) \
    do { \
        int answer = question; \
        if (answer) return errno = answer > 0 ? answer : EIO, -1; \
    } while (0)

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list list; \
        va_start(list, flags); \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0; \
        va_end(list); \
        REFUSE(ask_path("open", path)); \
        return REAL(name)(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

// Functions that return a byte count: an error, half of the bytes, or nothing.
#define MOVE(name, call, parameters, arguments, half) \
    ssize_t name parameters { \
        int answer = ask(call, descriptor); \
        if (answer > 0) return errno = answer, -1; \
        if (answer == INJECT_NOTHING) return 0; \
        if (answer == INJECT_SHORT) half; \
        return REAL(name) arguments; \
    }
MOVE(write, "write", (int descriptor, const void *bytes, size_t count), (descriptor, bytes, count), count = (count + 1) / 2)
MOVE(read, "read", (int descriptor, void *bytes, size_t count), (descriptor, bytes, count), count = (count + 1) / 2)
MOVE(pread, "read", (int descriptor, void *bytes, size_t count, off_t at), (descriptor, bytes, count, at), count = (count + 1) / 2)
MOVE(pread64, "read", (int descriptor, void *bytes, size_t count, off64_t at), (descriptor, bytes, count, at),
     count = (count + 1) / 2)
MOVE(pwrite, "write", (int descriptor, const void *bytes, size_t count, off_t at), (descriptor, bytes, count, at),
     count = (count + 1) / 2)

static struct iovec half_of(const struct iovec *pieces) {
    return (struct iovec){pieces[0].iov_base, (pieces[0].iov_len + 1) / 2};
}
MOVE(pwritev, "write", (int descriptor, const struct iovec *pieces, int count, off_t at), (descriptor, pieces, count, at), {
    struct iovec first = half_of(pieces);
    return REAL(pwritev)(descriptor, &first, 1, at);
})
MOVE(pwritev64, "write", (int descriptor, const struct iovec *pieces, int count, off64_t at), (descriptor, pieces, count, at), {
    struct iovec first = half_of(pieces);
    return REAL(pwritev64)(descriptor, &first, 1, at);
})

#define CHANGE(name, call, parameters, arguments) \
    int name parameters { \
        REFUSE(ask(call, descriptor)); \
        return REAL(name) arguments; \
    }
CHANGE(ftruncate, "truncate", (int descriptor, off_t size), (descriptor, size))
CHANGE(ftruncate64, "truncate", (int descriptor, off64_t size), (descriptor, size))
CHANGE(fsync, "sync", (int descriptor), (descriptor))
CHANGE(fdatasync, "sync", (int descriptor), (descriptor))
CHANGE(fallocate, "reserve", (int descriptor, int mode, off_t from, off_t count), (descriptor, mode, from, count))

int posix_fallocate(int descriptor, off_t from, off_t count) {
    int answer = ask("reserve", descriptor);
    return answer ? (answer > 0 ? answer : EIO) : REAL(posix_fallocate)(descriptor, from, count);
}

int mkdir(const char *path, mode_t mode) {
    REFUSE(ask_path("mkdir", path));
    return REAL(mkdir)(path, mode);
}

int rename(const char *from, const char *to) {
    REFUSE(ask_path("rename", to));
    return REAL(rename)(from, to);
}
