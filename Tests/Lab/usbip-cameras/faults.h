// What can be wrong with a camera or its surroundings, by command (see main.c for what each does).
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum signal { signal_1080p, signal_720p }; // what a capture stick sees at its input, or saw last

struct faults {
    // Gone after a replug: states of its firmware.
    bool frozen, muted, silent_start;
    int cut, errors, tails, bad; // so many of the next frames
    int64_t clock_offset_ns;
    // Of its nature or its surroundings: they stay.
    bool dark, hushed, babbles, refuses, alters, has_no_signal;
    int skew_ppm;           // its crystal is fast by as much, or slow if below 0: pictures and samples alike
    int64_t late_ns;        // from a picture's exposure to its first packet
    int64_t first_frame_ns; // the first frame of a stream comes no earlier than so long after its start
    enum signal signal;
};

// As on plugging in.
void reset_faults(struct faults *faults);

enum fault_answer { fault_done, fault_unknown, fault_bad_value, fault_drops_off };
// Carries out a command; `value` is its second word, or NULL. fault_drops_off: the camera leaves the bus, and returns.
enum fault_answer obey_fault(struct faults *faults, const char *command, const char *value);
