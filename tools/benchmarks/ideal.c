// The lower bound: one hand-written job that only decodes, converts, encodes and muxes, without clocks, ledger or threads other than
// x264's. Its inputs are fixed: complete MJPEG frames in 4:2:2, insets of exactly three eighths.
//
//   ideal OUT.mp4 PRESET CODER SOUND.wav FRAMES MAIN.mkv [INSET.mkv X Y]…
#include "CMedia.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define check(what) do { int result_ = (what); if (result_ < 0) { fprintf(stderr, "ideal: %s: %d\n", #what, result_); exit(1); } } while (0)

enum { most = 8 };

struct camera {
    AVFormatContext *file;
    AVPacket *packet;
    int stream, x, y, width, height;
};

// BT.601 full range to BT.709 limited range, as in multicam's ColorMap.
static struct media_color_map map;

static int16_t factor(double value) { return (int16_t)(value < 0 ? value * 16384 - 0.5 : value * 16384 + 0.5); }

static void make_map(void) {
    const double r = 0.299, b = 0.114, g = 1 - r - b, R = 0.2126, B = 0.0722, G = 1 - R - B;
    const double cb_g = -2 * (1 - b) * b / g, cb_b = 2 * (1 - b), cr_r = 2 * (1 - r), cr_g = -2 * (1 - r) * r / g;
    const double y_cb = G * cb_g + B * cb_b, y_cr = R * cr_r + G * cr_g, luma = 219.0 / 255, chroma = 224.0 / 255;
    map.luma = factor(luma);
    map.luma_cb = factor(y_cb * luma);
    map.luma_cr = factor(y_cr * luma);
    map.luma_offset = 16 * 32;
    map.cb_cb = factor((cb_b - y_cb) / (2 * (1 - B)) * chroma);
    map.cb_cr = factor(-y_cr / (2 * (1 - B)) * chroma);
    map.cr_cb = factor(-y_cb / (2 * (1 - R)) * chroma);
    map.cr_cr = factor((cr_r - y_cr) / (2 * (1 - R)) * chroma);
}

static struct camera open_camera(const char *path) {
    struct camera camera = {0};
    check(avformat_open_input(&camera.file, path, NULL, NULL));
    check(camera.stream = av_find_best_stream(camera.file, AVMEDIA_TYPE_VIDEO, -1, -1, NULL, 0));
    camera.width = camera.file->streams[camera.stream]->codecpar->width;
    camera.height = camera.file->streams[camera.stream]->codecpar->height;
    camera.packet = av_packet_alloc();
    return camera;
}

static void paint(struct camera *camera, tjhandle decoder, uint8_t *colors[2], AVFrame *frame) {
    do { av_packet_unref(camera->packet); check(av_read_frame(camera->file, camera->packet)); }
    while (camera->packet->stream_index != camera->stream);
    uint8_t *y = frame->data[0] + camera->y * frame->linesize[0] + camera->x;
    uint8_t *u = frame->data[1] + camera->y / 2 * frame->linesize[1] + camera->x / 2;
    uint8_t *v = frame->data[2] + camera->y / 2 * frame->linesize[2] + camera->x / 2;
    int width, height, sampling, space;
    check(tjDecompressHeader3(decoder, camera->packet->data, camera->packet->size, &width, &height, &sampling, &space));
    uint8_t *planes[3] = {y, colors[0], colors[1]};
    int half = camera->width / 2, strides[3] = {frame->linesize[0], half, half};
    check(tjDecompressToYUVPlanes(decoder, camera->packet->data, camera->packet->size, planes, camera->width, strides, camera->height, 0));
    ScalePlane(colors[0], half, half, camera->height, u, frame->linesize[1], half, camera->height / 2, kFilterBilinear);
    ScalePlane(colors[1], half, half, camera->height, v, frame->linesize[2], half, camera->height / 2, kFilterBilinear);
    media_convert_color(y, frame->linesize[0], u, frame->linesize[1], v, frame->linesize[2], camera->width, camera->height, 1, &map);
}

static void drain(AVCodecContext *encoder, AVStream *stream, AVFormatContext *out, AVPacket *packet) {
    while (avcodec_receive_packet(encoder, packet) >= 0) {
        packet->stream_index = stream->index;
        av_packet_rescale_ts(packet, encoder->time_base, stream->time_base);
        check(av_interleaved_write_frame(out, packet));
    }
}

