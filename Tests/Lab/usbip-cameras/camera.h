// A webcam with a microphone, seen from its USB cable: it answers control requests and fills isochronous packets.
// What carries the packets is none of its business (see usbip.h).
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

// Most bytes in a microframe, per alternate setting of the video interface; from 1 on, ascending (USB 2.0, 5.6.3).
extern const uint16_t alternate_payload[video_alternates + 1];

// UVC 1.1, table 4-47: what host and camera agree on before a stream.
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
    int number; // on the command line, in the pictures, in the tone
    struct format formats[most_formats]; // those that it offers now
    struct picture_source *pictures[most_formats][most_sizes]; // by format and size of the model
    uint8_t alternate[interfaces];
    struct probe probe, committed;
    struct camera_controls controls;
    struct faults faults;

    struct {
        struct picture_source *source;
        int64_t interval_ns, next_exposure_ns;
        bool starts;        // no packet of this stream was asked for yet
        bool silent;        // nothing comes of this stream
        uint32_t number;    // of the next exposure; never reused, not even after a replug
        uint32_t since_start; // frames of this stream
        uint32_t max_payload;
        uint8_t *frame;     // being sent
        size_t size, sent;  // size 0: between two frames
        bool breaks;        // it suffers a transmission error
        int64_t exposure_ns;
        bool frame_id;
    } video;
    uint64_t samples; // of the microphone, since it began
    int64_t sample_millionths; // what its crystal is ahead by of whole samples
};

struct camera *make_camera(const struct model *model, int number);
void reset_camera(struct camera *camera); // as on plugging in: a capture stick sees what its signal is

struct setup { // USB 2.0, table 9-2
    uint8_t request_type, request;
    uint16_t value, index, length;
};

// Answers a control request: data is read from or written to `data`. Returns the number of bytes, or -EPIPE for a stall.
int camera_control(struct camera *camera, const struct setup *setup, uint8_t *data);
// How often the endpoint has a packet.
int64_t packet_interval_ns(int endpoint);
// Fills the packet that is on the bus at `now`; returns its size, or -EPROTO for a transmission error.
int camera_packet(struct camera *camera, int endpoint, int64_t now, uint8_t *packet, size_t capacity);

// descriptors.c: writes the descriptor (USB 2.0, 9.4.3) and returns its size, or -EPIPE if there is none.
int write_descriptor(const struct camera *camera, int type, int index, uint8_t *out);
