// usbip-cameras: webcams with microphones for a kernel that has none.
//
//     usbip-cameras MODEL:NUMBER[@PORT]… --control FIFO
//
// Plugs each camera into a port of vhci_hcd, from 1 and by default that of its own number, makes FIFO when all are in, and
// serves until killed. A line written to FIFO is a command, carried out at once and reported on standard output with its
// CLOCK_MONOTONIC time in ns:
//
//     unplug N…             pull cables, all at once: a hub's, for example
//     plug N[@PORT]…        plug them in again: where each was last, or at another port
//
//     freeze N   thaw N     the camera stays there but sends no frames
//     nostart N  start N    the next stream brings nothing at all; the one after it does
//     slow N MS             from now on a stream's first frame comes only so long after its start
//     mute N     unmute N   the microphone sends silence
//     dark N     light N    the room: automatic exposure halves the rate in the dark, unless exposure_dynamic_framerate is 0
//     refuse N   accept N   the camera refuses every format
//     alter N    accept N   it grants the size after the one that was asked for
//     clock N MS            the camera's clock jumps by so much, back if negative. What it says of a frame's time is in its
//                           packets; by default uvcvideo ignores that and stamps by the arrival of a frame's first packet,
//                           with its parameter hwtimestamps=1 it computes the stamp from it (by 32 samples of the clock)
//     late N MS             it sends its pictures so long after they were exposed, up to 1000: uvcvideo's stamps are late by as
//                           much. Strip, comment and packets go on telling the true time of exposure
//     skew N PPM            its crystal is fast by so many parts per million, slow if negative: of pictures and of sound
//     hush N     tone N     the microphone is silent but for claps
//     babble N   tone N     it hears noise in syllables, of which each instant is like no other
//     signal N WHAT         what a capture stick captures: 1080p (at first), 720p or lost. Without a signal no frames
//                           come; at another size it drops off the bus and returns with that size alone
//
// Strikes, each for the next frame or the next COUNT:
//
//     short N [COUNT]       a JPEG ends in its middle, without an error
//     error N [COUNT]       it suffers a transmission error: the driver drops it
//     tail N [COUNT]        64 bytes follow a JPEG's end
//     bad N [COUNT]         a JPEG's markers are whole, but not what is between them
//
// Of all at once:
//
//     clap                  a flash and a beep, 250 ms after the command. Each camera's picture that was exposed last before that
//                           instant, until the next one's, is white below the strip (not in H.264); each hushed microphone
//                           has 40 ms of its tone
//
// A replug ends what is the firmware's: freeze, nostart, mute, clock and strikes. The rest stays.
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

#include "claps.h"
#include "usbip.h"

enum { most_cameras = 8, ports = 8 };
static struct cable *cables[most_cameras]; // by the camera's number less one; NULL: no such camera

static _Noreturn void fail(const char *what, const char *which)
{
    fprintf(stderr, "usbip-cameras: %s: %s\n", what, which);
    exit(2);
}

// The whole text as a number from least to most.
static int read_number(const char *text, int least, int most, const char *what)
{
    char *end;
    long number = strtol(text, &end, 10);
    if (end == text || *end || number < least || number > most)
        fail(what, text);
    return number;
}

// Cuts off and reads what follows the '@', if anything does; 0 if not.
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

// One camera of a command that takes several.
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
    case fault_drops_off: unplug(cable); // plugged in again at once, as long as it is wanted
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
                unplug(cables[i]); // the kernel threw it out; plugged in again at once, as long as it is wanted
        if (polls[0].revents)
            read_commands(control);
    }
}
