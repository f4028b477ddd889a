// Logs a program's operations on media files, so that tools/torn-writes can reproduce every intermediate state: LD_PRELOAD this, with
// WRITE_LOG naming the log file. Each entry has a header and, for writes, the bytes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct head {
    uint32_t kind;  // 'W'rite, 'T'runcate, 'S'ync: when it started; 'D'urable: when a sync returned
    uint32_t path_length;
    uint64_t offset;
    uint64_t count;
};

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static int log_file = -1;

/// The path of a media file; 0 for any other file.
static int media(int file, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, 4095);
    if (length < 5) return 0;
    path[length] = 0;
    const char *end = path + length - 4;
    return !strcmp(end, ".mov") || !strcmp(end, ".mp4") || !strcmp(end, ".wav");
}

static void note(uint32_t kind, const char *path, uint64_t offset, uint64_t count, const struct iovec *pieces) {
    struct head head = { kind, (uint32_t)strlen(path), offset, count };
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "write");
    if (log_file < 0) log_file = open(getenv("WRITE_LOG"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (real(log_file, &head, sizeof head) != sizeof head || real(log_file, path, head.path_length) < 0) abort();
    for (uint64_t rest = count; pieces && rest > 0; pieces++) {
        size_t part = pieces->iov_len < rest ? pieces->iov_len : rest;
        if (real(log_file, pieces->iov_base, part) != (ssize_t)part) abort();
        rest -= part;
    }
}

ssize_t pwritev(int file, const struct iovec *pieces, int count, off_t place) {
    static ssize_t (*real)(int, const struct iovec *, int, off_t);
    if (!real) real = dlsym(RTLD_NEXT, "pwritev");
    char path[4096];
    if (!media(file, path)) return real(file, pieces, count, place);
    pthread_mutex_lock(&order);
    ssize_t result = real(file, pieces, count, place);
    if (result > 0) note('W', path, place, result, pieces);
    pthread_mutex_unlock(&order);
    return result;
}

int ftruncate(int file, off_t end) {
    static int (*real)(int, off_t);
    if (!real) real = dlsym(RTLD_NEXT, "ftruncate");
    char path[4096];
    if (!media(file, path)) return real(file, end);
    pthread_mutex_lock(&order);
    int result = real(file, end);
    if (result == 0) note('T', path, end, 0, NULL);
    pthread_mutex_unlock(&order);
    return result;
}

int fdatasync(int file) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
    char path[4096];
    int is_media = media(file, path);
    if (is_media) {
        pthread_mutex_lock(&order);
        note('S', path, 0, 0, NULL);
        pthread_mutex_unlock(&order);
    }
    int result = real(file);
    if (is_media && result == 0) {
        pthread_mutex_lock(&order);
        note('D', path, 0, 0, NULL);
        pthread_mutex_unlock(&order);
    }
    return result;
}
