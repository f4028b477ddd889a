// XXH3 of libxxhash.
#pragma once
#include <xxhash.h>
