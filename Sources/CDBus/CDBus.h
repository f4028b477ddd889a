// libdbus exchanges messages with services on the D-Bus system bus. libpulse also depends on libdbus.
// pkg-config provides the location of the libdbus headers.
#pragma once
#include <dbus/dbus.h>
