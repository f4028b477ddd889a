#include "camera.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claps.h"

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
    for (int f = 0; f < format_count(model->formats); f++) {
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

// Adjusts the host's request to values that the camera supports.
static void negotiate(const struct camera *camera, struct probe *probe)
{
    if (probe->format < 1 || probe->format > format_count(camera->formats))
        probe->format = 1;
    const struct format *format = &camera->formats[probe->format - 1];
    if (probe->frame < 1 || probe->frame > size_count(format))
        probe->frame = 1;
    if (camera->faults.alters)
        probe->frame = probe->frame % size_count(format) + 1;
    const struct size *size = &format->sizes[probe->frame - 1];
    int rate = size->rates[0];
    for (int i = 0; i < rate_count(size); i++)
        if (labs(10000000L / size->rates[i] - (long)probe->interval) < labs(10000000L / rate - (long)probe->interval))
            rate = size->rates[i];
    probe->interval = 10000000 / rate;
    probe->max_frame_size = picture_capacity(format->pixel, size->width, size->height);

    // The stream's bandwidth per microframe, with margin to catch up. Compressed frames are at most a quarter of the size of raw
    // frames.
    uint32_t payload = probe->max_frame_size / (format->pixel == YUYV ? 1 : 4) * rate / 8000 * 9 / 8 + 12;
    uint32_t most = alternate_payload[video_alternates];
    probe->max_payload_size = payload < most && !camera->model->greedy ? payload : most;
    probe->clock_frequency = camera_clock_hz;
    probe->framing_info = 3; // headers contain frame ID and end-of-frame bits
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
        if (camera->faults.refuses)
            return -EPIPE;
        memcpy(&answer, data, setup->length < sizeof answer ? setup->length : sizeof answer);
        negotiate(camera, &answer);
        *probe = answer;
        return 0;
    case uvc_get_length:
        memcpy(data, (uint8_t[]){ sizeof answer, 0 }, 2);
        return 2;
    case uvc_get_info:
        data[0] = 3; // supports get and set
        return 1;
    case uvc_get_default:
        answer = (struct probe){ 0 };
        negotiate(camera, &answer);
        break;
    case uvc_get_current:
    case uvc_get_minimum:
    case uvc_get_maximum: // no range: the quality is fixed
        break;
    default: return -EPIPE;
    }
    memcpy(data, &answer, sizeof answer);
    return sizeof answer;
}

// --- streams

// The camera's formats: all formats of its model, or only the size of its signal for a capture stick.
static void list_formats(struct camera *camera)
{
    memcpy(camera->formats, camera->model->formats, sizeof camera->formats);
    if (!camera->model->follows_signal)
        return;
    int height = camera->faults.signal == signal_720p ? 720 : 1080;
    for (int f = 0; f < format_count(camera->model->formats); f++) {
        const struct format *whole = &camera->model->formats[f];
        struct format *offered = &camera->formats[f];
        *offered = (struct format){ .pixel = whole->pixel };
        for (int s = 0; s < size_count(whole); s++)
            if (whole->sizes[s].height == height)
                offered->sizes[0] = whole->sizes[s];
    }
}

static struct picture_source *find_pictures(const struct camera *camera, int format, const struct size *size)
{
    const struct format *whole = &camera->model->formats[format];
    int s = 0;
    while (whole->sizes[s].width != size->width || whole->sizes[s].height != size->height)
        s++;
    return camera->pictures[format][s];
}

static void start_video(struct camera *camera)
{
    typeof(camera->video) *video = &camera->video;
    const struct probe *agreed = &camera->committed;
    video->source = find_pictures(camera, agreed->format - 1, &camera->formats[agreed->format - 1].sizes[agreed->frame - 1]);
    video->interval_ns = 1000000000 / (10000000 / agreed->interval);
    video->max_payload = agreed->max_payload_size;
    video->starts = true;
    video->since_start = 0;
    video->size = 0;
    video->silent = camera->faults.silent_start;
    camera->faults.silent_start = false;
    if (camera->model->forgets_focus)
        forget_focus(&camera->controls);
}

void reset_camera(struct camera *camera)
{
    memset(camera->alternate, 0, sizeof camera->alternate);
    reset_faults(&camera->faults);
    reset_controls(&camera->controls, camera->model->controls);
    list_formats(camera);
    camera->probe = (struct probe){ 0 };
    negotiate(camera, &camera->probe);
    camera->committed = camera->probe;
    camera->video.size = 0;
}

// In the dark, automatic exposure takes longer than a frame interval, unless the camera must keep its rate.
static bool exposes_long(const struct camera *camera)
{
    const struct camera_controls *controls = &camera->controls;
    bool is_manual = controls->present >> exposure_mode & 1 && controls->values[exposure_mode] == manual_exposure;
    bool keeps_rate = controls->present >> exposure_priority & 1 && !controls->values[exposure_priority];
    return camera->faults.dark && !is_manual && !keeps_rate;
}

// Returns whether a fault scheduled for the next frames affects this one.
static bool strikes(int *count) { return *count > 0 && (*count)--; }

