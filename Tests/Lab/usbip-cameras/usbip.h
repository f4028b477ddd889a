// The cable between a camera and a port of the kernel's virtual USB host controller (vhci_hcd): USB/IP over a socket pair.
// Protocol: Documentation/usb/usbip_protocol.rst in the kernel source.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "camera.h"

struct urb;

struct cable {
    struct camera *camera;
    int port;     // current or last port, from 1
    int socket;   // -1: unplugged
    bool plugged; // desired state: the kernel may need a moment to release the port
    uint8_t input[65536];
    size_t input_size;
    struct queue {
        struct urb *first, **end;
        int64_t clock; // bus time of the next packet that hasn't been requested yet
    } queues[endpoints];
};

int64_t now_ns(void);
void init_cable(struct cable *cable, struct camera *camera, int port);
// Plugs the camera in; false if the port is still occupied by the previous device.
bool plug(struct cable *cable);
void unplug(struct cable *cable);
// Reads and answers a request from the kernel; false if the kernel has disconnected.
bool serve(struct cable *cable);
// Completes every isochronous request whose last packet has been on the bus; returns the time of the next completion, or
// INT64_MAX.
int64_t complete_due(struct cable *cable, int64_t now);
