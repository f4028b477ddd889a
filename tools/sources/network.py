"""The network between multicam and an RTSP camera, as a TCP relay that understands interleaved RTP: it can stop, and change the camera's
clock in RTCP sender reports (RFC 3550, 6.4.1)."""
import select
import socket
import ssl
import threading
import time


class Network:
    def __init__(self, port, camera):
        """Listens at `port`, and forwards to the port `camera`."""
        self.camera, self.offset, self.is_cut = camera, 0, False
        self.listener = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            try:
                far = socket.create_connection(("127.0.0.1", self.camera), 3)
            except OSError:
                near.close()
                continue
            far.settimeout(None)
            threading.Thread(target=self.up, args=(near, far), daemon=True).start()
            threading.Thread(target=self.down, args=(far, near), daemon=True).start()

    def wait(self):
        while self.is_cut:
            time.sleep(0.01)

    @staticmethod
    def close(*ends):
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def up(self, near, far):
        try:
            while data := near.recv(1 << 16):
                self.wait()
                far.sendall(data.replace(f":{self.listener.getsockname()[1]}".encode(), f":{self.camera}".encode()))
        except OSError:
            pass
        self.close(near, far)

    def down(self, far, near):
        data = b""
        try:
            while more := far.recv(1 << 16):
                data += more
                while (message := self.message(data)) is not None:
                    data = data[len(message):]
                    self.wait()
                    near.sendall(self.changed(message))
        except OSError:
            pass
        self.close(near, far)

    @staticmethod
    def message(data):
        """The first complete message: an interleaved packet, or a response."""
        if len(data) < 4:
            return None
        if data[:1] == b"$":
            length = 4 + int.from_bytes(data[2:4], "big")
            return data[:length] if len(data) >= length else None
        end = data.find(b"\r\n\r\n")
        if end < 0:
            return None
        lines = data[:end].lower().split(b"\r\n")
        body = sum(int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length:"))
        return data[:end + 4 + body] if len(data) >= end + 4 + body else None

    def changed(self, message):
        """The received part of a message."""
        if message[:1] != b"$":
            return message
        if message[1] % 2 and message[5] == 200:
            # Seconds and their fraction, in 32 bits each.
            time = (int.from_bytes(message[12:20], "big") + round(self.offset * 2**32)) % 2**64
            return message[:12] + time.to_bytes(8, "big") + message[20:]
        return message


class Stamps(Network):
    """A TCP relay that changes a Motion JPEG camera's clock in X-Timestamp."""

    def down(self, far, near):
        mark, data = b"X-Timestamp: ", b""
        try:
            while more := far.recv(1 << 16):
                data += more
                while (end := data.find(b"\r\n", data.find(mark))) > 0 and mark in data:
                    begin = data.find(mark) + len(mark)
                    near.sendall(data[:begin] + f"{float(data[begin:end]) + self.offset:.6f}".encode())
                    data = data[end:]
                # A possible start of a timestamp waits for the rest.
                begins = data.find(mark) if mark in data else next(
                    (len(data) - length for length in range(len(mark) - 1, 0, -1) if data.endswith(mark[:length])), len(data))
                near.sendall(data[:begins])
                data = data[begins:]
        except OSError:
            pass
        self.close(near, far)


class Relay(Network):
    """A transparent TCP relay; while `is_cut` is set, it and new connections stall."""

    def up(self, near, far):
        self.carry(near, far)

    def down(self, far, near):
        self.carry(far, near)

    def carry(self, one, other):
        try:
            while data := one.recv(1 << 16):
                self.wait()
                other.sendall(data)
        except OSError:
            pass
        self.close(one, other)


class Encrypted:
    """TLS in front of a server on this computer."""

    def __init__(self, port, camera, certificate):
        """Listens at `port` with a certificate, a PEM file with its key, and forwards to the port `camera`."""
        self.camera, self.context = camera, ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate)
        self.listener = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            threading.Thread(target=self.lead, args=(near,), daemon=True).start()

    def lead(self, near):
        try:
            near = self.context.wrap_socket(near, server_side=True)
            far = socket.create_connection(("127.0.0.1", self.camera), 3)
            far.settimeout(None)
            # TLS is used by one thread at a time; select(2) doesn't see data in its own buffers.
            while True:
                ready = [near] if near.pending() else select.select([near, far], [], [])[0]
                for end in ready:
                    data = end.recv(1 << 16)
                    if not data:
                        return
                    (far if end is near else near).sendall(data)
        except OSError:
            pass
        finally:
            near.close()
