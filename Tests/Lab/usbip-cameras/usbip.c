#include "usbip.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { cmd_submit = 1, cmd_unlink = 2, ret_submit = 3, ret_unlink = 4 };
enum { high_speed = 3 }; // enum usb_device_speed

// On the wire, everything is big-endian except setup, which is in USB byte order.
struct __attribute__((packed)) message {
    uint32_t command, seqnum, devid, direction, endpoint;
    union {
        struct __attribute__((packed)) {
            uint32_t flags, length, start_frame, packets, interval;
            struct setup setup;
        } submit;
        struct __attribute__((packed)) {
            uint32_t status, length, start_frame, packets, errors;
        } submitted;
        struct __attribute__((packed)) { uint32_t seqnum; } unlink;
        struct __attribute__((packed)) { uint32_t status; } unlinked;
        uint8_t size[28];
    };
};
struct packet {
    uint32_t offset, length, actual_length, status;
};

// A pending isochronous request.
struct urb {
    struct urb *next;
    uint32_t seqnum, start_frame;
    int64_t begin, due;
    int packets;
    struct packet packet[];
};

int64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// --- plugging

void init_cable(struct cable *cable, struct camera *camera, int port)
{
    *cable = (struct cable){ .camera = camera, .port = port, .socket = -1 };
    for (int i = 0; i < endpoints; i++)
        cable->queues[i].end = &cable->queues[i].first;
}

bool plug(struct cable *cable)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) {
        perror("socketpair");
        exit(1);
    }
    int attach = open("/sys/devices/platform/vhci_hcd.0/attach", O_WRONLY | O_CLOEXEC);
    if (attach < 0) {
        perror("vhci_hcd");
        exit(1);
    }
    bool attached = dprintf(attach, "%d %d %d %d", cable->port - 1, ends[1], cable->port, high_speed) > 0;
    close(attach);
    close(ends[1]); // the kernel has its own reference
    if (attached)
        cable->socket = ends[0];
    else
        close(ends[0]);
    return attached;
}

void unplug(struct cable *cable)
{
    if (cable->socket >= 0)
        close(cable->socket); // the kernel treats this as unplugging
    cable->socket = -1;
    cable->input_size = 0;
    for (int i = 0; i < endpoints; i++) {
        struct queue *queue = &cable->queues[i];
        for (struct urb *urb = queue->first, *next; urb; urb = next) {
            next = urb->next;
            free(urb);
        }
        *queue = (struct queue){ .end = &queue->first };
    }
    reset_camera(cable->camera);
}

// --- answers

