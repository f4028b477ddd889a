// libnats provides the connection to a NATS server, its streams, and its key-value stores. pkg-config provides the
// location of its headers.
#pragma once
#include <nats/nats.h>
