// What a person can adjust at a camera (UVC 1.1, 4.2.2): brightness, exposure, focus…
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { camera_terminal = 1, processing_unit = 3 }; // who has them: entities of the video function

// In order of their bits in the descriptors (UVC 1.1, 3.7.2.3 and 3.7.2.5), each entity's own.
enum control_name {
    exposure_mode, exposure_priority, exposure_time, focus, zoom, focus_automatic, // of the camera terminal
    brightness, contrast, saturation, white_balance, gain, power_line, white_balance_automatic, // of the processing unit
    control_count,
};
enum { no_controls = 0, all_controls = (1 << control_count) - 1 };
enum { manual_exposure = 1, aperture_priority = 8 }; // of exposure_mode

struct camera_controls {
    uint32_t present; // bit n: it has control n
    int32_t values[control_count];
    uint8_t last_error; // UVC 1.1, 4.2.1.2: why the last request was stalled
};

// Everything at its default, as after plugging in.
void reset_controls(struct camera_controls *controls, uint32_t present);
// The focus is automatic again, as of some cameras when a stream starts.
void forget_focus(struct camera_controls *controls);
// The bits of those that `entity` has, for its descriptor.
uint32_t control_bits(uint32_t present, int entity);
// Answers a request to an entity; returns the number of bytes, or -EPIPE for a stall.
int control_request(struct camera_controls *controls, int entity, int selector, int request, uint8_t *data, int length);
