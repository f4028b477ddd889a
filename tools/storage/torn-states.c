// Checks every possible state of a file during recording, computed from the log of its writes (write-log.c), with libavformat in this
// process.
//
//     torn-states LOG PATH FOLDER
//
// 1. A killed process: each write ends after each of its bytes, a large one after each sector. Packets complete before the write must still
// be complete.
// 2. A power cut: of the writes since the last completed fdatasync, any subset of sectors is on the disk: each one missing, each one alone
// present, and random choices; with sectors of 4096 bytes, and of 512. Packets complete at that fdatasync must still be complete. (Later
// packets have no guarantee and aren't checked.)
//
// A packet is complete if its bytes and times match the finished file. One state of each kind is saved in FOLDER for other readers. Prints
// JSON.
#include <libavformat/avformat.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { streams_most = 4, choices = 200 };

struct head { uint32_t kind, path_length; uint64_t offset, count; };
struct step { uint32_t kind; uint64_t offset, count; uint8_t *bytes; };
struct image { uint8_t *bytes; size_t size, room; };
struct packet { uint8_t *bytes; int size; int64_t pts, dts; };
struct track { struct packet *packets; int count, room; };
struct verdict { int is_open, whole[streams_most], wrong; };

static struct step *steps;
static int step_count;
static struct track reference[streams_most];
static int stream_count;
static const char *format_name, *ending, *folder;

static void fail(const char *text) { fprintf(stderr, "torn-states: %s\n", text); exit(2); }

static void apply(struct image *image, uint64_t offset, const uint8_t *bytes, uint64_t count) {
    uint64_t end = offset + count;
    if (end > image->room) {
        size_t room = end * 2;
        image->bytes = realloc(image->bytes, room);
        if (!image->bytes) fail("no memory");
        memset(image->bytes + image->room, 0, room - image->room);
        image->room = room;
    }
    if (end > image->size) {
        memset(image->bytes + image->size, 0, offset > image->size ? offset - image->size : 0);
        image->size = end;
    }
    memcpy(image->bytes + offset, bytes, count);
}

static void copy(struct image *to, const struct image *from) {
    to->size = 0;
    apply(to, 0, from->bytes, from->size);
}

struct reader { const struct image *image; int64_t place; };

static int read_bytes(void *opaque, uint8_t *buffer, int count) {
    struct reader *reader = opaque;
    int64_t rest = (int64_t)reader->image->size - reader->place;
    if (rest <= 0) return AVERROR_EOF;
    if (count > rest) count = (int)rest;
    memcpy(buffer, reader->image->bytes + reader->place, count);
    reader->place += count;
    return count;
}

static int64_t seek(void *opaque, int64_t offset, int whence) {
    struct reader *reader = opaque;
    if (whence == AVSEEK_SIZE) return reader->image->size;
    if (whence == SEEK_CUR) offset += reader->place;
    if (whence == SEEK_END) offset += reader->image->size;
    if (offset < 0) return AVERROR(EINVAL);
    return reader->place = offset;
}

/// Reads all packets, and passes each to `take`.
static int read_all(const struct image *image, void (*take)(AVStream *, AVPacket *, void *), void *context) {
    struct reader reader = { image, 0 };
    AVIOContext *input = avio_alloc_context(av_malloc(4096), 4096, 0, &reader, read_bytes, NULL, seek);
    AVFormatContext *format = avformat_alloc_context();
    format->pb = input;
    int result = avformat_open_input(&format, NULL, av_find_input_format(format_name), NULL);
    if (result >= 0) {
        AVPacket *packet = av_packet_alloc();
        while (av_read_frame(format, packet) >= 0) {
            AVStream *stream = format->streams[packet->stream_index];
            if (stream->codecpar->codec_type != AVMEDIA_TYPE_DATA) take(stream, packet, context);
            av_packet_unref(packet);
        }
        av_packet_free(&packet);
        avformat_close_input(&format);
    }
    av_freep(&input->buffer);
    avio_context_free(&input);
    return result;
}

