// libdbus exchanges messages with services on the system D-Bus. libpulse also uses it. pkg-config provides the location
// of its headers.
#pragma once
#include <dbus/dbus.h>
