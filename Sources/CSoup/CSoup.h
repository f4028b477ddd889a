// libsoup serves HTTP and WebSockets on a GLib main loop; GIO below it speaks D-Bus, by which desktops offer what programs may do on them. pkg-config says where its headers are. Below is what Swift's importer skips:
// variadic functions, macros, and signals, whose handlers have a type of their own each.
#pragma once
#include <gio/gunixfdlist.h>
#include <glib-unix.h>
#include <libsoup/soup.h>

static inline SoupServer *soup_web_server(GTlsCertificate *certificate) {
    return soup_server_new("server-header", "multicam", "tls-certificate", certificate, NULL);
}

typedef void (*soup_web_told)(SoupServer *server, SoupServerMessage *message, void *context);

// Connects a handler to one of the server's signals request-started, request-read, request-finished and request-aborted.
static inline void soup_web_observe(SoupServer *server, const char *signal, soup_web_told told, void *context) {
    g_signal_connect(server, signal, G_CALLBACK(told), context);
}

typedef void (*soup_web_wrote)(SoupServerMessage *message, void *context);

// Connects a handler to one of a message's signals that have no arguments: wrote-chunk, finished.
static inline gulong soup_web_observe_message(SoupServerMessage *message, const char *signal, soup_web_wrote wrote, void *context) {
    return g_signal_connect(message, signal, G_CALLBACK(wrote), context);
}

typedef void (*soup_web_received)(SoupWebsocketConnection *connection, int type, GBytes *bytes, void *context);
typedef void (*soup_web_closed)(SoupWebsocketConnection *connection, void *context);

typedef void (*soup_web_ponged)(SoupWebsocketConnection *connection, GBytes *bytes, void *context);

static inline void soup_web_observe_socket(
    SoupWebsocketConnection *connection, soup_web_received received, soup_web_closed closed, soup_web_ponged ponged, void *context) {
    g_signal_connect(connection, "message", G_CALLBACK(received), context);
    g_signal_connect(connection, "closed", G_CALLBACK(closed), context);
    g_signal_connect(connection, "pong", G_CALLBACK(ponged), context);
}

// Removes all handlers that were connected with the context.
static inline void soup_web_forget(void *instance, void *context) { g_signal_handlers_disconnect_by_data(instance, context); }