static void remember(AVStream *stream, AVPacket *packet, void *context) {
    (void)context;
    if (stream->index >= streams_most) fail("more streams than it is made for");
    if (stream->index >= stream_count) stream_count = stream->index + 1;
    struct track *track = &reference[stream->index];
    if (track->count == track->room) {
        track->room = track->room * 2 + 64;
        track->packets = realloc(track->packets, track->room * sizeof *track->packets);
    }
    struct packet *kept = &track->packets[track->count++];
    *kept = (struct packet){ malloc(packet->size), packet->size, packet->pts, packet->dts };
    memcpy(kept->bytes, packet->data, packet->size);
}

static void compare(AVStream *stream, AVPacket *packet, void *context) {
    struct verdict *verdict = context;
    int index = stream->index;
    if (index >= stream_count) { verdict->wrong++; return; }
    struct track *track = &reference[index];
    int number = verdict->whole[index];
    if (!strcmp(format_name, "wav")) {
        // Readers may choose any length for audio packets: bytes count.
        static uint8_t all[1 << 24];
        static int length;
        if (!length)
            for (int i = 0; i < track->count; i++) {
                memcpy(all + length, track->packets[i].bytes, track->packets[i].size);
                length += track->packets[i].size;
            }
        int same = 0;
        while (same < packet->size && number + same < length && all[number + same] == packet->data[same]) same++;
        // Nothing after a hole is complete: from here on, packets would be compared with the wrong position.
        if (same < packet->size) verdict->wrong++;
        verdict->whole[index] += same;
        return;
    }
    if (packet->flags & AV_PKT_FLAG_CORRUPT) return;  // libavformat itself reports truncation
    if (number < track->count && track->packets[number].size == packet->size
        && !memcmp(track->packets[number].bytes, packet->data, packet->size)
        && track->packets[number].pts == packet->pts && track->packets[number].dts == packet->dts)
        verdict->whole[index]++;
    else
        verdict->wrong++;
}

static struct verdict judge(const struct image *image) {
    struct verdict verdict = { 0 };
    verdict.is_open = read_all(image, compare, &verdict) >= 0;
    return verdict;
}

static int keeps(struct verdict found, struct verdict before) {
    for (int i = 0; i < stream_count; i++)
        if (found.whole[i] < before.whole[i]) return 0;
    return 1;
}

static struct { long states, less, less_in_head, less_in_flip, less_at_page, wrong; } killed, cut[2];
static const uint64_t sectors[2] = { 4096, 512 };
/// From this size on, a write ends only between sectors: direct writes do, and all others end only between pages.
static const uint64_t large = 65536;
static struct { struct verdict verdict; } kinds[4096];
static int kind_count;

static void keep_if_new(const struct image *image, struct verdict verdict) {
    if (!strcmp(format_name, "wav")) verdict.whole[0] /= 4800;
    for (int i = 0; i < kind_count; i++)
        if (!memcmp(&kinds[i].verdict, &verdict, sizeof verdict)) return;
    if (kind_count == 4096) return;
    kinds[kind_count].verdict = verdict;
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/state-%d", folder, kind_count);
    for (int i = 0; i < stream_count; i++) length += snprintf(path + length, sizeof path - length, "-%d", verdict.whole[i]);
    snprintf(path + length, sizeof path - length, "%s%s", verdict.is_open ? "" : "-shut", ending);
    kind_count++;
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(image->bytes, 1, image->size, file) != image->size || fclose(file)) fail("cannot keep a state");
}

static uint32_t number_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

/// Whether an end at `place` is within a fragment's sample list.
static int ends_in_head(const struct image *image, uint64_t place) {
    uint64_t box = 0;
    while (box + 8 <= place) {
        uint64_t size = number_at(image->bytes + box);
        if (size == 1 && box + 16 <= place)
            size = (uint64_t)number_at(image->bytes + box + 8) << 32 | number_at(image->bytes + box + 12);
        if (size < 8) return 0;
        if (box + size > place) return !memcmp(image->bytes + box + 4, "moof", 4);
        box += size;
    }
    return 0;
}

