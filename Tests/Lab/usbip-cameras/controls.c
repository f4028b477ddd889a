#include "controls.h"

#include <errno.h>
#include <string.h>

enum { // UVC 1.1, table A-8
    set_current = 0x01, get_current = 0x81, get_minimum, get_maximum, get_resolution, get_length, get_info, get_default,
};
enum { interface_itself = 0, error_code_control = 2 };
enum { no_error = 0, wrong_state = 2, out_of_range = 4, invalid_unit = 5, invalid_control = 6, invalid_request = 7 };

struct control {
    uint8_t entity, bit, selector, size; // bit in the descriptor; size of the value in bytes
    int32_t minimum, maximum, resolution, initial;
    // Unless the named control has this value, an automatic mode manages this control, and it can't be set. none: always
    // settable.
    int governor;
    int32_t when;
};

enum { none = control_count };
enum { ct = camera_terminal, pu = processing_unit };

// Ranges of typical webcams. Units: exposure time 100 µs, white balance kelvin.
static const struct control all[control_count] = {
    // The resolution of the exposure mode is the bitmap of supported modes, not a step (UVC 1.1, 4.2.2.1.2).
    [exposure_mode] = { ct, 1, 0x02, 1, manual_exposure, aperture_priority, manual_exposure | aperture_priority,
                        aperture_priority, none, 0 },
    [exposure_priority] = { ct, 2, 0x03, 1, 0, 1, 1, 1, none, 0 },
    [exposure_time] = { ct, 3, 0x04, 4, 3, 2047, 1, 250, exposure_mode, manual_exposure },
    [focus] = { ct, 5, 0x06, 2, 0, 250, 5, 0, focus_automatic, 0 },
    [zoom] = { ct, 9, 0x0b, 2, 100, 500, 1, 100, none, 0 },
    [focus_automatic] = { ct, 17, 0x08, 1, 0, 1, 1, 1, none, 0 },
    [brightness] = { pu, 0, 0x02, 2, 0, 255, 1, 128, none, 0 },
    [contrast] = { pu, 1, 0x03, 2, 0, 255, 1, 128, none, 0 },
    [saturation] = { pu, 3, 0x07, 2, 0, 255, 1, 128, none, 0 },
    [white_balance] = { pu, 6, 0x0a, 2, 2000, 6500, 1, 4000, white_balance_automatic, 0 },
    [gain] = { pu, 9, 0x04, 2, 0, 255, 1, 0, none, 0 },
    [power_line] = { pu, 10, 0x05, 1, 0, 2, 1, 2, none, 0 },
    [white_balance_automatic] = { pu, 12, 0x0b, 1, 0, 1, 1, 1, none, 0 },
};

void reset_controls(struct camera_controls *controls, uint32_t present)
{
    *controls = (struct camera_controls){ .present = present };
    for (int i = 0; i < control_count; i++)
        controls->values[i] = all[i].initial;
}

void forget_focus(struct camera_controls *controls)
{
    controls->values[focus_automatic] = all[focus_automatic].initial;
}

uint32_t control_bits(uint32_t present, int entity)
{
    uint32_t bits = 0;
    for (int i = 0; i < control_count; i++)
        if (present >> i & 1 && all[i].entity == entity)
            bits |= 1u << all[i].bit;
    return bits;
}

static const struct control *find_control(const struct camera_controls *controls, int entity, int selector)
{
    for (int i = 0; i < control_count; i++)
        if (controls->present >> i & 1 && all[i].entity == entity && all[i].selector == selector)
            return &all[i];
    return NULL;
}

static bool is_governed(const struct camera_controls *controls, const struct control *control)
{
    return control->governor != none && controls->present >> control->governor & 1 &&
           controls->values[control->governor] != control->when;
}

static int stall(struct camera_controls *controls, uint8_t error)
{
    controls->last_error = error;
    return -EPIPE;
}

static int set_value(struct camera_controls *controls, const struct control *control, const uint8_t *data)
{
    int32_t value = 0;
    memcpy(&value, data, control->size); // little-endian like the host; never negative
    if (is_governed(controls, control))
        return stall(controls, wrong_state);
    bool fits = control == &all[exposure_mode]
                    ? value == manual_exposure || value == aperture_priority
                    : value >= control->minimum && value <= control->maximum &&
                          (value - control->minimum) % control->resolution == 0;
    if (!fits)
        return stall(controls, out_of_range);
    controls->values[control - all] = value;
    return 0;
}

int control_request(struct camera_controls *controls, int entity, int selector, int request, uint8_t *data, int length)
{
    if (entity == interface_itself && selector == error_code_control && request == get_current) {
        data[0] = controls->last_error;
        return 1;
    }
    const struct control *control = find_control(controls, entity, selector);
    if (!control)
        return stall(controls, entity == camera_terminal || entity == processing_unit ? invalid_control : invalid_unit);
    controls->last_error = no_error;
    int32_t answer;
    switch (request) {
    case set_current:
        return length < control->size ? stall(controls, invalid_request) : set_value(controls, control, data);
    case get_length: memcpy(data, (uint8_t[]){ control->size, 0 }, 2); return 2;
    case get_info: data[0] = 3 | is_governed(controls, control) << 2; return 1; // supports get and set; currently disabled by an automatic mode
    case get_current: answer = controls->values[control - all]; break;
    case get_minimum: answer = control->minimum; break;
    case get_maximum: answer = control->maximum; break;
    case get_resolution: answer = control->resolution; break;
    case get_default: answer = control->initial; break;
    default: return stall(controls, invalid_request);
    }
    memcpy(data, &answer, control->size);
    return control->size;
}
