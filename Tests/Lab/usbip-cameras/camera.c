#include "camera.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { // requests: USB 2.0, table 9-4; UVC 1.1, table A-8
    get_status = 0, clear_feature = 1, set_feature = 3, get_descriptor = 6, get_configuration = 8, set_configuration = 9,
    get_interface = 10, set_interface = 11,
    uvc_set_current = 0x01, uvc_get_current = 0x81, uvc_get_minimum, uvc_get_maximum, uvc_get_resolution, uvc_get_length,
    uvc_get_info, uvc_get_default,
    probe_control = 1, commit_control = 2,
};

struct camera *make_camera(const struct model *model, int number)
{
    struct camera *camera = calloc(1, sizeof *camera);
    camera->model = model;
    camera->number = number;
    size_t capacity = 0;
    for (int f = 0; f < format_count(model); f++) {
        const struct format *format = &model->formats[f];
        for (int s = 0; s < size_count(format); s++) {
            const struct size *size = &format->sizes[s];
            size_t needed = picture_capacity(format->pixel, size->width, size->height);
            camera->pictures[f][s] = make_pictures(format->pixel, size->width, size->height, number);
            capacity = needed > capacity ? needed : capacity;
        }
    }
    camera->video.frame = malloc(capacity);
    reset_camera(camera);
    return camera;
}

// --- negotiation (UVC 1.1, 4.3.1.1)

// Makes of the host's wish something that the camera has.
static void negotiate(const struct camera *camera, struct probe *probe)
{
    const struct model *model = camera->model;
    if (probe->format < 1 || probe->format > format_count(model))
        probe->format = 1;
    const struct format *format = &model->formats[probe->format - 1];
    if (probe->frame < 1 || probe->frame > size_count(format))
        probe->frame = 1;
    const struct size *size = &format->sizes[probe->frame - 1];
    int rate = size->rates[0];
    for (int i = 0; i < rate_count(size); i++)
        if (labs(10000000L / size->rates[i] - (long)probe->interval) < labs(10000000L / rate - (long)probe->interval))
            rate = size->rates[i];
    probe->interval = 10000000 / rate;
    probe->max_frame_size = picture_capacity(format->pixel, size->width, size->height);

    // What the stream needs in each microframe, with room to catch up; a JPEG at most a quarter of the raw picture.
    uint32_t payload = probe->max_frame_size / (format->pixel == MJPEG ? 4 : 1) * rate / 8000 * 9 / 8 + 12;
    uint32_t most = alternate_payload[video_alternates];
    probe->max_payload_size = payload < most ? payload : most;
    probe->clock_frequency = camera_clock_hz;
    probe->framing_info = 3; // frame id and end of frame are in the headers
    probe->preferred_version = probe->min_version = probe->max_version = 1;
}

static int streaming_control(struct camera *camera, const struct setup *setup, uint8_t *data)
{
    int control = setup->value >> 8;
    if (control != probe_control && control != commit_control)
        return -EPIPE;
    struct probe *probe = control == probe_control ? &camera->probe : &camera->committed;
    struct probe answer = *probe;
    switch (setup->request) {
    case uvc_set_current:
        memcpy(&answer, data, setup->length < sizeof answer ? setup->length : sizeof answer);
        negotiate(camera, &answer);
        *probe = answer;
        return 0;
    case uvc_get_length:
        memcpy(data, (uint8_t[]){ sizeof answer, 0 }, 2);
        return 2;
    case uvc_get_info:
        data[0] = 3; // can be read and set
        return 1;
    case uvc_get_default:
        answer = (struct probe){ 0 };
        negotiate(camera, &answer);
        break;
    case uvc_get_current:
    case uvc_get_minimum:
    case uvc_get_maximum: // no range to tell: the quality is fixed
        break;
    default: return -EPIPE;
    }
    memcpy(data, &answer, sizeof answer);
    return sizeof answer;
}

// --- streams

static void start_video(struct camera *camera)
{
    const struct probe *agreed = &camera->committed;
    camera->video.source = camera->pictures[agreed->format - 1][agreed->frame - 1];
    camera->video.interval_ns = 1000000000 / (10000000 / agreed->interval);
    camera->video.next_exposure_ns = 0; // with the first packet
    camera->video.max_payload = agreed->max_payload_size;
    camera->video.size = 0;
}

void reset_camera(struct camera *camera)
{
    memset(camera->alternate, 0, sizeof camera->alternate);
    camera->probe = (struct probe){ 0 };
    negotiate(camera, &camera->probe);
    camera->committed = camera->probe;
    camera->frozen = camera->muted = camera->cut_next = camera->break_next = false;
    camera->video.size = 0;
}

