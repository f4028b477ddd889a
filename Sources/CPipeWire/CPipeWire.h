// PipeWire delivers the content of shared screens and windows. pkg-config provides the location of the
// PipeWire headers. This header wraps definitions that Swift can't import directly: macros, and the variadic
// functions that build parameters.
#pragma once
#include <pipewire/pipewire.h>
#include <spa/buffer/meta.h>
#include <spa/param/buffers.h>
#include <spa/param/video/format-utils.h>
#include <spa/pod/builder.h>

static inline void screen_enter(struct pw_loop *loop) { pw_loop_enter(loop); }
static inline void screen_leave(struct pw_loop *loop) { pw_loop_leave(loop); }

// Waits for events for up to the given number of milliseconds, and processes the events. Returns a negative
// error number if the loop fails.
static inline int screen_iterate(struct pw_loop *loop, int milliseconds) { return pw_loop_iterate(loop, milliseconds); }

static inline void screen_observe_core(struct pw_core *core, struct spa_hook *hook, const struct pw_core_events *events, void *context) {
    pw_core_add_listener(core, hook, events, context);
}

static inline void screen_forget_core(struct spa_hook *hook) { spa_hook_remove(hook); }

// Builds the list of accepted video formats: four bytes per pixel, in memory that the CPU can read, with any
// frame size and frame rate. The list is written to `memory`, which has `size` bytes. Returns NULL if
// `memory` is too small.
static inline const struct spa_pod *screen_formats(void *memory, uint32_t size) {
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, size);
    return (const struct spa_pod *)spa_pod_builder_add_object(&builder,
        SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat,
        SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video),
        SPA_FORMAT_mediaSubtype, SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw),
        SPA_FORMAT_VIDEO_format, SPA_POD_CHOICE_ENUM_Id(5, SPA_VIDEO_FORMAT_BGRx, SPA_VIDEO_FORMAT_BGRx, SPA_VIDEO_FORMAT_BGRA,
            SPA_VIDEO_FORMAT_RGBx, SPA_VIDEO_FORMAT_RGBA),
        SPA_FORMAT_VIDEO_size, SPA_POD_CHOICE_RANGE_Rectangle(&SPA_RECTANGLE(1280, 720), &SPA_RECTANGLE(1, 1), &SPA_RECTANGLE(16384, 16384)),
        SPA_FORMAT_VIDEO_framerate, SPA_POD_CHOICE_RANGE_Fraction(&SPA_FRACTION(0, 1), &SPA_FRACTION(0, 1), &SPA_FRACTION(1000, 1)));
}

// Builds the buffer requirements, which exclude graphics memory. `memory`, `size`, and the result have the
// same meaning as in screen_formats.
static inline const struct spa_pod *screen_buffers(void *memory, uint32_t size) {
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, size);
    return (const struct spa_pod *)spa_pod_builder_add_object(&builder,
        SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers,
        SPA_PARAM_BUFFERS_buffers, SPA_POD_CHOICE_RANGE_Int(4, 2, 16),
        SPA_PARAM_BUFFERS_dataType, SPA_POD_CHOICE_FLAGS_Int((1 << SPA_DATA_MemPtr) | (1 << SPA_DATA_MemFd)));
}

// Builds a request for metadata in each buffer. `memory`, `size`, and the result have the same meaning as in
// screen_formats.
static inline const struct spa_pod *screen_meta(void *memory, uint32_t size, uint32_t type, uint32_t length) {
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, size);
    return (const struct spa_pod *)spa_pod_builder_add_object(&builder,
        SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta,
        SPA_PARAM_META_type, SPA_POD_Id(type), SPA_PARAM_META_size, SPA_POD_Int((int32_t)length));
}
