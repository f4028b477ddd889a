// A chain of libavfilter's audio filters. libavfilter is loaded when the first chain is created, because only
// programs that process audio need it and its many dependencies.
#pragma once
#include <stdint.h>

typedef struct media_sound_chain media_sound_chain;

// Major version of libavfilter for which this program was built. It is a part of the names of the library and of Debian's package.
int media_sound_library_version(void);

// Creates a chain for interleaved 32-bit float samples at `rate` Hz. `filters` is a description in libavfilter's
// syntax (ffmpeg-filters(1)). Returns 0 and sets `chain`, or returns a negative AVERROR code and writes the failed step to
// `problem`. If the library can't be loaded, the code is AVERROR_EXTERNAL, and `problem` is the dynamic linker's message.
int media_sound_chain_open(const char *filters, int rate, int channels, media_sound_chain **chain, char *problem, int size);

// Passes `frames` samples per channel to the chain. Returns 0 or a negative AVERROR code.
int media_sound_chain_send(media_sound_chain *chain, const float *samples, int frames);

// Returns processed samples: their number of samples per channel, or 0 if the chain needs more input, or a negative AVERROR
// code. The samples stay valid until the next call for this chain.
int media_sound_chain_receive(media_sound_chain *chain, const float **samples);

void media_sound_chain_close(media_sound_chain *chain);