int main(int count, char **words) {
    if (count < 7 || (count - 7) % 3) return fprintf(stderr, "usage: ideal OUT PRESET CODER SOUND FRAMES MAIN [INSET X Y]…\n"), 2;
    int frames = atoi(words[5]), cameras = 1;
    make_map();
    struct camera camera[most] = {open_camera(words[6])};
    for (int i = 7; i < count && cameras < most; i += 3, cameras++) {
        camera[cameras] = open_camera(words[i]);
        camera[cameras].width = camera[cameras].width * 3 / 8;
        camera[cameras].height = camera[cameras].height * 3 / 8;
        camera[cameras].x = atoi(words[i + 1]);
        camera[cameras].y = atoi(words[i + 2]);
    }
    AVFormatContext *sound = NULL, *out = NULL;
    check(avformat_open_input(&sound, words[4], NULL, NULL));
    check(avformat_alloc_output_context2(&out, NULL, "mp4", words[1]));

    AVCodecContext *video = avcodec_alloc_context3(avcodec_find_encoder_by_name("libx264"));
    video->width = camera[0].width, video->height = camera[0].height;
    video->pix_fmt = AV_PIX_FMT_YUV420P;
    video->time_base = (AVRational){1, 30}, video->framerate = (AVRational){30, 1};
    video->thread_count = 2, video->gop_size = 60;
    video->color_range = AVCOL_RANGE_MPEG, video->colorspace = AVCOL_SPC_BT709;
    video->color_primaries = AVCOL_PRI_BT709, video->color_trc = AVCOL_TRC_BT709;
    video->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    check(av_opt_set(video->priv_data, "preset", words[2], 0));
    check(av_opt_set(video->priv_data, "crf", "23", 0));
    check(avcodec_open2(video, NULL, NULL));

    AVCodecContext *audio = avcodec_alloc_context3(avcodec_find_encoder(AV_CODEC_ID_AAC));
    audio->sample_fmt = AV_SAMPLE_FMT_FLTP, audio->sample_rate = 48000, audio->bit_rate = 128000;
    audio->time_base = (AVRational){1, 48000};
    audio->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    av_channel_layout_default(&audio->ch_layout, 2);
    check(av_opt_set(audio->priv_data, "aac_coder", words[3], 0));
    check(avcodec_open2(audio, NULL, NULL));

    AVStream *pictures = avformat_new_stream(out, NULL), *samples = avformat_new_stream(out, NULL);
    avcodec_parameters_from_context(pictures->codecpar, video);
    avcodec_parameters_from_context(samples->codecpar, audio);
    pictures->time_base = (AVRational){1, 90000}, samples->time_base = audio->time_base;
    check(avio_open(&out->pb, words[1], AVIO_FLAG_WRITE));
    check(avformat_write_header(out, NULL));

    AVFrame *frame = av_frame_alloc(), *piece = av_frame_alloc();
    frame->format = AV_PIX_FMT_YUV420P, frame->width = video->width, frame->height = video->height;
    check(av_frame_get_buffer(frame, 0));
    piece->format = AV_SAMPLE_FMT_FLTP, piece->nb_samples = audio->frame_size, piece->sample_rate = 48000;
    av_channel_layout_default(&piece->ch_layout, 2);
    check(av_frame_get_buffer(piece, 0));

    uint8_t *colors[2] = {malloc((size_t)video->width * video->height / 2), malloc((size_t)video->width * video->height / 2)};
    tjhandle decoder = tjInitDecompress();
    AVPacket *packet = av_packet_alloc(), *heard = av_packet_alloc();
    int64_t sample = 0;
    int used = 0, filled = 0, ended = 0;
    for (int tick = 0; tick < frames; tick++) {
        check(av_frame_make_writable(frame));
        for (int i = 0; i < cameras; i++) paint(&camera[i], decoder, colors, frame);
        frame->pts = tick;
        check(avcodec_send_frame(video, frame));
        drain(video, pictures, out, packet);
        // This frame's audio: 16-bit mono, on both channels.
        while (!ended && sample < (int64_t)(tick + 1) * 1600) {
            if (used >= heard->size) {
                av_packet_unref(heard);
                used = 0;
                if (av_read_frame(sound, heard) < 0) { ended = 1; break; }
            }
            if (filled == 0) check(av_frame_make_writable(piece));
            const int16_t *from = (const int16_t *)(heard->data + used);
            int here = (heard->size - used) / 2, room = audio->frame_size - filled, taken = here < room ? here : room;
            float *left = (float *)piece->data[0] + filled, *right = (float *)piece->data[1] + filled;
            for (int i = 0; i < taken; i++) left[i] = right[i] = from[i] / 32768.0f;
            used += taken * 2, filled += taken;
            if (filled == audio->frame_size) {
                piece->pts = sample, sample += filled, filled = 0;
                check(avcodec_send_frame(audio, piece));
                drain(audio, samples, out, packet);
            }
        }
    }
    check(avcodec_send_frame(video, NULL));
    drain(video, pictures, out, packet);
    check(avcodec_send_frame(audio, NULL));
    drain(audio, samples, out, packet);
    check(av_write_trailer(out));
    return avio_closep(&out->pb) < 0;
}
