// The cable between a camera and a port of the kernel's virtual USB host controller (vhci_hcd): USB/IP over a socket pair.
// The protocol: Documentation/usb/usbip_protocol.rst in the kernel's source.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "camera.h"

struct urb;

struct cable {
    struct camera *camera;
    int port;     // where it is plugged in, or was last, from 1
    int socket;   // -1: unplugged
    bool plugged; // wanted: the kernel may need a moment to forget what was in the port before
    uint8_t input[65536];
    size_t input_size;
    struct queue {
        struct urb *first, **end;
        int64_t clock; // when the next packet that nobody asked for yet is on the bus
    } queues[endpoints];
};

int64_t now_ns(void);
void init_cable(struct cable *cable, struct camera *camera, int port);
// Plugs the camera in; false if the port is still busy with what was there before.
bool plug(struct cable *cable);
void unplug(struct cable *cable);
// Reads and answers what the kernel asked; false when it has hung up.
bool serve(struct cable *cable);
// Completes every isochronous request whose last packet has been on the bus; returns when the next one will be, or INT64_MAX.
int64_t complete_due(struct cable *cable, int64_t now);