// Exposes a frame if one is due. Exposure and sending begin together, as if the sensor were read out in no time: uvcvideo
// stamps a frame when its first packet comes, so its time stamps tell our time of exposure.
static bool expose(struct camera *camera, int64_t now)
{
    typeof(camera->video) *video = &camera->video;
    if (video->next_exposure_ns == 0)
        video->next_exposure_ns = now + video->interval_ns;
    if (now < video->next_exposure_ns)
        return false;
    video->exposure_ns = video->next_exposure_ns;
    video->next_exposure_ns += video->interval_ns;
    uint32_t number = video->number++;
    if (camera->frozen)
        return false;
    video->size = render_picture(video->source, number, video->exposure_ns, video->frame);
    if (camera->cut_next)
        video->size /= 2;
    camera->cut_next = false;
    video->sent = 0;
    video->frame_id = !video->frame_id;
    return true;
}

static uint32_t camera_clock(int64_t time_ns) { return (uint32_t)(time_ns / 1000 * (camera_clock_hz / 1000000)); }

static int video_packet(struct camera *camera, int64_t now, uint8_t *packet, size_t capacity)
{
    typeof(camera->video) *video = &camera->video;
    if (video->size == 0 && !expose(camera, now))
        return 0;
    enum { header = 12, end_of_frame = 0x02, presentation_time = 0x04, source_clock = 0x08, end_of_header = 0x80 };
    size_t room = (capacity < video->max_payload ? capacity : video->max_payload) - header, left = video->size - video->sent;
    size_t size = left < room ? left : room;
    if (camera->break_next && video->sent > 0) {
        // uvcvideo drops the whole frame; its sequence number is missing.
        camera->break_next = false;
        video->sent += size;
        if (size == left)
            video->size = 0;
        return -EPROTO;
    }
    // UVC 1.1, 2.4.3.3: header length, flags, time of exposure, the camera's clock now and the bus's frame number now.
    uint32_t presentation = camera_clock(video->exposure_ns), clock = camera_clock(now);
    uint16_t bus_frame = now / 1000000 & 0x7ff;
    packet[0] = header;
    packet[1] = end_of_header | source_clock | presentation_time | (size == left ? end_of_frame : 0) | video->frame_id;
    memcpy(packet + 2, &presentation, 4);
    memcpy(packet + 6, &clock, 4);
    memcpy(packet + 10, &bus_frame, 2);
    memcpy(packet + header, video->frame + video->sent, size);
    video->sent += size;
    if (size == left)
        video->size = 0;
    return header + size;
}

// A tone that tells whose microphone this is: 1000 Hz for camera 1, 1500 for 2, 2000 for 3…, half of full scale.
static int sound_packet(struct camera *camera, uint8_t *packet)
{
    int frequency = 500 + 500 * camera->number, channels = camera->model->channels;
    for (int i = 0; i < sound_rate / 1000; i++, camera->samples++) {
        double phase = (double)(camera->samples * frequency % sound_rate) / sound_rate;
        int16_t value = camera->muted ? 0 : lrint(16384 * sin(2 * M_PI * phase));
        for (int channel = 0; channel < channels; channel++, packet += 2)
            memcpy(packet, &value, 2);
    }
    return sound_rate / 1000 * channels * 2;
}

int64_t packet_interval_ns(int endpoint) { return endpoint == video_endpoint ? 125000 : 1000000; }

int camera_packet(struct camera *camera, int endpoint, int64_t now, uint8_t *packet, size_t capacity)
{
    return endpoint == video_endpoint ? video_packet(camera, now, packet, capacity) : sound_packet(camera, packet);
}

// --- control requests

static int standard_request(struct camera *camera, const struct setup *setup, uint8_t *data)
{
    switch (setup->request) {
    case get_descriptor: return write_descriptor(camera, setup->value >> 8, setup->value & 0xff, data);
    case get_status: memset(data, 0, 2); return 2;
    case get_configuration: data[0] = 1; return 1;
    case get_interface: data[0] = camera->alternate[setup->index % interfaces]; return 1;
    case set_interface:
        if (setup->index >= interfaces)
            return -EPIPE;
        camera->alternate[setup->index] = setup->value;
        if (setup->index == video_streaming && setup->value > 0)
            start_video(camera);
        return 0;
    case clear_feature:
    case set_feature:
    case set_configuration: return 0;
    default: return -EPIPE;
    }
}

int camera_control(struct camera *camera, const struct setup *setup, uint8_t *data)
{
    switch (setup->request_type & 0x60) {
    case 0x00: return standard_request(camera, setup, data);
    case 0x20:
        if ((setup->request_type & 0x1f) == 1 && (setup->index & 0xff) == video_streaming)
            return streaming_control(camera, setup, data);
        return -EPIPE;
    default: return -EPIPE;
    }
}
