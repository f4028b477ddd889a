// A webcam with a microphone, as seen from its USB cable: it answers control requests and fills isochronous packets.
// The transport is implemented in usbip.h.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "faults.h"
#include "models.h"
#include "picture.h"

enum { video_endpoint = 1, sound_endpoint = 2, endpoints = 3 };
enum { video_control, video_streaming, sound_control, sound_streaming, interfaces }; // interface numbers
enum { video_alternates = 6, camera_clock_hz = 48000000, sound_rate = 48000 };

// Maximum bytes per microframe, by alternate setting of the video interface; ascending from setting 1 (USB 2.0, 5.6.3).
extern const uint16_t alternate_payload[video_alternates + 1];

// UVC 1.1, table 4-47: stream parameters negotiated between host and camera.
struct __attribute__((packed)) probe {
    uint16_t hint;
    uint8_t format, frame; // from 1
    uint32_t interval;     // in 100 ns
    uint16_t key_frame_rate, p_frame_rate, compression_quality, compression_window, delay;
    uint32_t max_frame_size, max_payload_size, clock_frequency;
    uint8_t framing_info, preferred_version, min_version, max_version;
};

struct camera {
    const struct model *model;
    int number; // used on the command line, in frames and in the tone
    struct format formats[most_formats]; // currently offered
    struct picture_source *pictures[most_formats][most_sizes]; // by the model's format and size
    uint8_t alternate[interfaces];
    struct probe probe, committed;
    struct camera_controls controls;
    struct faults faults;

    struct {
        struct picture_source *source;
        int64_t interval_ns, next_exposure_ns;
        bool starts;        // no packet of this stream has been requested yet
        bool silent;        // this stream never sends data
        uint32_t number;    // number of the next exposure; never reused, not even after a replug
        uint32_t since_start; // frames in this stream
        uint32_t max_payload;
        uint8_t *frame;     // currently being sent
        size_t size, sent;  // size 0: between two frames
        bool breaks;        // to suffer a transmission error
        int64_t exposure_ns;
        bool frame_id;
    } video;
    uint64_t samples; // microphone samples since its stream started
    int64_t sample_millionths; // fractional samples gained by clock skew
};

struct camera *make_camera(const struct model *model, int number);
void reset_camera(struct camera *camera); // as when plugged in: a capture stick detects its signal

struct setup { // USB 2.0, table 9-2
    uint8_t request_type, request;
    uint16_t value, index, length;
};

// Answers a control request, reading from or writing to `data`. Returns the number of bytes, or -EPIPE for a stall.
int camera_control(struct camera *camera, const struct setup *setup, uint8_t *data);
// The packet interval of the endpoint.
int64_t packet_interval_ns(int endpoint);
// Fills the packet that is on the bus at `now`; returns its size, or -EPROTO for a transmission error.
int camera_packet(struct camera *camera, int endpoint, int64_t now, uint8_t *packet, size_t capacity);

// descriptors.c: writes the descriptor (USB 2.0, 9.4.3) and returns its size, or -EPIPE if it doesn't exist.
int write_descriptor(const struct camera *camera, int type, int index, uint8_t *out);
