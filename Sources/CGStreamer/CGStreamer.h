// GStreamer's webrtcbin sends H.264 and Opus to a WebRTC peer. pkg-config provides the location of GStreamer's headers.
// This header contains definitions that Swift's importer skips, and wrappers for signals with arguments. It also
// declares the only structure needed from webrtcbin's own header, because Debian's package with that header depends on
// OpenCV and VTK. The structure is part of GStreamer's stable ABI (gst/webrtc/rtcsessiondescription.h).
#pragma once
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gst/sdp/gstsdpmessage.h>

typedef struct {
    int type; // GstWebRTCSDPType: 1 is an offer, 3 is an answer
    GstSDPMessage *sdp;
} gst_webrtc_description;

static inline void gst_webrtc_create_offer(GstElement *webrtc, GstPromise *promise) {
    g_signal_emit_by_name(webrtc, "create-offer", NULL, promise);
}

// `signal` is set-local-description or set-remote-description. webrtcbin copies the description.
static inline void gst_webrtc_describe(
    GstElement *webrtc, const char *signal, const gst_webrtc_description *description, GstPromise *promise) {
    g_signal_emit_by_name(webrtc, signal, description, promise);
}

// Returns a reference to the transceiver with the given number, which the caller releases; NULL if none exists.
static inline gpointer gst_webrtc_transceiver(GstElement *webrtc, gint index) {
    gpointer found = NULL;
    g_signal_emit_by_name(webrtc, "get-transceiver", index, &found);
    return found;
}

// Returns a reference to an RTP session inside webrtcbin, which the caller releases; NULL if none exists.
static inline gpointer gst_webrtc_session(GstElement *rtpbin, guint number) {
    gpointer found = NULL;
    g_signal_emit_by_name(rtpbin, "get-internal-session", number, &found);
    return found;
}