/// Whether this is the single write that turns a fragmented file into a plain one: within one sector, and thus atomic.
static int is_flip(struct step step) {
    return step.count == 16 && step.offset / 512 == (step.offset + 15) / 512 && !memcmp(step.bytes + 4, "mdat", 4);
}

/// The sizes of an audio file, which are in its first page.
static int is_wave_head(struct step step) {
    return !strcmp(format_name, "wav") && step.offset + step.count <= 4096;
}

/// Ends each write of the log after each of its bytes, or of its sectors.
static void kill_everywhere(void) {
    struct image image = { 0 }, torn = { 0 };
    for (int index = 0; index < step_count; index++) {
        struct step step = steps[index];
        if (step.kind == 'T') { image.size = step.offset; continue; }
        if (step.kind != 'W') continue;
        struct verdict before = judge(&image);
        copy(&torn, &image);
        const uint64_t unit = step.count >= large ? 512 : 1;
        for (uint64_t done = 0, count; done < step.count; done = count) {
            count = done + unit - (step.offset + done) % unit;
            if (count > step.count) count = step.count;
            apply(&torn, step.offset + done, step.bytes + done, count - done);
            struct verdict found = judge(&torn);
            killed.states++;
            killed.wrong += found.wrong > 0;
            if (!keeps(found, before)) {
                killed.less++;
                int in_flip = is_flip(step) && count < step.count;
                killed.less_in_flip += in_flip;
                killed.less_in_head += !in_flip && (ends_in_head(&torn, torn.size) || is_wave_head(step));
                killed.less_at_page += (step.offset + count) % 4096 == 0 || count == step.count;
            }
            keep_if_new(&torn, found);
        }
        apply(&image, step.offset, step.bytes, step.count);
    }
    free(image.bytes);
    free(torn.bytes);
}

struct piece { uint64_t offset, count; const uint8_t *bytes; };

static void judge_choice(
    const struct image *durable, const struct piece *pieces, const uint8_t *is_there, int count, int keeps_size, uint64_t size,
    struct verdict before, int kind
) {
    static struct image torn;
    copy(&torn, durable);
    for (int i = 0; i < count; i++)
        if (is_there[i]) apply(&torn, pieces[i].offset, pieces[i].bytes, pieces[i].count);
    // The file may have its new length before its bytes, which are zeros until then.
    if (keeps_size && torn.size < size) { uint8_t zero = 0; apply(&torn, size - 1, &zero, 1); }
    struct verdict found = judge(&torn);
    cut[kind].states++;
    cut[kind].less += !keeps(found, before);
    keep_if_new(&torn, found);
}

/// Writes after a durable state, sector by sector.
static void cut_power(const struct image *durable, int from, int to, int kind) {
    int count = 0, room = 0;
    struct piece *pieces = NULL;
    uint64_t size = durable->size;
    for (int index = from; index < to; index++) {
        if (steps[index].kind != 'W') continue;
        for (uint64_t done = 0; done < steps[index].count;) {
            uint64_t place = steps[index].offset + done, part = sectors[kind] - place % sectors[kind];
            if (part > steps[index].count - done) part = steps[index].count - done;
            if (count == room) pieces = realloc(pieces, (room = room * 2 + 64) * sizeof *pieces);
            pieces[count++] = (struct piece){ place, part, steps[index].bytes + done };
            done += part;
        }
        if (steps[index].offset + steps[index].count > size) size = steps[index].offset + steps[index].count;
    }
    if (!count) { free(pieces); return; }
    struct verdict before = judge(durable);
    uint8_t *is_there = malloc(count);
    for (int keeps_size = 0; keeps_size < 2; keeps_size++) {
        for (int i = 0; i < count; i++) {
            memset(is_there, 1, count);
            is_there[i] = 0;
            judge_choice(durable, pieces, is_there, count, keeps_size, size, before, kind);
            memset(is_there, 0, count);
            is_there[i] = 1;
            judge_choice(durable, pieces, is_there, count, keeps_size, size, before, kind);
        }
        for (int choice = 0; choice < choices; choice++) {
            int percent = 1 + rand() % 99;
            for (int i = 0; i < count; i++) is_there[i] = rand() % 100 < percent;
            judge_choice(durable, pieces, is_there, count, keeps_size, size, before, kind);
        }
    }
    free(is_there);
    free(pieces);
}

