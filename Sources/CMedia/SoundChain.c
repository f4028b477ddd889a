#include "SoundChain.h"
#include <dlfcn.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavfilter/version.h>
#include <libavutil/channel_layout.h>
#include <libavutil/avstring.h>
#include <libavutil/mem.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define TEXT_(value) #value
#define TEXT(value) TEXT_(value)
// The version of the headers must be loaded, because AVFilterContext and AVFilterInOut are accessed directly.
#define LIBRARY "libavfilter.so." TEXT(LIBAVFILTER_VERSION_MAJOR)

static struct {
    __typeof__(avfilter_graph_alloc) *graph_alloc;
    __typeof__(avfilter_graph_free) *graph_free;
    __typeof__(avfilter_graph_create_filter) *create_filter;
    __typeof__(avfilter_graph_parse_ptr) *parse;
    __typeof__(avfilter_graph_config) *config;
    __typeof__(avfilter_get_by_name) *by_name;
    __typeof__(avfilter_inout_alloc) *inout_alloc;
    __typeof__(avfilter_inout_free) *inout_free;
    __typeof__(av_buffersrc_add_frame) *add_frame;
    __typeof__(av_buffersink_get_frame) *get_frame;
} library;
static char load_error[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    // The handle is never closed: the functions are used until the process ends.
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        snprintf(load_error, sizeof load_error, "%s", dlerror());
        return;
    }
    struct { const char *name; void **place; } functions[] = {
        {"avfilter_graph_alloc", (void **)&library.graph_alloc},
        {"avfilter_graph_free", (void **)&library.graph_free},
        {"avfilter_graph_create_filter", (void **)&library.create_filter},
        {"avfilter_graph_parse_ptr", (void **)&library.parse},
        {"avfilter_graph_config", (void **)&library.config},
        {"avfilter_get_by_name", (void **)&library.by_name},
        {"avfilter_inout_alloc", (void **)&library.inout_alloc},
        {"avfilter_inout_free", (void **)&library.inout_free},
        {"av_buffersrc_add_frame", (void **)&library.add_frame},
        {"av_buffersink_get_frame", (void **)&library.get_frame},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        *functions[i].place = dlsym(handle, functions[i].name);
        if (!*functions[i].place) {
            snprintf(load_error, sizeof load_error, "%s has no function %s", LIBRARY, functions[i].name);
            return;
        }
    }
}

int media_sound_library_version(void) { return LIBAVFILTER_VERSION_MAJOR; }

struct media_sound_chain {
    AVFilterGraph *graph;
    AVFilterContext *source, *sink;
    AVFrame *frame;
    int rate, channels;
    int64_t position;
};

void media_sound_chain_close(media_sound_chain *chain) {
    if (!chain) return;
    av_frame_free(&chain->frame);
    if (chain->graph) library.graph_free(&chain->graph);
    av_free(chain);
}

static int configure(media_sound_chain *chain, const char *filters, const char **step) {
    char arguments[128];
    snprintf(arguments, sizeof arguments, "time_base=1/%d:sample_rate=%d:sample_fmt=flt:channel_layout=%s", chain->rate,
             chain->rate, chain->channels == 1 ? "mono" : "stereo");
    AVFilterInOut *input = library.inout_alloc(), *output = library.inout_alloc();
    char *description = NULL;
    int result = AVERROR(ENOMEM);
    *step = "allocating the filter graph";
    if (!input || !output || !chain->graph || !chain->frame) goto end;
    chain->graph->nb_threads = 1;
    *step = "creating the source";
    result = library.create_filter(&chain->source, library.by_name("abuffer"), "in", arguments, NULL, chain->graph);
    if (result < 0) goto end;
    *step = "creating the sink";
    result = library.create_filter(&chain->sink, library.by_name("abuffersink"), "out", NULL, NULL, chain->graph);
    if (result < 0) goto end;
    // The names refer to the labels of the description, whose unconnected ends are called in and out by default.
    *output = (AVFilterInOut){.name = av_strdup("in"), .filter_ctx = chain->source};
    *input = (AVFilterInOut){.name = av_strdup("out"), .filter_ctx = chain->sink};
    *step = "reading the description of the filters";
    description = av_asprintf("%s,aformat=sample_fmts=flt:sample_rates=%d:channel_layouts=%s", filters, chain->rate,
                              chain->channels == 1 ? "mono" : "stereo");
    result = description ? library.parse(chain->graph, description, &input, &output, NULL) : AVERROR(ENOMEM);
    if (result < 0) goto end;
    *step = "configuring the filters";
    result = library.config(chain->graph, NULL);
end:
    av_free(description);
    library.inout_free(&input);
    library.inout_free(&output);
    return result;
}

int media_sound_chain_open(const char *filters, int rate, int channels, media_sound_chain **chain, char *problem, int size) {
    pthread_once(&once, load);
    *chain = NULL;
    if (load_error[0]) {
        snprintf(problem, size, "%s", load_error);
        return AVERROR_EXTERNAL;
    }
    media_sound_chain *made = av_mallocz(sizeof *made);
    if (!made) return AVERROR(ENOMEM);
    made->graph = library.graph_alloc();
    made->frame = av_frame_alloc();
    made->rate = rate;
    made->channels = channels;
    const char *step = "";
    int result = configure(made, filters, &step);
    if (result < 0) {
        snprintf(problem, size, "%s", step);
        media_sound_chain_close(made);
        return result;
    }
    *chain = made;
    return 0;
}

int media_sound_chain_send(media_sound_chain *chain, const float *samples, int frames) {
    AVFrame *frame = chain->frame;
    av_frame_unref(frame);
    frame->format = AV_SAMPLE_FMT_FLT;
    frame->sample_rate = chain->rate;
    frame->nb_samples = frames;
    frame->pts = chain->position;
    av_channel_layout_default(&frame->ch_layout, chain->channels);
    int result = av_frame_get_buffer(frame, 0);
    if (result >= 0) {
        memcpy(frame->data[0], samples, sizeof(float) * frames * chain->channels);
        chain->position += frames;
        result = library.add_frame(chain->source, frame);
    }
    av_frame_unref(frame);
    return result < 0 ? result : 0;
}

int media_sound_chain_receive(media_sound_chain *chain, const float **samples) {
    av_frame_unref(chain->frame);
    int result = library.get_frame(chain->sink, chain->frame);
    if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return 0;
    if (result < 0) return result;
    *samples = (const float *)chain->frame->data[0];
    return chain->frame->nb_samples;
}
