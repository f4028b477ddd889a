#!/usr/bin/env python3
"""An SRT server that accepts a new caller immediately, like real servers: the newest caller's bytes go to standard output.

Usage: srt_server.py ADDRESS PORT [LATENCY in ms]. srt-live-transmit accepts one caller and takes five seconds to drop a killed one.
"""
import ctypes
import os
import socket
import struct
import sys
import threading

SRT = ctypes.CDLL("libsrt-gnutls.so.1.5")
LATENCY, REUSED = 23, 15    # SRTO_LATENCY, SRTO_REUSEADDR (srt.h)


def main():
    address, port = sys.argv[1], int(sys.argv[2])
    SRT.srt_startup()
    listener = SRT.srt_create_socket()
    for option, value in ((LATENCY, int(sys.argv[3]) if len(sys.argv) > 3 else 120), (REUSED, 1)):
        SRT.srt_setsockflag(listener, option, ctypes.byref(ctypes.c_int(value)), 4)
    place = struct.pack("<H", socket.AF_INET) + struct.pack(">H", port) + socket.inet_aton(address) + bytes(8)
    if SRT.srt_bind(listener, place, len(place)) or SRT.srt_listen(listener, 8):
        sys.exit("srt_server: cannot listen")
    newest = [None]

    def serve(caller):
        buffer = ctypes.create_string_buffer(1500)
        while newest[0] == caller and (count := SRT.srt_recvmsg(caller, buffer, len(buffer))) > 0:
            os.write(1, buffer.raw[:count])
        SRT.srt_close(caller)

    while (caller := SRT.srt_accept(listener, None, None)) >= 0:
        newest[0] = caller
        threading.Thread(target=serve, args=(caller,), daemon=True).start()


main()