// Exposes a frame if one is due. Exposure and transmission start together, as if sensor readout were instantaneous. uvcvideo
// stamps a frame when its first packet arrives, so its timestamps equal our exposure times, unless the camera is set to be late.
static bool expose(struct camera *camera, int64_t now)
{
    typeof(camera->video) *video = &camera->video;
    struct faults *faults = &camera->faults;
    if (video->starts) {
        video->next_exposure_ns = now + video->interval_ns;
        if (video->next_exposure_ns < now + faults->first_frame_ns)
            video->next_exposure_ns = now + faults->first_frame_ns;
        video->starts = false;
    }
    if (now < video->next_exposure_ns + faults->late_ns)
        return false;
    video->exposure_ns = video->next_exposure_ns;
    int64_t interval_ns = llround(video->interval_ns / (1 + faults->skew_ppm * 1e-6));
    video->next_exposure_ns += exposes_long(camera) ? 2 * interval_ns : interval_ns;
    uint32_t number = video->number++;
    if (faults->frozen || video->silent || (camera->model->follows_signal && faults->has_no_signal))
        return false;
    struct exposure exposure = {
        .number = number, .time_ns = video->exposure_ns, .since_start = video->since_start,
        .lit = clap_within(video->exposure_ns, video->next_exposure_ns),
    };
    video->size = render_picture(video->source, &exposure, video->frame);
    bool is_bad = camera->model->bad_first && video->since_start < 2;
    if ((is_bad && video->since_start == 1) || strikes(&faults->bad))
        damage_picture(video->frame, video->size);
    if ((is_bad && video->since_start == 0) || strikes(&faults->cut))
        video->size /= 2;
    if (strikes(&faults->tails))
        video->size = append_rubbish(video->frame, video->size);
    video->breaks = strikes(&faults->errors);
    video->since_start++;
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
    if (video->breaks && video->sent > 0) {
        // uvcvideo drops the whole frame, leaving a gap in the sequence numbers.
        video->breaks = false;
        video->sent += size;
        if (size == left)
            video->size = 0;
        return -EPROTO;
    }
    // UVC 1.1, 2.4.3.3: header length, flags, exposure time, the camera's current clock and the bus's current frame number.
    int64_t offset = camera->faults.clock_offset_ns;
    uint32_t presentation = camera_clock(video->exposure_ns + offset), clock = camera_clock(now + offset);
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

// A hash of a number (the finalizer of MurmurHash3), scaled to -1…1.
static double noise(uint64_t number)
{
    number ^= number >> 33;
    number *= 0xff51afd7ed558ccd;
    number ^= number >> 33;
    number *= 0xc4ceb9fe1a85ec53;
    number ^= number >> 33;
    return (int32_t)number / 2147483648.0;
}

// Noise up to 3 kHz in syllables, four per second, each with a random level.
static double babble(uint64_t sample)
{
    enum { syllable = sound_rate / 4, hold = 8 };
    double loudness = fabs(noise(sample / syllable)) * sin(M_PI * (sample % syllable) / syllable);
    return loudness * noise(sample / hold + ((uint64_t)1 << 32));
}

// A tone that identifies the microphone: 1000 Hz for camera 1, 1500 for 2, 2000 for 3…, at half of full scale.
static int sound_packet(struct camera *camera, int64_t now, uint8_t *packet)
{
    const struct faults *faults = &camera->faults;
    int frequency = 500 + 500 * camera->number, channels = camera->model->channels, count = sound_rate / 1000;
    // A fast crystal occasionally produces an extra sample: an asynchronous endpoint sets the packet's sample count (USB 2.0,
    // 5.12.4.1).
    camera->sample_millionths += count * faults->skew_ppm;
    int more = camera->sample_millionths / 1000000;
    camera->sample_millionths -= more * 1000000;
    count += more;
    for (int i = 0; i < count; i++, camera->samples++) {
        double phase = (double)(camera->samples * frequency % sound_rate) / sound_rate;
        int64_t time = now + i * packet_interval_ns(sound_endpoint) / count;
        bool sounds = !faults->muted && (!faults->hushed || clap_within(time - clap_beep_ns + 1, time + 1));
        double level = faults->babbles ? babble(camera->samples) : sin(2 * M_PI * phase);
        int16_t value = sounds ? lrint(16384 * level) : 0;
        for (int channel = 0; channel < channels; channel++, packet += 2)
            memcpy(packet, &value, 2);
    }
    return count * channels * 2;
}

int64_t packet_interval_ns(int endpoint) { return endpoint == video_endpoint ? 125000 : 1000000; }

int camera_packet(struct camera *camera, int endpoint, int64_t now, uint8_t *packet, size_t capacity)
{
    return endpoint == video_endpoint ? video_packet(camera, now, packet, capacity) : sound_packet(camera, now, packet);
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
        if ((setup->request_type & 0x1f) != 1)
            return -EPIPE;
        switch (setup->index & 0xff) {
        case video_streaming: return streaming_control(camera, setup, data);
        case video_control:
            return control_request(&camera->controls, setup->index >> 8, setup->value >> 8, setup->request, data, setup->length);
        default: return -EPIPE;
        }
    default: return -EPIPE;
    }
}
