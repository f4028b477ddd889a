// libnats connects to a NATS server and provides access to its streams and key-value stores. pkg-config
// provides the location of the libnats headers.
#pragma once
#include <nats/nats.h>
