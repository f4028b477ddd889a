// libnats: the connection to a NATS server, its streams and its key-value stores. pkg-config says where its headers are.
#pragma once
#include <nats/nats.h>