static void reply(struct cable *cable, const void *data, size_t size)
{
    while (size > 0 && cable->socket >= 0) {
        ssize_t sent = send(cable->socket, data, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return; // disconnected: serve() detects it
        data = (const uint8_t *)data + sent;
        size -= sent;
    }
}

static void answer_control(struct cable *cable, const struct message *request, uint8_t *output)
{
    const struct setup setup = request->submit.setup;
    static uint8_t answer[sizeof(struct message) + 65536];
    bool input = setup.request_type & 0x80;
    int size = camera_control(cable->camera, &setup, input ? answer + sizeof(struct message) : output);
    int status = size < 0 ? size : 0;
    size = size < 0 ? 0 : size < setup.length ? size : setup.length;
    *(struct message *)answer = (struct message){
        .command = htonl(ret_submit), .seqnum = htonl(request->seqnum),
        .submitted = { .status = htonl(status), .length = htonl(input ? size : setup.length) },
    };
    reply(cable, answer, sizeof(struct message) + (input ? size : 0));
}

static void queue_urb(struct cable *cable, const struct message *request, const uint8_t *packets)
{
    struct queue *queue = &cable->queues[request->endpoint];
    int count = request->submit.packets;
    struct urb *urb = malloc(sizeof *urb + count * sizeof *urb->packet);
    *urb = (struct urb){ .seqnum = request->seqnum, .start_frame = request->submit.start_frame, .packets = count };
    memcpy(urb->packet, packets, count * sizeof *urb->packet);

    // A late request receives the packets since the previous one, as if the camera had a one-second buffer. A busy host therefore
    // delays packets but doesn't lose them. Otherwise, tests would fail due to the machine's load instead of faults in the
    // program.
    int64_t now = now_ns();
    // This doesn't apply to a stream's first request, even in the first second of the clock.
    if (queue->clock == 0 || now - queue->clock > 1000000000)
        queue->clock = now;
    urb->begin = queue->clock;
    queue->clock = urb->due = urb->begin + count * packet_interval_ns(request->endpoint);
    *queue->end = urb;
    queue->end = &urb->next;
}

static void complete(struct cable *cable, int endpoint, struct urb *urb)
{
    // The header, then the packets' data without gaps, then their descriptors.
    static uint8_t answer[1 << 20];
    struct message *header = (struct message *)answer;
    uint8_t *data = answer + sizeof *header;
    uint32_t errors = 0, total = 0;
    for (int i = 0; i < urb->packets; i++) {
        struct packet *packet = &urb->packet[i];
        int64_t time = urb->begin + i * packet_interval_ns(endpoint);
        int size = camera_packet(cable->camera, endpoint, time, data + total, ntohl(packet->length));
        packet->status = htonl(size < 0 ? size : 0);
        errors += size < 0;
        size = size < 0 ? 0 : size;
        packet->actual_length = htonl(size);
        total += size;
    }
    memcpy(data + total, urb->packet, urb->packets * sizeof *urb->packet);
    *header = (struct message){
        .command = htonl(ret_submit), .seqnum = htonl(urb->seqnum),
        .submitted = { .length = htonl(total), .start_frame = htonl(urb->start_frame), .packets = htonl(urb->packets),
                       .errors = htonl(errors) },
    };
    reply(cable, answer, sizeof *header + total + urb->packets * sizeof *urb->packet);
}

int64_t complete_due(struct cable *cable, int64_t now)
{
    int64_t next = INT64_MAX;
    for (int endpoint = 1; endpoint < endpoints; endpoint++) {
        struct queue *queue = &cable->queues[endpoint];
        while (queue->first && queue->first->due <= now) {
            struct urb *urb = queue->first;
            complete(cable, endpoint, urb);
            queue->first = urb->next;
            if (!queue->first)
                queue->end = &queue->first;
            free(urb);
        }
        if (queue->first && queue->first->due < next)
            next = queue->first->due;
    }
    return next;
}

static void answer_unlink(struct cable *cable, uint32_t seqnum, uint32_t victim)
{
    int status = 0; // already completed
    for (int i = 0; i < endpoints; i++) {
        struct queue *queue = &cable->queues[i];
        for (struct urb **at = &queue->first; *at; at = &(*at)->next) {
            if ((*at)->seqnum != victim)
                continue;
            struct urb *urb = *at;
            *at = urb->next;
            if (queue->end == &urb->next)
                queue->end = at;
            free(urb);
            queue->clock = 0; // the stream is stopping: the next one starts its own clock
            status = -ECONNRESET;
            break;
        }
    }
    struct message answer = {
        .command = htonl(ret_unlink), .seqnum = htonl(seqnum), .unlinked.status = htonl(status),
    };
    reply(cable, &answer, sizeof answer);
}

// --- requests

// Handles the first message in `input`; returns its size, or 0 if it is not complete yet.
static size_t handle(struct cable *cable, uint8_t *input, size_t available)
{
    struct message request;
    if (available < sizeof request)
        return 0;
    memcpy(&request, input, sizeof request);
    request.command = ntohl(request.command);
    request.seqnum = ntohl(request.seqnum);
    request.endpoint = ntohl(request.endpoint);
    if (request.command == cmd_unlink) {
        answer_unlink(cable, request.seqnum, ntohl(request.unlink.seqnum));
        return sizeof request;
    }
    if (request.command != cmd_submit || request.endpoint >= endpoints) {
        fprintf(stderr, "usbip-cameras: unknown request %u for endpoint %u\n", request.command, request.endpoint);
        exit(1);
    }
    // Outgoing data follows the header; then, for isochronous requests, the packets' descriptors.
    request.submit.length = ntohl(request.submit.length);
    request.submit.start_frame = ntohl(request.submit.start_frame);
    request.submit.packets = request.endpoint ? ntohl(request.submit.packets) : 0;
    size_t size = sizeof request + (ntohl(request.direction) == 0 ? request.submit.length : 0) +
                  request.submit.packets * sizeof(struct packet);
    if (available < size)
        return 0;
    if (request.endpoint)
        queue_urb(cable, &request, input + sizeof request);
    else
        answer_control(cable, &request, input + sizeof request);
    return size;
}

bool serve(struct cable *cable)
{
    ssize_t size = recv(cable->socket, cable->input + cable->input_size, sizeof cable->input - cable->input_size, MSG_DONTWAIT);
    if (size < 0)
        return errno == EAGAIN || errno == EINTR;
    if (size == 0)
        return false;
    cable->input_size += size;
    size_t used = 0, handled;
    while ((handled = handle(cable, cable->input + used, cable->input_size - used)) > 0)
        used += handled;
    cable->input_size -= used;
    memmove(cable->input, cable->input + used, cable->input_size);
    return true;
}
