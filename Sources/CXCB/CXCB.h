// XCB retrieves the content of a screen or window, its changes, and the mouse pointer from an X server. This
// header wraps the identifiers of X extensions, because they are mutable global variables, which Swift can't
// import safely.
#pragma once
#include <xcb/composite.h>
#include <xcb/damage.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>
#include <xcb/xfixes.h>

// Requests information about all X extensions at once, which avoids a round trip to the server for each
// extension.
static inline void xcb_prefetch_extensions(xcb_connection_t *c) {
    xcb_prefetch_extension_data(c, &xcb_composite_id);
    xcb_prefetch_extension_data(c, &xcb_damage_id);
    xcb_prefetch_extension_data(c, &xcb_shm_id);
    xcb_prefetch_extension_data(c, &xcb_xfixes_id);
}

// These functions return the reply to a query for an X extension, which states whether the server supports
// the extension and which event numbers the extension uses. The connection owns the reply. The result is NULL
// after a connection error.
static inline const xcb_query_extension_reply_t *xcb_ask_for_composite(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_composite_id); }
static inline const xcb_query_extension_reply_t *xcb_ask_for_damage(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_damage_id); }
static inline const xcb_query_extension_reply_t *xcb_ask_for_shm(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_shm_id); }
static inline const xcb_query_extension_reply_t *xcb_ask_for_xfixes(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_xfixes_id); }
