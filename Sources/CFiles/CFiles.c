#define _GNU_SOURCE
#include "CFiles.h"
#include <fcntl.h>

int files_hold(int descriptor, int64_t from, int64_t count) { return fallocate(descriptor, 0, from, count); }