static void cut_power_everywhere(void) {
    struct image image = { 0 }, durable = { 0 }, asked = { 0 };
    int asked_at = 0, durable_at = 0;
    srand(1);
    for (int index = 0; index < step_count; index++) {
        struct step step = steps[index];
        if (step.kind == 'W') apply(&image, step.offset, step.bytes, step.count);
        if (step.kind == 'T') image.size = step.offset;
        if (step.kind == 'S') { copy(&asked, &image); asked_at = index; }
        if (step.kind == 'D') {
            for (int kind = 0; kind < 2; kind++) cut_power(&durable, durable_at, index, kind);
            copy(&durable, &asked);
            durable_at = asked_at;
        }
    }
    for (int kind = 0; kind < 2; kind++) cut_power(&durable, durable_at, step_count, kind);
}

static void load(const char *log, const char *path) {
    FILE *file = fopen(log, "rb");
    if (!file) fail("there is no such log");
    struct head head;
    char name[4096];
    int room = 0;
    while (fread(&head, sizeof head, 1, file) == 1) {
        if (head.path_length >= sizeof name || fread(name, 1, head.path_length, file) != head.path_length) fail("the log is cut off");
        name[head.path_length] = 0;
        struct step step = { head.kind, head.offset, head.kind == 'W' ? head.count : 0, NULL };
        if (step.count) {
            step.bytes = malloc(step.count);
            if (fread(step.bytes, 1, step.count, file) != step.count) fail("the log is cut off");
        }
        if (strcmp(name, path)) { free(step.bytes); continue; }
        if (step_count == room) steps = realloc(steps, (room = room * 2 + 64) * sizeof *steps);
        steps[step_count++] = step;
    }
    fclose(file);
    if (!step_count) fail("nothing was written to that file");
}

int main(int count, char **words) {
    if (count != 4) fail("usage: torn-states LOG PATH FOLDER");
    av_log_set_level(AV_LOG_QUIET);
    folder = words[3];
    ending = strrchr(words[2], '.');
    format_name = !strcmp(ending, ".wav") ? "wav" : "mov";
    load(words[1], words[2]);
    struct image whole = { 0 };
    for (int i = 0; i < step_count; i++) {
        if (steps[i].kind == 'W') apply(&whole, steps[i].offset, steps[i].bytes, steps[i].count);
        if (steps[i].kind == 'T') whole.size = steps[i].offset;
    }
    if (read_all(&whole, remember, NULL) < 0) fail("the finished file does not open");
    struct verdict all = judge(&whole);
    if (all.wrong) fail("the finished file is not its own");
    kill_everywhere();
    cut_power_everywhere();
    printf("{\"bytes\": %zu, \"writes\": %d, \"kinds\": %d,\n", whole.size, step_count, kind_count);
    printf(" \"killed\": {\"states\": %ld, \"less\": %ld, \"less_in_head\": %ld, \"less_in_flip\": %ld, \"less_at_page\": %ld, "
        "\"wrong\": %ld},\n", killed.states, killed.less, killed.less_in_head, killed.less_in_flip, killed.less_at_page, killed.wrong);
    printf(" \"cut_4096\": {\"states\": %ld, \"less\": %ld},\n", cut[0].states, cut[0].less);
    printf(" \"cut_512\": {\"states\": %ld, \"less\": %ld}}\n", cut[1].states, cut[1].less);
    return 0;
}
