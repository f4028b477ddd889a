// usbip-cameras: simulates USB webcams with microphones for a kernel.
//
//     usbip-cameras MODEL:NUMBER[@PORT]… --control FIFO
//
// Plugs each camera into a port of vhci_hcd (numbered from 1; by default its own number), creates FIFO when all are connected,
// and serves until killed. A line written to FIFO is a command, executed immediately and reported on standard output with its
// CLOCK_MONOTONIC time in ns:
//
//     unplug N…             pulls cables, all at once, as with a hub
//     plug N[@PORT]…        plugs them in again at their last port or another one
//
//     freeze N   thaw N     the camera stays connected but sends no frames
//     nostart N  start N    the next stream delivers no data; the one after it works
//     slow N MS             from now on, a stream's first frame arrives this long after its start
//     mute N     unmute N   the microphone sends silence
//     dark N     light N    room light: automatic exposure halves the rate in the dark, unless exposure_dynamic_framerate is 0
//     refuse N   accept N   the camera refuses every format
//     alter N    accept N   the camera grants the size after the requested one
//     clock N MS            the camera's clock jumps by this amount, back if negative. Packets contain the frame's time on
//                           this clock. By default, uvcvideo ignores it and stamps on arrival of a frame's first packet;
//                           with hwtimestamps=1 it computes the timestamp from it (using 32 clock samples)
//     late N MS             the camera sends frames this long after exposure, up to 1000, which delays uvcvideo's timestamps
//                           equally. Strip, comment and packets still contain the true exposure time
//     skew N PPM            clock error in parts per million, positive if fast, for frames and audio
//     hush N     tone N     the microphone is silent except for claps
//     babble N   tone N     it plays noise in syllables without self-similarity
//     signal N WHAT         a capture stick's input: 1080p (initially), 720p or lost. Without a signal, no frames
//                           arrive; at another size, it disconnects and returns with only that size
//
// Faults for the next frame, or the next COUNT:
//
//     short N [COUNT]       a JPEG ends in the middle, without an error
//     error N [COUNT]       a transmission error: the driver drops the frame
//     tail N [COUNT]        64 bytes follow the end of a JPEG
//     bad N [COUNT]         the data between a JPEG's markers is damaged; the markers are intact
//
// For all at once:
//
//     clap                  a flash and a beep, 250 ms after the command. For each camera, the frame being exposed at that
//                           time is white below the strip (not in H.264); each hushed microphone
//                           plays its tone for 40 ms
//
// A replug resets firmware state: freeze, nostart, mute, clock and frame faults. The rest persists.
//
// A single thread serves all cameras: their behavior depends only on time and requests; nothing blocks.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "claps.h"
#include "usbip.h"

enum { most_cameras = 8, ports = 8 };
static struct cable *cables[most_cameras]; // by camera number minus one; NULL if unused

static _Noreturn void fail(const char *what, const char *which)
{
    fprintf(stderr, "usbip-cameras: %s: %s\n", what, which);
    exit(2);
}

// Parses the entire text as a number from `least` to `most`.
static int read_number(const char *text, int least, int most, const char *what)
{
    char *end;
    long number = strtol(text, &end, 10);
    if (end == text || *end || number < least || number > most)
        fail(what, text);
    return number;
}

// Cuts off and parses the part after '@'; 0 if it is missing.
static int cut_port(char *argument)
{
    char *at = strchr(argument, '@');
    if (!at)
        return 0;
    *at = 0;
    return read_number(at + 1, 1, ports, "no port from 1 to 8");
}

static void wish_plugged(struct cable *cable, int port)
{
    for (int i = 0; i < most_cameras; i++)
        if (cables[i] && cables[i]->plugged && cables[i]->port == port)
            fail("a camera is plugged into port", (char[]){ '0' + port, 0 });
    cable->port = port;
    cable->plugged = true;
}

static void add_camera(char *argument)
{
    int port = cut_port(argument);
    char *colon = strchr(argument, ':');
    int number = colon ? read_number(colon + 1, 1, most_cameras, "no camera's number from 1 to 8") : 0;
    if (!number || cables[number - 1])
        fail("not MODEL:NUMBER, with a number of its own", argument);
    *colon = 0;
    const struct model *model = find_model(argument);
    if (!model)
        fail("no such model", argument);
    struct cable *cable = cables[number - 1] = malloc(sizeof *cable);
    init_cable(cable, make_camera(model, number), number);
    wish_plugged(cable, port ? port : number);
}

static struct cable *find_cable(const char *text)
{
    struct cable *cable = cables[read_number(text, 1, most_cameras, "no camera's number") - 1];
    if (!cable)
        fail("no such camera", text);
    return cable;
}

// Plugs or unplugs one camera of a command that accepts several.
static bool move_cable(const char *command, char *argument)
{
    if (strcmp(command, "unplug") == 0) {
        struct cable *cable = find_cable(argument);
        cable->plugged = false;
        unplug(cable);
    } else if (strcmp(command, "plug") == 0) {
        int port = cut_port(argument);
        struct cable *cable = find_cable(argument);
        if (cable->plugged)
            fail("already plugged in", argument);
        wish_plugged(cable, port ? port : cable->port);
    } else
        return false;
    return true;
}

static void break_camera(const char *command, char *argument, const char *value)
{
    struct cable *cable = find_cable(argument);
    switch (obey_fault(&cable->camera->faults, command, value)) {
    case fault_done: break;
    case fault_unknown: fail("unknown command", command);
    case fault_bad_value: fail("not a value for this command", value ? value : command);
    case fault_drops_off: unplug(cable); // plugged in again immediately, if it should be connected
    }
}

static void obey(char *line)
{
    int64_t now = now_ns();
    printf("%lld %s\n", (long long)now, line);
    char *rest, *command = strtok_r(line, " ", &rest), *argument = strtok_r(NULL, " ", &rest);
    if (!command)
        return;
    if (strcmp(command, "clap") == 0 && !argument) {
        add_clap(now + clap_lead_ns);
        return;
    }
    if (!argument)
        fail("command for no camera", command);
    if (move_cable(command, argument)) {
        while ((argument = strtok_r(NULL, " ", &rest)))
            move_cable(command, argument);
        return;
    }
    const char *value = strtok_r(NULL, " ", &rest);
    if (strtok_r(NULL, " ", &rest))
        fail("too many words", command);
    break_camera(command, argument, value);
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

// Also opened for writing, so that it never reports end-of-file when a writer closes it.
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
        // A port takes some time to become free after its last cable was pulled: retry every 10 ms.
        bool waiting = false;
        struct pollfd polls[1 + most_cameras] = { { .fd = control, .events = POLLIN } };
        int64_t now = now_ns(), next = INT64_MAX;
        for (int i = 0; i < most_cameras; i++) {
            struct cable *cable = cables[i];
            polls[1 + i].fd = -1;
            if (!cable)
                continue;
            if (cable->plugged && cable->socket < 0 && !plug(cable))
                waiting = true;
            int64_t due = complete_due(cable, now);
            next = due < next ? due : next;
            polls[1 + i] = (struct pollfd){ .fd = cable->socket, .events = POLLIN };
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
        if (ppoll(polls, 1 + most_cameras, next == INT64_MAX ? NULL : &timeout, NULL) < 0 && errno != EINTR)
            fail("poll", strerror(errno));
        for (int i = 0; i < most_cameras; i++)
            if (polls[1 + i].revents && !serve(cables[i]))
                unplug(cables[i]); // disconnected by the kernel; plugged in again immediately, if it should be connected
        if (polls[0].revents)
            read_commands(control);
    }
}
