#!/usr/bin/python3
"""An X11 window that shows code strips: painter.py DISPLAY TITLE WIDTHxHEIGHT+X+Y [FIRST].

It paints a strip 120 times per second with the current time, numbered from FIRST, and a moving bar. It waits for a display that doesn't
exist yet. Standard input accepts one command per line: still, go, size W H, border WIDTH, place X Y, point X Y (the mouse pointer), raise,
hide, show, quit."""
import ctypes
import re
import sys
import threading
import time

sys.dont_write_bytecode = True
import camera

RATE = 120
x = ctypes.CDLL("libX11.so.6")
for name in ("XOpenDisplay", "XCreateImage", "XDefaultVisual", "XCreateGC"):
    getattr(x, name).restype = ctypes.c_void_p
for name in ("XCreateSimpleWindow", "XDefaultRootWindow", "XCreateFontCursor"):
    getattr(x, name).restype = ctypes.c_ulong
x.XInitThreads()
opened, deadline = None, time.monotonic() + 30
while not opened and time.monotonic() < deadline:
    opened = x.XOpenDisplay(sys.argv[1].encode())
    time.sleep(0 if opened else 0.01)
assert opened, "no such display"
display = ctypes.c_void_p(opened)
width, height, left, top = map(int, re.fullmatch(r"(\d+)x(\d+)\+(\d+)\+(\d+)", sys.argv[3]).groups())
screen, root = x.XDefaultScreen(display), x.XDefaultRootWindow(display)
window = ctypes.c_ulong(x.XCreateSimpleWindow(display, ctypes.c_ulong(root), left, top, width, height, 0, 0, 0x808080))
x.XStoreName(display, window, sys.argv[2].encode())
x.XDefineCursor(display, window, ctypes.c_ulong(x.XCreateFontCursor(display, 24)))  # a filled circle
x.XMapRaised(display, window)
graphics = ctypes.c_void_p(x.XCreateGC(display, window, 0, None))
visual = ctypes.c_void_p(x.XDefaultVisual(display, screen))
x.XMoveWindow(display, window, left, top)
x.XSync(display, 0)

number, paints, is_over = int(sys.argv[4]) if len(sys.argv) > 4 else 0, True, False


def put(data, columns, rows, at):
    buffer = ctypes.create_string_buffer(data, len(data))
    image = ctypes.c_void_p(x.XCreateImage(display, visual, 24, 2, 0, buffer, columns, rows, 32, 0))
    x.XPutImage(display, window, graphics, image, 0, 0, 0, at, columns, rows)
    x.XFree(image)  # Python owns the pixels.


def paint():
    """A strip of the window's width, with the painting time."""
    global number
    if min(width, height) < 64:
        return
    at = time.monotonic()
    row = camera.strip(number, at)
    if width != camera.WIDTH:
        row = bytes(row[column * camera.WIDTH // width] for column in range(width))
    line = bytes(byte for luma in row for byte in (luma, luma, luma, 0))
    put(line * (height // 16), width, height // 16, 0)
    number += 1
    x.XSetForeground(display, graphics, ctypes.c_ulong(0xA0A0A0 if number // 16 % 2 else 0x606060))
    x.XFillRectangle(display, window, graphics, 0, height - 20, 16 * (number % (width // 16)), 20)
    x.XSync(display, 0)


def steer():
    global paints, width, height, is_over
    for line in sys.stdin:
        word, *values = line.split()
        values = list(map(int, values))
        if word in ("still", "go"):
            paints = word == "go"
        elif word == "size":
            width, height = values
            x.XResizeWindow(display, window, width, height)
        elif word == "border":
            x.XSetWindowBorderWidth(display, window, *values)
        elif word == "place":
            x.XMoveWindow(display, window, *values)
        elif word == "point":
            x.XWarpPointer(display, ctypes.c_ulong(0), ctypes.c_ulong(root), 0, 0, 0, 0, *values)
        elif word == "raise":
            x.XRaiseWindow(display, window)
        elif word == "hide":
            x.XUnmapWindow(display, window)
        elif word == "show":
            x.XMapRaised(display, window)
        elif word == "quit":
            break
        x.XSync(display, 0)
    is_over = True


threading.Thread(target=steer, daemon=True).start()
print("ready", flush=True)
begin, count = time.monotonic(), 0
while not is_over:
    if paints:
        paint()
    count += 1
    time.sleep(max(begin + count / RATE - time.monotonic(), 0))
x.XCloseDisplay(display)
