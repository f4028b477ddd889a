#include "faults.h"

#include <stdlib.h>
#include <string.h>

void reset_faults(struct faults *faults)
{
    *faults = (struct faults){
        .dark = faults->dark, .hushed = faults->hushed, .babbles = faults->babbles, .refuses = faults->refuses, .alters = faults->alters,
        .signal = faults->signal, .has_no_signal = faults->has_no_signal, .first_frame_ns = faults->first_frame_ns,
        .skew_ppm = faults->skew_ppm, .late_ns = faults->late_ns,
    };
}

static enum fault_answer change_signal(struct faults *faults, const char *value)
{
    static const char *const names[] = { [signal_1080p] = "1080p", [signal_720p] = "720p" };
    if (value && strcmp(value, "lost") == 0) {
        faults->has_no_signal = true;
        return fault_done;
    }
    for (enum signal signal = signal_1080p; value && signal <= signal_720p; signal++) {
        if (strcmp(value, names[signal]) != 0)
            continue;
        // Another size requires another list of formats, which a USB device can only change by reconnecting.
        bool drops_off = signal != faults->signal;
        faults->signal = signal;
        faults->has_no_signal = false;
        return drops_off ? fault_drops_off : fault_done;
    }
    return fault_bad_value;
}

enum fault_answer obey_fault(struct faults *faults, const char *command, const char *value)
{
    const struct {
        const char *on, *off;
        bool *state;
    } states[] = {
        { "freeze", "thaw", &faults->frozen }, { "mute", "unmute", &faults->muted },
        { "dark", "light", &faults->dark },    { "nostart", "start", &faults->silent_start },
        { "refuse", "accept", &faults->refuses }, { "alter", "accept", &faults->alters },
        { "hush", "tone", &faults->hushed }, { "babble", "tone", &faults->babbles },
    };
    const struct {
        const char *name;
        int *count;
    } strikes[] = {
        { "short", &faults->cut }, { "error", &faults->errors }, { "tail", &faults->tails }, { "bad", &faults->bad },
    };
    if (strcmp(command, "signal") == 0)
        return change_signal(faults, value);

    char *end = NULL;
    long number = value ? strtol(value, &end, 10) : 0;
    if (value && (end == value || *end))
        return fault_bad_value;
    if (strcmp(command, "clock") == 0)
        faults->clock_offset_ns += number * 1000000;
    else if (strcmp(command, "skew") == 0 && labs(number) <= 10000)
        faults->skew_ppm = number;
    else if (strcmp(command, "late") == 0 && 0 <= number && number <= 1000)
        faults->late_ns = number * 1000000;
    else if (strcmp(command, "slow") == 0)
        faults->first_frame_ns = number * 1000000;
    else {
        enum fault_answer answer = fault_unknown;
        for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
            bool on = strcmp(command, states[i].on) == 0;
            if (!on && strcmp(command, states[i].off) != 0)
                continue;
            *states[i].state = on; // no break: accept ends two faults
            answer = value ? fault_bad_value : fault_done;
        }
        for (size_t i = 0; i < sizeof strikes / sizeof *strikes; i++) {
            if (strcmp(command, strikes[i].name) != 0)
                continue;
            *strikes[i].count += value ? number : 1;
            answer = value && number < 1 ? fault_bad_value : fault_done;
        }
        return answer;
    }
    return value ? fault_done : fault_bad_value;
}
