#!/usr/bin/python3
"""A Wayland desktop without a monitor, with the portal for screen sharing: desktop.py FOLDER WIDTHxHEIGHT.

sway draws it, PipeWire carries its content, xdg-desktop-portal with its wlroots backend lets programs share it. painter.py paints in a
full-screen Xwayland on it. Prints a JSON line when all of them run: the environment for programs on it, the X display, and this process.
FOLDER/choice contains the simulated user's choice of screen (an output's name, or empty to refuse), and FOLDER/asked has a line for each
request. Standard input accepts one command per line: kill NAME, start NAME, revoke, quit. Not for root, because sway refuses to run as
root.

The portal expects a graphics card, although it then uses shared memory. `Screencopy` simulates one."""
import array
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import threading
import time

from gi.repository import Gio, GLib

folder, size = pathlib.Path(sys.argv[1]), sys.argv[2]
runtime, home = folder / "runtime", folder / "home"
for each in (runtime, home / ".config/xdg-desktop-portal-wlr"):
    each.mkdir(parents=True, mode=0o700, exist_ok=True)


class Screencopy:
    """A proxy between the portal and sway: after each offer of shared memory (wlr-screencopy's `buffer`) it adds one for a graphics card
    (`linux_dmabuf`). sway doesn't send it without a card, and without it the portal gives up before it asks for permission."""

    def __init__(self, ours, swayed):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(ours))
        listener.listen()
        self.swayed = swayed
        threading.Thread(target=self.serve, args=(listener,), daemon=True).start()

    def serve(self, listener):
        while True:
            client, _ = listener.accept()
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(self.swayed))
            managers, frames = set(), set()
            threading.Thread(target=self.hand_on, args=(client, server, lambda *m: self.request(managers, frames, *m)), daemon=True).start()
            threading.Thread(target=self.hand_on, args=(server, client, lambda *m: self.event(frames, *m)), daemon=True).start()

    def request(self, managers, frames, sender, code, message):
        if code == 0 and b"zwlr_screencopy_manager_v1\0" in message:  # wl_registry.bind
            managers.add(struct.unpack_from("=I", message, len(message) - 4)[0])
        elif sender in managers and code in (0, 1):  # capture_output, capture_output_region
            frames.add(struct.unpack_from("=I", message, 8)[0])
        return message

    def event(self, frames, sender, code, message):
        if sender not in frames or code != 0:
            return message
        kind, width, height = struct.unpack_from("=III", message, 8)
        # wl_shm has its own numbers for these two; all others equal DRM's.
        kind = {0: 0x34325241, 1: 0x34325258}.get(kind, kind)
        return message + struct.pack("=IIIII", sender, 20 << 16 | 5, kind, width, height)

    def hand_on(self, source, target, change):
        rest = b""
        while True:
            try:
                data, extras, _, _ = source.recvmsg(65536, socket.CMSG_SPACE(4 * 28))
            except OSError:
                data = b""
            if not data:
                break
            descriptors = [one for level, kind, held in extras if kind == socket.SCM_RIGHTS for one in array.array("i", held[:len(held) // 4 * 4])]
            rest, changed = rest + data, b""
            while len(rest) >= 8 and len(rest) >= (length := struct.unpack_from("=I", rest, 4)[0] >> 16):
                sender, word = struct.unpack_from("=II", rest)
                changed, rest = changed + change(sender, word & 0xFFFF, rest[:length]), rest[length:]
            try:
                if changed:
                    sent = target.sendmsg([changed], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else [])
                    target.sendall(changed[sent:])
            except OSError:
                break
            for one in descriptors:
                os.close(one)
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def until(ready, what):
    end = time.monotonic() + 20
    while not (found := ready()):
        assert time.monotonic() < end, f"{what} is missing: {(folder / 'log').read_text()[-2000:]}"
        time.sleep(0.02)
    return found


environment = {
    **{key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS")},
    "XDG_RUNTIME_DIR": str(runtime), "HOME": str(home), "XDG_CURRENT_DESKTOP": "sway", "XDG_STATE_HOME": str(home / "state"),
    "XDPW_PERSIST_MODE": "permanent", "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman"}
(folder / "sway").write_text(f"output HEADLESS-1 resolution {size}\ndefault_border none\nxwayland disable\n")
choose = folder / "choose"
choose.write_text(f"#!/bin/sh\necho asked >> {folder}/asked\ncat {folder}/choice\n")
choose.chmod(0o755)
(folder / "choice").write_text("HEADLESS-1\n")
(home / ".config/xdg-desktop-portal-wlr/config").write_text(f"[screencast]\nchooser_type=simple\nchooser_cmd={choose}\n")
log, running = (folder / "log").open("a"), {}
PROGRAMS = {
    "dbus": ["dbus-daemon", "--session", "--nofork", f"--address=unix:path={runtime}/bus"],
    "sway": ["sway", "--config", folder / "sway"],
    "pipewire": ["pipewire"],
    "wireplumber": ["wireplumber"],
    "wlr": ["/usr/libexec/xdg-desktop-portal-wlr", "-r"],
    "portal": ["/usr/libexec/xdg-desktop-portal", "-r"]}


def start(name):
    seen = {"WAYLAND_DISPLAY": "wayland-portal"} if name == "wlr" else {}
    running[name] = subprocess.Popen(
        list(map(str, PROGRAMS[name])), env=environment | seen, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    until(READY[name], name)


def end(name):
    child = running.pop(name)
    child.kill()
    child.wait()


def answers(socket_name):
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(runtime / socket_name))
        return True
    except OSError:
        return False


def has_name(name):
    found = subprocess.run(
        ["dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner", f"string:{name}"],
        env=environment, capture_output=True, text=True).stdout
    return "true" in found


def revoke():
    """Simulates that the user stops sharing, for instance with the desktop's indicator, which the portal reports to programs. The wlroots
    backend doesn't support this, so this process temporarily acts as the portal."""
    end("portal")
    bus = Gio.DBusConnection.new_for_address_sync(
        environment["DBUS_SESSION_BUS_ADDRESS"],
        Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)

    def ask(method, arguments=None):
        return bus.call_sync("org.freedesktop.DBus", "/", "org.freedesktop.DBus", method, arguments, None, 0, -1, None).unpack()[0]

    ask("RequestName", GLib.Variant("(su)", ("org.freedesktop.portal.Desktop", 4)))
    for name in ask("ListNames"):
        if name.startswith(":"):
            bus.emit_signal(None, f"/org/freedesktop/portal/desktop/session/{name[1:].replace('.', '_')}/multicam", "org.freedesktop.portal.Session",
                            "Closed", GLib.Variant("(a{sv})", ({},)))
    bus.flush_sync()
    bus.close_sync()
    # The portal would also have closed its backend's session.
    end("wlr")
    start("wlr")
    start("portal")


READY = {
    "dbus": lambda: answers("bus"),
    "sway": lambda: answers("wayland-1") and list(runtime.glob("sway-ipc.*.sock")),
    "pipewire": lambda: answers("pipewire-0"),
    "wireplumber": lambda: True,
    "wlr": lambda: has_name("org.freedesktop.impl.portal.desktop.wlr"),
    "portal": lambda: has_name("org.freedesktop.portal.Desktop")}

environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={runtime}/bus"
start("dbus")
start("sway")
environment |= {"WAYLAND_DISPLAY": "wayland-1", "SWAYSOCK": str(READY["sway"]()[0])}
Screencopy(runtime / "wayland-portal", runtime / "wayland-1")
for part in ("pipewire", "wireplumber", "wlr", "portal"):
    start(part)
x = subprocess.Popen(["Xwayland", "-displayfd", "1", "-shm"], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True)
display = int(x.stdout.readline())
subprocess.run(["swaymsg", "fullscreen", "enable"], env=environment, stdout=log, stderr=log)
print(json.dumps({"environment": environment, "display": display, "process": os.getpid()}), flush=True)
for line in sys.stdin:
    word, *names = line.split()
    if word == "kill":
        end(*names)
    elif word == "revoke":
        revoke()
    elif word == "start":
        start(*names)
    elif word == "quit":
        break
x.kill()
for name in list(running)[::-1]:
    end(name)
