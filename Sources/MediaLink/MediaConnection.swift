internal import CMulticamLinux
internal import FoundationEssentials
internal import Glibc
package import MulticamControl
package import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// One end of a media socket connection. Any thread may send messages, and one thread receives messages.
/// Sending and receiving are blocking operations.
package final class MediaConnection: Sendable {
    private let socket: LocalSocket
    /// The socket's file descriptor. The lock allows only one thread at a time to send a message.
    private let sendLock: ConditionLock<Int32>
    private let closing = Cancellation()

    /// Requested size of the kernel's send buffer in bytes, which is enough for a few frames.
    private static let sendBuffer: Int32 = 4 << 20
    /// The first and the longest polling interval while waiting for the peer to read.
    private static let pollIntervals = (
        first: Nanoseconds.milliseconds(1), last: Nanoseconds.milliseconds(32)
    )
    /// Maximum size in bytes of data that is copied into the same buffer as the message header.
    private static let maxCombinedBytes = 1 << 16

    /// Takes ownership of a connected socket and sets the socket to blocking mode.
    package init(_ socket: LocalSocket) {
        self.socket = socket
        sendLock = ConditionLock(socket.descriptor)
        let flags = fcntl(socket.descriptor, F_GETFL)
        _ = fcntl(socket.descriptor, F_SETFL, flags & ~O_NONBLOCK)
        var size = Self.sendBuffer
        setsockopt(socket.descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Closes the connection. Blocked calls that send or receive then return.
    package func close() {
        closing.cancel()
        shutdown(socket.descriptor, Int32(SHUT_RDWR))
    }

    // MARK: Sending

    /// Sends a message. The call blocks while the peer isn't reading.
    ///
    /// - Parameters:
    ///   - header: The message header, a JSON object.
    ///   - bytes: The data that follows the header; `nil` for a message without data.
    /// - Returns: Whether the message was sent; `false` if the connection has ended.
    package func send(_ header: String, _ bytes: SharedBytes? = nil) -> Bool {
        let header = Array(header.utf8)
        var first = MediaMessage.prefix(header: header.count, bytes: bytes?.count ?? 0) + header
        guard let bytes, bytes.count > 0 else { return sendLock.withLock { sendAll(first, to: $0) } }
        if bytes.count <= Self.maxCombinedBytes {
            first.append(contentsOf: bytes.bytes)
            return sendLock.withLock { sendAll(first, to: $0) }
        }
        return sendLock.withLock { sendAll(first, to: $0) && sendAll(bytes.bytes, to: $0) }
    }

    /// Sends a message with its data in shared memory, which the peer maps or reads. The call blocks until
    /// the peer has read all earlier data, because the socket could otherwise hold hundreds of descriptors
    /// and their frames.
    ///
    /// - Parameters:
    ///   - header: The message header, a JSON object with a `memory` field.
    ///   - bytes: The data to place in shared memory.
    /// - Returns: Whether the message was sent; `false` if the connection has ended or the shared memory
    ///   can't be created.
    package func send(_ header: String, inMemory bytes: SharedBytes) -> Bool {
        let clock = MonotonicClock()
        var glance = Self.pollIntervals.first
        while linux_has_unread(socket.descriptor) != 0 {
            guard clock.sleep(until: clock.now + glance, unless: closing) else { return false }
            glance = min(glance * 2, Self.pollIntervals.last)
        }
        let number = linux_make_memory("multicam-frame")
        guard number >= 0 else { return false }
        let memory = OwnedDescriptor(owning: number)
        guard write(bytes.bytes, to: memory.number) else { return false }
        let header = Array(header.utf8)
        let all = MediaMessage.prefix(header: header.count, bytes: 0) + header
        return sendLock.withLock { place in
            all.withUnsafeBytes { sendAll($0, to: place, descriptor: memory.number) }
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

    private func sendAll(_ bytes: UnsafeRawBufferPointer, to place: Int32, descriptor: Int32 = -1)
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
    /// - Returns: The message; `nil` if the connection has ended.
    /// - Throws: `MediaLinkError` if the received data isn't a valid message. After this error, no more
    ///   messages can be received.
    package func receive() throws(MediaLinkError) -> MediaMessage? {
        let prefix = SharedBytes(count: MediaMessage.prefixLength)
        guard let beside = receive(into: prefix) else { return nil }
        guard let lengths = MediaMessage.lengths(in: prefix.bytes) else {
            throw MediaLinkError(
                "invalid message: expected mcm1, then the lengths of the header (1 to \(MediaMessage.longestHeader) bytes) and of "
                    + "the data (up to \(MediaMessage.longestBytes) bytes) as 32-bit little-endian numbers.")
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

    /// A file descriptor received together with bytes. The descriptor is closed unless the caller takes
    /// ownership of it.
    private struct ReceivedDescriptor: ~Copyable {
        private var descriptor: OwnedDescriptor?

        mutating func store(_ number: Int32) {
            if number >= 0 { descriptor = OwnedDescriptor(owning: number) }
        }

        consuming func take() -> OwnedDescriptor? { descriptor.take() }
    }

    /// Fills a memory block with received bytes. Returns the descriptor received with the bytes; `nil` if the
    /// connection has ended.
    private func receive(into memory: SharedBytes) -> ReceivedDescriptor? {
        var beside = ReceivedDescriptor()
        var filled = 0
        while filled < memory.count {
            var number: Int32 = -1
            let count = linux_receive_beside(
                socket.descriptor, memory.start + filled, UInt(memory.count - filled), &number)
            beside.store(number)
            guard count > 0 else { return nil }
            filled += count
        }
        return beside
    }

    /// Copies the contents of shared memory. The shared memory is never mapped, because another process could
    /// change or truncate it while it is being read.
    private static func contents(of memory: consuming OwnedDescriptor) throws(MediaLinkError) -> SharedBytes {
        var status = stat()
        guard fstat(memory.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size > 0, status.st_size <= MediaMessage.longestBytes
        else {
            throw MediaLinkError(
                "the file descriptor is not a memfd of 1 to \(MediaMessage.longestBytes) bytes."
            )
        }
        let bytes = SharedBytes(count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = pread(memory.number, bytes.start + filled, bytes.count - filled, off_t(filled))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw MediaLinkError("the shared memory was truncated while it was being read.")
            }
            filled += count
        }
        return bytes
    }

    // MARK: Message headers

    /// Parses a message's header.
    ///
    /// - Throws: `MediaLinkError` if the header isn't a JSON object with a `type`.
    package static func header(of message: MediaMessage) throws(MediaLinkError) -> MediaHeader {
        do {
            return try JSONDecoder().decode(MediaHeader.self, from: Data(message.header.bytes))
        } catch {
            throw MediaLinkError(
                "invalid header: expected a JSON object with `type` and the fields of this type."
            )
        }
    }

    /// Sends a message that consists only of a header.
    package func send(_ header: MediaHeader) -> Bool { send(JSONText.line(header)) }
}

/// Locates the media socket of one of this user's sessions.
package enum MediaPath {
    /// Connects to a session's media socket.
    ///
    /// - Parameters:
    ///   - process: Process ID of the session; `nil` if only one session is running.
    ///   - path: Path of the media socket; `nil` to find the socket automatically.
    /// - Returns: The connection to the session.
    /// - Throws: `ControlError.notRunning` if no session is running, `.usage` if several sessions are running, or
    ///   `.system` if a system error occurs.
    package static func connect(process: Int32?, path: String?) throws(ControlError) -> MediaConnection {
        let folder = ControlFolder(environment: ProcessInfo.processInfo.environment)
        if let path {
            return try connect(path, "no session is listening on the media socket \(path.printable()).")
        }
        if let process {
            return try connect(
                folder.mediaPath(of: process), "process \(process) does not belong to a session of this user."
            )
        }
        var found: [(process: Int32, connection: MediaConnection)] = []
        for process in folder.processes() {
            let socket = try LocalSocket()
            if try socket.tryConnect(to: folder.mediaPath(of: process)) {
                found.append((process, MediaConnection(socket)))
            }
        }
        guard let only = found.first else {
            throw .notRunning("this user is not running a session. Start `multicam record`.")
        }
        guard found.count == 1 else {
            let processes = found.map { String($0.process) }.joined(separator: ", ")
            throw .usage(
                "\(found.count) sessions are running (processes \(processes)). Specify one process.")
        }
        return only.connection
    }

    private static func connect(_ path: String, _ refusal: String) throws(ControlError) -> MediaConnection {
        let socket = try LocalSocket()
        guard try socket.tryConnect(to: path) else { throw .notRunning(refusal) }
        return MediaConnection(socket)
    }
}
