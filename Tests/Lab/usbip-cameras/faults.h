// Faults of a camera or its environment, set by commands (main.c describes each one).
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum signal { signal_1080p, signal_720p }; // the signal at a capture stick's input; if lost, the previous one

struct faults {
    // Firmware state: reset by a replug.
    bool frozen, muted, silent_start;
    int cut, errors, tails, bad; // number of upcoming frames affected
    int64_t clock_offset_ns;
    // Properties of the camera or its environment: persistent.
    bool dark, hushed, babbles, refuses, alters, has_no_signal;
    int skew_ppm;           // crystal error, positive if fast: affects frames and samples
    int64_t late_ns;        // delay from a frame's exposure to its first packet
    int64_t first_frame_ns; // minimum delay from the start of a stream to its first frame
    enum signal signal;
};

// Resets the firmware state, as a replug does.
void reset_faults(struct faults *faults);

enum fault_answer { fault_done, fault_unknown, fault_bad_value, fault_drops_off };
// Executes a command; `value` is its second word, or NULL. fault_drops_off: the camera disconnects and returns.
enum fault_answer obey_fault(struct faults *faults, const char *command, const char *value);
