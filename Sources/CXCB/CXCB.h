// XCB retrieves the content of a screen or a window, its changes, and the mouse pointer from an X server. This header
// wraps the X extensions, because each extension is a mutable global variable, which Swift can't import safely.
#pragma once
#include <xcb/composite.h>
#include <xcb/damage.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>
#include <xcb/xfixes.h>

// Requests information about all extensions at once. The replies arrive together with the next reply that is awaited.
static inline void xcb_prefetch_extensions(xcb_connection_t *c) {
    xcb_prefetch_extension_data(c, &xcb_composite_id);
    xcb_prefetch_extension_data(c, &xcb_damage_id);
    xcb_prefetch_extension_data(c, &xcb_shm_id);
    xcb_prefetch_extension_data(c, &xcb_xfixes_id);
}

// Returns whether a server has an extension, and its event numbers. The connection owns the returned reply, which is
// NULL after an error.
static inline const xcb_query_extension_reply_t *xcb_ask_for_composite(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_composite_id); }
static inline const xcb_query_extension_reply_t *xcb_ask_for_damage(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_damage_id); }
static inline const xcb_query_extension_reply_t *xcb_ask_for_shm(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_shm_id); }
static inline const xcb_query_extension_reply_t *xcb_ask_for_xfixes(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_xfixes_id); }
