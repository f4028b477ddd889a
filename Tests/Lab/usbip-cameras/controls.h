// User-adjustable camera controls (UVC 1.1, 4.2.2): brightness, exposure, focus…
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { camera_terminal = 1, processing_unit = 3 }; // owners of controls: entities of the video function

// In the order of their bits in the descriptors (UVC 1.1, 3.7.2.3 and 3.7.2.5), per entity.
enum control_name {
    exposure_mode, exposure_priority, exposure_time, focus, zoom, focus_automatic, // camera terminal
    brightness, contrast, saturation, white_balance, gain, power_line, white_balance_automatic, // processing unit
    control_count,
};
enum { no_controls = 0, all_controls = (1 << control_count) - 1 };
enum { manual_exposure = 1, aperture_priority = 8 }; // values of exposure_mode

struct camera_controls {
    uint32_t present; // bit n: control n exists
    int32_t values[control_count];
    uint8_t last_error; // UVC 1.1, 4.2.1.2: reason for the last stall
};

// Resets all controls to their defaults, as plugging in does.
void reset_controls(struct camera_controls *controls, uint32_t present);
// Returns the focus to automatic, as some cameras do when a stream starts.
void forget_focus(struct camera_controls *controls);
// The bits of an entity's controls, for its descriptor.
uint32_t control_bits(uint32_t present, int entity);
// Answers a request to an entity; returns the number of bytes, or -EPIPE for a stall.
int control_request(struct camera_controls *controls, int entity, int selector, int request, uint8_t *data, int length);
