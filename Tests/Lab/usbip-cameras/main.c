// usbip-cameras: webcams with microphones for a kernel that has none.
//
//     usbip-cameras MODEL:NUMBER… --control FIFO
//
// Plugs each camera into the port NUMBER-1 of vhci_hcd, makes FIFO when all are in, and serves until killed. A line written
// to FIFO is a command, carried out at once and reported on standard output with its CLOCK_MONOTONIC time in ns:
//
//     unplug N   plug N     pull the cable, plug it in again
//     freeze N   thaw N     the camera stays there but sends no frames
//     mute N     unmute N   the microphone sends silence
//     short N               the next JPEG ends in its middle, without an error
//     error N               the next frame suffers a transmission error: the driver drops it
//
// One thread serves all: what a camera does is a function of time and of what was asked, nothing here waits.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "usbip.h"

enum { most_ports = 8 };
static struct port *ports[most_ports]; // by number; NULL: no camera

static void fail(const char *what, const char *which)
{
    fprintf(stderr, "usbip-cameras: %s: %s\n", what, which);
    exit(2);
}

static struct port *find_port(const char *number)
{
    int index = atoi(number) - 1;
    return index >= 0 && index < most_ports ? ports[index] : NULL;
}

static void add_camera(char *argument)
{
    char *colon = strchr(argument, ':');
    int number = colon ? atoi(colon + 1) : 0;
    if (number < 1 || number > most_ports || ports[number - 1])
        fail("not MODEL:NUMBER, with a number of its own from 1 to 8", argument);
    *colon = 0;
    const struct model *model = find_model(argument);
    if (!model)
        fail("no such model", argument);
    struct port *port = ports[number - 1] = malloc(sizeof *port);
    init_port(port, number - 1, make_camera(model, number));
    port->plugged = true;
}

static void obey(char *line)
{
    char *rest, *command = strtok_r(line, " ", &rest), *number = strtok_r(NULL, " ", &rest);
    if (!command)
        return;
    struct port *port = number ? find_port(number) : NULL;
    if (!port)
        fail("command for no camera", command);
    if (strcmp(command, "unplug") == 0) {
        port->plugged = false;
        unplug(port);
    } else if (strcmp(command, "plug") == 0)
        port->plugged = true;
    else if (strcmp(command, "freeze") == 0 || strcmp(command, "thaw") == 0)
        port->camera->frozen = command[0] == 'f';
    else if (strcmp(command, "mute") == 0 || strcmp(command, "unmute") == 0)
        port->camera->muted = command[0] == 'm';
    else if (strcmp(command, "short") == 0)
        port->camera->cut_next = true;
    else if (strcmp(command, "error") == 0)
        port->camera->break_next = true;
    else
        fail("unknown command", command);
    printf("%lld %s %d\n", (long long)now_ns(), command, port->number + 1);
}

static void read_commands(int control)
{
    static char buffer[4096];
    static size_t used;
    ssize_t size = read(control, buffer + used, sizeof buffer - 1 - used);
    if (size <= 0)
        return;
    used += size;
    buffer[used] = 0;
    char *line = buffer, *end;
    for (; (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        obey(line);
    }
    used = buffer + used - line;
    memmove(buffer, line, used);
}

// Opened for writing too, so that it never ends when a writer leaves.
static int make_control(const char *path)
{
    if (mkfifo(path, 0600) < 0 && errno != EEXIST)
        fail(strerror(errno), path);
    int control = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (control < 0)
        fail(strerror(errno), path);
    return control;
}

int main(int count, char **arguments)
{
    const char *control_path = NULL;
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--control") == 0 && i + 1 < count)
            control_path = arguments[++i];
        else
            add_camera(arguments[i]);
    }
    if (!control_path)
        fail("missing", "--control FIFO");
    setvbuf(stdout, NULL, _IOLBF, 0);

    int control = -1;
    for (;;) {
        // A port is free only some time after its last cable was pulled: ask again every 10 ms.
        bool waiting = false;
        struct pollfd polls[1 + most_ports] = { { .fd = control, .events = POLLIN } };
        int64_t now = now_ns(), next = INT64_MAX;
        for (int i = 0; i < most_ports; i++) {
            struct port *port = ports[i];
            polls[1 + i].fd = -1;
            if (!port)
                continue;
            if (port->plugged && port->socket < 0 && !plug(port))
                waiting = true;
            int64_t due = complete_due(port, now);
            next = due < next ? due : next;
            polls[1 + i] = (struct pollfd){ .fd = port->socket, .events = POLLIN };
        }
        if (!waiting && control < 0) {
            polls[0].fd = control = make_control(control_path);
            printf("%lld ready\n", (long long)now_ns());
        }
        if (waiting && next > now + 10000000)
            next = now + 10000000;

        int64_t pause = next - now_ns();
        if (pause < 0)
            pause = 0;
        struct timespec timeout = { pause / 1000000000, pause % 1000000000 };
        if (ppoll(polls, 1 + most_ports, next == INT64_MAX ? NULL : &timeout, NULL) < 0 && errno != EINTR)
            fail("poll", strerror(errno));
        for (int i = 0; i < most_ports; i++)
            if (polls[1 + i].revents && !serve(ports[i]))
                unplug(ports[i]); // the kernel threw it out; plugged in again at once, as long as it is wanted
        if (polls[0].revents)
            read_commands(control);
    }
}
