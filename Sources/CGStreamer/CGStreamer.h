// GStreamer's webrtcbin sends H.264 and Opus to a WebRTC peer. pkg-config says where GStreamer's headers are. Below is what Swift's
// importer skips, signals with arguments, and the one structure of webrtcbin's own header that is needed: Debian's package of that
// header brings OpenCV and VTK along. The structure is a part of GStreamer's stable ABI (gst/webrtc/rtcsessiondescription.h).
#pragma once
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gst/sdp/gstsdpmessage.h>

typedef struct {
    int type; // GstWebRTCSDPType: 1 is an offer, 3 an answer
    GstSDPMessage *sdp;
} gst_webrtc_description;

static inline void gst_webrtc_create_offer(GstElement *webrtc, GstPromise *promise) {
    g_signal_emit_by_name(webrtc, "create-offer", NULL, promise);
}

// `signal` is set-local-description or set-remote-description. webrtcbin keeps a copy of the description.
static inline void gst_webrtc_describe(
    GstElement *webrtc, const char *signal, const gst_webrtc_description *description, GstPromise *promise) {
    g_signal_emit_by_name(webrtc, signal, description, promise);
}

// A reference to the transceiver of that number, which the caller releases; NULL for none.
static inline gpointer gst_webrtc_transceiver(GstElement *webrtc, gint index) {
    gpointer found = NULL;
    g_signal_emit_by_name(webrtc, "get-transceiver", index, &found);
    return found;
}

// A reference to an RTP session inside webrtcbin, which the caller releases; NULL for none.
static inline gpointer gst_webrtc_session(GstElement *rtpbin, guint number) {
    gpointer found = NULL;
    g_signal_emit_by_name(rtpbin, "get-internal-session", number, &found);
    return found;
}
