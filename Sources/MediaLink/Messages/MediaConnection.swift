internal import CLinux
package import Control
internal import FileSystem
internal import FoundationEssentials
internal import Glibc
package import Media
internal import SessionFolder

/// One end of a connection of the media socket. Any thread may send; one thread receives. Both block.
package final class MediaConnection: Sendable {
    private let socket: LocalSocket
    /// The socket's descriptor, to which one thread at a time sends a message.
    private let sending: ConditionLock<Int32>
    private let closing = Cancellation()

    /// Bytes that the kernel may hold of what was sent, as far as it allows: a few frames.
    private static let sendBuffer: Int32 = 4 << 20
    /// How often is looked whether the other end has read: at first, and when it has not for a while.
    private static let glances = (first: Nanoseconds.milliseconds(1), last: Nanoseconds.milliseconds(32))
    /// Messages up to this many bytes are sent in one piece.
    private static let onePiece = 1 << 16

    /// Takes a connected socket, which blocks from now on.
    package init(_ socket: LocalSocket) {
        self.socket = socket
        sending = ConditionLock(socket.descriptor)
        let flags = fcntl(socket.descriptor, F_GETFL)
        _ = fcntl(socket.descriptor, F_SETFL, flags & ~O_NONBLOCK)
        var size = Self.sendBuffer
        setsockopt(socket.descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Ends the connection: whoever sends or receives returns.
    package func close() {
        closing.cancel()
        shutdown(socket.descriptor, Int32(SHUT_RDWR))
    }

    // MARK: Sending

    /// Sends a message. Blocks while the other end does not read.
    ///
    /// - Parameters:
    ///   - header: A JSON object.
    ///   - bytes: What follows it, or `nil`.
    /// - Returns: `false` when the connection has ended.
    package func send(_ header: String, _ bytes: SharedBytes? = nil) -> Bool {
        let header = Array(header.utf8)
        var first = MediaMessage.prefix(header: header.count, bytes: bytes?.count ?? 0) + header
        guard let bytes, bytes.count > 0 else { return sending.withLock { sendAll(first, to: $0) } }
        if bytes.count <= Self.onePiece {
            first.append(contentsOf: bytes.bytes)
            return sending.withLock { sendAll(first, to: $0) }
        }
        return sending.withLock { sendAll(first, to: $0) && sendAll(bytes.bytes, to: $0) }
    }

    /// Sends a message whose bytes are in memory of their own, which the other end maps or reads. Blocks until the other end has
    /// read what was sent before: a socket would hold hundreds of descriptors, and the frames behind them.
    ///
    /// - Parameters:
    ///   - header: A JSON object that says `memory`.
    ///   - bytes: What the memory holds.
    /// - Returns: `false` when the connection has ended, or the memory cannot be made.
    package func send(_ header: String, inMemory bytes: SharedBytes) -> Bool {
        let clock = MonotonicClock()
        var glance = Self.glances.first
        while linux_has_unread(socket.descriptor) != 0 {
            guard clock.sleep(until: clock.now + glance, unless: closing) else { return false }
            glance = min(glance * 2, Self.glances.last)
        }
        let number = linux_make_memory("multicam-frame")
        guard number >= 0 else { return false }
        let memory = OwnedDescriptor(owning: number)
        guard write(bytes.bytes, to: memory.number) else { return false }
        let header = Array(header.utf8)
        let all = MediaMessage.prefix(header: header.count, bytes: 0) + header
        return sending.withLock { place in
            all.withUnsafeBytes { sendAll($0, to: place, beside: memory.number) }
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(
                descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func sendAll(_ bytes: [UInt8], to place: Int32) -> Bool {
        bytes.withUnsafeBytes { sendAll($0, to: place) }
    }

    private func sendAll(_ bytes: UnsafeRawBufferPointer, to place: Int32, beside descriptor: Int32 = -1)
        -> Bool
    {
        var (rest, beside) = (bytes[...], descriptor)
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = linux_send_beside(place, piece.baseAddress, UInt(piece.count), beside)
            guard count > 0 else { return false }
            beside = -1
            rest = rest.dropFirst(count)
        }
        return true
    }

    // MARK: Receiving

    /// Waits for the next message.
    ///
    /// - Returns: The message, or `nil` when the connection has ended.
    /// - Throws: `MediaLinkError` when what came is no message; nothing more can be received then.
    package func receive() throws(MediaLinkError) -> MediaMessage? {
        let prefix = SharedBytes(count: MediaMessage.prefixLength)
        guard let beside = receive(into: prefix) else { return nil }
        guard let lengths = MediaMessage.lengths(in: prefix.bytes) else {
            throw MediaLinkError(
                "this is no message: it begins with mcm1, then the lengths of the header (1 to \(MediaMessage.longestHeader) bytes) and of "
                    + "the bytes (to \(MediaMessage.longestBytes)), each of 32 bits, little endian.")
        }
        let header = SharedBytes(count: lengths.header)
        guard receive(into: header) != nil else { return nil }
        if lengths.bytes == 0, let memory = beside.take() {
            return MediaMessage(header: header, bytes: try Self.contents(of: memory))
        }
        let bytes = SharedBytes(count: lengths.bytes)
        guard lengths.bytes == 0 || receive(into: bytes) != nil else { return nil }
        return MediaMessage(header: header, bytes: bytes)
    }

    /// A descriptor that came beside bytes, until somebody takes it.
    private struct Beside: ~Copyable {
        private var descriptor: OwnedDescriptor?

        mutating func keep(_ number: Int32) {
            if number >= 0 { descriptor = OwnedDescriptor(owning: number) }
        }

        consuming func take() -> OwnedDescriptor? { descriptor.take() }
    }

    /// Fills memory with what comes; returns the descriptor that came with it, or `nil` at the end.
    private func receive(into memory: SharedBytes) -> Beside? {
        var beside = Beside()
        var filled = 0
        while filled < memory.count {
            var number: Int32 = -1
            let count = linux_receive_beside(
                socket.descriptor, memory.start + filled, UInt(memory.count - filled), &number)
            beside.keep(number)
            guard count > 0 else { return nil }
            filled += count
        }
        return beside
    }

    /// Reads memory that another process may change or cut off meanwhile: a copy, never a mapping.
    private static func contents(of memory: consuming OwnedDescriptor) throws(MediaLinkError) -> SharedBytes {
        var status = stat()
        guard fstat(memory.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size > 0, status.st_size <= MediaMessage.longestBytes
        else {
            throw MediaLinkError(
                "the descriptor is no memory of 1 to \(MediaMessage.longestBytes) bytes, as memfd_create makes it."
            )
        }
        let bytes = SharedBytes(count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = pread(memory.number, bytes.start + filled, bytes.count - filled, off_t(filled))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw MediaLinkError("the memory was cut off while it was read.") }
            filled += count
        }
        return bytes
    }

    // MARK: Headers

    /// Reads a message's header.
    ///
    /// - Throws: `MediaLinkError` when it is no JSON object with a `type`.
    package static func header(of message: MediaMessage) throws(MediaLinkError) -> MediaHeader {
        do {
            return try JSONDecoder().decode(MediaHeader.self, from: Data(message.header.bytes))
        } catch {
            throw MediaLinkError(
                "the header is not understood: expected a JSON object with `type` and the fields of that type."
            )
        }
    }

    /// Sends a header without bytes.
    package func send(_ header: MediaHeader) -> Bool { send(JSONText.line(header)) }
}
