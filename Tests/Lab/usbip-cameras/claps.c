#include "claps.h"

enum { remembered = 16 };
static int64_t claps[remembered];
static unsigned count;

void add_clap(int64_t time_ns) { claps[count++ % remembered] = time_ns; }

bool clap_within(int64_t begin_ns, int64_t end_ns)
{
    for (unsigned i = 0; i < remembered && i < count; i++)
        if (begin_ns <= claps[i] && claps[i] < end_ns)
            return true;
    return false;
}
