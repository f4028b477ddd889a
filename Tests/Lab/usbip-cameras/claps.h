// Claps: a flash of light and a beep at one instant, for all cameras and all microphones.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// From the command to the clap, and how long it sounds. A picture is made when its exposure begins, so what falls into the
// exposure must be known before: it takes 0.2 s at most, at five pictures a second.
static const int64_t clap_lead_ns = 250000000, clap_beep_ns = 40000000;

// There will be one, on the cameras' clock. The last 16 are remembered, for cameras that are late.
void add_clap(int64_t time_ns);
// Whether one falls into the time from `begin` until before `end`.
bool clap_within(int64_t begin_ns, int64_t end_ns);
