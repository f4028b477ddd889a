// libsoup serves HTTP and WebSocket connections on a GLib main loop. libsoup is based on GIO, which also
// provides access to desktop services over D-Bus. pkg-config provides the location of the libsoup headers.
// This header wraps definitions that Swift can't import directly: variadic functions, macros, and signals,
// whose handlers have different types.
#pragma once
#include <gio/gunixfdlist.h>
#include <glib-unix.h>
#include <libsoup/soup.h>

static inline SoupServer *soup_web_server(GTlsCertificate *certificate) {
    return soup_server_new("server-header", "multicam", "tls-certificate", certificate, NULL);
}

typedef void (*soup_web_told)(SoupServer *server, SoupServerMessage *message, void *context);

// Connects a handler to one of the server's signals: request-started, request-read, request-finished, or
// request-aborted.
static inline void soup_web_observe(SoupServer *server, const char *signal, soup_web_told told, void *context) {
    g_signal_connect(server, signal, G_CALLBACK(told), context);
}

typedef void (*soup_web_wrote)(SoupServerMessage *message, void *context);

// Connects a handler to a signal of a message that doesn't have arguments: wrote-chunk or finished.
static inline gulong soup_web_observe_message(SoupServerMessage *message, const char *signal, soup_web_wrote wrote, void *context) {
    return g_signal_connect(message, signal, G_CALLBACK(wrote), context);
}

// A WebSocket extension that limits the total length of a message. libsoup 3.2 limits only the length of
// individual frames, and joins any number of frames to a message. libsoup passes each received frame to the
// extensions of the connection, and this extension counts the bytes of each message. The extension isn't
// negotiated with the client, because it doesn't change any data.
typedef struct {
    SoupWebsocketExtension parent;
    guint64 longest, longest_text, most, received;
} soup_web_bound;

static inline GBytes *soup_web_bound_receive(SoupWebsocketExtension *extension, guint8 *header, GBytes *payload, GError **error) {
    soup_web_bound *bound = (soup_web_bound *)extension;
    guint8 opcode = header[0] & 0x0f;
    if (opcode & 0x08) return payload; // control frames may arrive between the frames of a message
    if (opcode != 0) {
        bound->received = 0;
        bound->most = opcode == 1 ? bound->longest_text : bound->longest;
    }
    bound->received += g_bytes_get_size(payload);
    if (bound->received <= bound->most) return payload;
    g_bytes_unref(payload);
    g_set_error_literal(error, SOUP_WEBSOCKET_ERROR, SOUP_WEBSOCKET_CLOSE_TOO_BIG, "message too long");
    return NULL;
}

static inline void soup_web_bound_begin(gpointer type, gpointer unused) {
    ((SoupWebsocketExtensionClass *)type)->process_incoming_message = soup_web_bound_receive;
}

static inline GType soup_web_bound_type(void) {
    GType type = g_type_from_name("MulticamMessageBound");
    return type != 0 ? type
                     : g_type_register_static_simple(SOUP_TYPE_WEBSOCKET_EXTENSION, "MulticamMessageBound", sizeof(SoupWebsocketExtensionClass),
                           soup_web_bound_begin, sizeof(soup_web_bound), NULL, 0);
}

typedef void (*soup_web_opened)(SoupServerMessage *message, SoupWebsocketConnection *connection, void *context);

typedef struct {
    soup_web_opened opened;
    void *context;
    guint64 longest, longest_text;
} soup_web_upgrade;

static inline void soup_web_free_upgrade(gpointer upgrade, GClosure *unused) { g_free(upgrade); }

static inline void soup_web_switch(SoupServerMessage *message, soup_web_upgrade *upgrade) {
    soup_web_bound *bound = (soup_web_bound *)g_object_new(soup_web_bound_type(), NULL);
    bound->longest = upgrade->longest;
    bound->longest_text = upgrade->longest_text;
    GUri *address = soup_server_message_get_uri(message);
    const char *origin = soup_message_headers_get_one(soup_server_message_get_request_headers(message), "Origin");
    soup_web_upgrade told = *upgrade; // copied, because the message may be freed with its connection
    g_object_ref(message);
    GIOStream *stream = soup_server_message_steal_connection(message);
    SoupWebsocketConnection *connection =
        soup_websocket_connection_new(stream, address, SOUP_WEBSOCKET_CONNECTION_SERVER, origin, NULL, g_list_append(NULL, bound));
    g_object_unref(stream);
    told.opened(message, connection, told.context);
    g_object_unref(connection);
    g_object_unref(message);
}

// Opens a WebSocket connection if the request is a WebSocket handshake, and responds with an error otherwise.
// A binary message longer than `longest` bytes or a text message longer than `longest_text` bytes ends the
// connection with code 1009.
static inline void soup_web_open_socket(
    SoupServerMessage *message, guint64 longest, guint64 longest_text, soup_web_opened opened, void *context) {
    if (!soup_websocket_server_process_handshake(message, NULL, NULL, NULL, NULL)) return;
    soup_web_upgrade *upgrade = g_new0(soup_web_upgrade, 1);
    *upgrade = (soup_web_upgrade){opened, context, longest, longest_text};
    g_signal_connect_data(
        message, "wrote-informational", G_CALLBACK(soup_web_switch), upgrade, soup_web_free_upgrade, (GConnectFlags)0);
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

// Removes all handlers that were connected with the given context.
static inline void soup_web_forget(void *instance, void *context) { g_signal_handlers_disconnect_by_data(instance, context); }
