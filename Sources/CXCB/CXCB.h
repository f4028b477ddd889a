// XCB speaks with X servers: what a screen or a window shows, when it changes, and the mouse pointer. Below is what Swift's importer
// skips: extensions are variables that libraries change.
#pragma once
#include <xcb/composite.h>
#include <xcb/damage.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>
#include <xcb/xfixes.h>

// Asks for all extensions at once; the answers come with the next one that is waited for.
static inline void xcb_prefetch_extensions(xcb_connection_t *c) {
    xcb_prefetch_extension_data(c, &xcb_composite_id);
    xcb_prefetch_extension_data(c, &xcb_damage_id);
    xcb_prefetch_extension_data(c, &xcb_shm_id);
    xcb_prefetch_extension_data(c, &xcb_xfixes_id);
}

// Whether a server has an extension, and the numbers of its events. The answer belongs to the connection; NULL after an error.
static inline const xcb_query_extension_reply_t *xcb_ask_for_composite(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_composite_id); }
static inline const xcb_query_extension_reply_t *xcb_ask_for_damage(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_damage_id); }
static inline const xcb_query_extension_reply_t *xcb_ask_for_shm(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_shm_id); }
static inline const xcb_query_extension_reply_t *xcb_ask_for_xfixes(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_xfixes_id); }
