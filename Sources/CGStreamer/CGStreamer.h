// The webrtcbin element of GStreamer sends H.264 and Opus to a WebRTC peer. pkg-config provides the location
// of the GStreamer headers. This header contains definitions that Swift can't import directly, and wrappers
// for signals with arguments. This header also declares the session description structure of webrtcbin,
// because the Debian package with the original header (gst/webrtc/rtcsessiondescription.h) depends on OpenCV
// and VTK. The structure is part of the stable ABI of GStreamer.
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

// Sets the local or remote session description. `signal` is set-local-description or set-remote-description.
// webrtcbin copies the description.
static inline void gst_webrtc_describe(
    GstElement *webrtc, const char *signal, const gst_webrtc_description *description, GstPromise *promise) {
    g_signal_emit_by_name(webrtc, signal, description, promise);
}

// Returns a reference to the transceiver with the given index; NULL if it doesn't exist. The caller must
// release the reference.
static inline gpointer gst_webrtc_transceiver(GstElement *webrtc, gint index) {
    gpointer found = NULL;
    g_signal_emit_by_name(webrtc, "get-transceiver", index, &found);
    return found;
}

// Returns a reference to an RTP session inside webrtcbin; NULL if it doesn't exist. The caller must release
// the reference.
static inline gpointer gst_webrtc_session(GstElement *rtpbin, guint number) {
    gpointer found = NULL;
    g_signal_emit_by_name(rtpbin, "get-internal-session", number, &found);
    return found;
}
