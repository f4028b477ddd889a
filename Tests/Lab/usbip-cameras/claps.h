// Claps: a simultaneous flash and beep for all cameras and all microphones.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// Delay from the command to the clap, and duration of the beep. A frame is rendered when its exposure begins, so a flash during
// the exposure must be known in advance: exposure takes at most 0.2 s, at five frames per second.
static const int64_t clap_lead_ns = 250000000, clap_beep_ns = 40000000;

// Schedules a clap, on the cameras' clock. The last 16 are stored, for cameras that are late.
void add_clap(int64_t time_ns);
// Returns whether a clap occurs in the half-open interval from `begin` to `end`.
bool clap_within(int64_t begin_ns, int64_t end_ns);
