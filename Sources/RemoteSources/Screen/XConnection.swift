internal import CMulticamLinux
internal import CMulticamXCB
internal import FoundationEssentials
internal import Glibc
internal import MulticamControl
internal import MulticamMedia

/// A connection to an X server with a deadline for every reply. Use this type only on the thread that creates it.
final class XConnection {
    /// XCB's connection handle.
    let handle: OpaquePointer
    /// The server's description of its screens and pixel formats.
    let setup: XSetup
    private let address: SourceAddress
    private let cancellation: Cancellation
    private let clock = MonotonicClock()

    private static let timeout = Nanoseconds.seconds(3)
    private static let folder = "/tmp/.X11-unix/X"

    /// Connects to a display. If the server exists but doesn't respond, the call blocks for a few seconds at most.
    ///
    /// - Parameters:
    ///   - display: The display in X11 notation; `nil` for the display in the environment.
    ///   - address: The screen's address, used in messages.
    ///   - cancellation: Cancels pending waits.
    /// - Throws: `SourceError` if the display doesn't exist, doesn't respond in time, or denies access to
    ///   this user.
    init(
        display: String?, _ address: SourceAddress, _ cancellation: Cancellation
    ) throws(SourceError) {
        (self.address, self.cancellation) = (address, cancellation)
        let environment = ProcessInfo.processInfo.environment
        guard let name = display ?? environment["DISPLAY"], !name.isEmpty else {
            throw .refused(
                "DISPLAY is not set. Start multicam on the desktop that you want to record, or specify the display, for example screen::0."
            )
        }
        let line = try XConnector.connect(to: name, until: clock.now + Self.timeout, address)
        let handle = line.handle
        guard xcb_connection_has_error(handle) == 0 else {
            xcb_disconnect(handle)
            throw Self.failure(name, address)
        }
        guard let setup = Self.setup(handle, screen: line.screen) else {
            xcb_disconnect(handle)
            throw .refused("the display \(name.printable()) sent an incomplete X11 setup.")
        }
        (self.handle, self.setup) = (handle, setup)
        // Querying an extension blocks without a deadline unless the reply has already arrived.
        xcb_prefetch_extensions(handle)
        try waitForServer()
    }

    deinit { xcb_disconnect(handle) }

    /// Returns the reason why the connection to a display failed.
    private static func failure(_ name: String, _ address: SourceAddress) -> SourceError {
        let place = name.split(separator: ":", omittingEmptySubsequences: false)
        let number = (place.last ?? "").prefix { $0 != "." }
        let isLocal = place.count == 2 && (place[0].isEmpty || place[0] == "unix")
        guard isLocal, isListening(at: folder + number) else {
            return .lost(
                "the display \(name.printable()) does not exist: no X server is running with this name.")
        }
        return .refused(
            "the display \(name.printable()) denied access to this user. Start multicam in the desktop session of this display, or set XAUTHORITY to its authority file."
        )
    }

    /// Whether a server listens on a socket. A killed server leaves its socket file behind.
    private static func isListening(at path: String) -> Bool {
        do throws(ControlError) {
            return try LocalSocket().tryConnect(to: path)
        } catch {
            return false
        }
    }

    private static func setup(_ handle: OpaquePointer, screen: Int32) -> XSetup? {
        guard let start = xcb_get_setup(handle) else { return nil }
        // The length is in units of four bytes and doesn't include the first eight bytes.
        let bytes = UnsafeRawBufferPointer(start: start, count: 8 + Int(start.pointee.length) * 4)
        return XSetup(bytes, screen: Int(screen))
    }

    /// A new resource ID from the server.
    var newID: UInt32 { xcb_generate_id(handle) }

    /// Waits for the reply to a request.
    ///
    /// - Parameters:
    ///   - sequence: Sequence number of the request, from its cookie.
    ///   - type: XCB's type of the reply.
    /// - Returns: The reply; `nil` if the server rejects the request, or if the reply is shorter than its type.
    /// - Throws: `SourceError.lost` if the connection has ended, or the reply doesn't arrive in time.
    func reply<Answer>(to sequence: UInt32, _ type: Answer.Type) throws(SourceError) -> XReply<Answer>? {
        xcb_flush(handle)
        let deadline = clock.now + Self.timeout
        while true {
            var memory: UnsafeMutableRawPointer?
            var refusal: UnsafeMutablePointer<xcb_generic_error_t>?
            let isOver = xcb_poll_for_reply(handle, sequence, &memory, &refusal) != 0
            free(refusal)
            if let memory { return XReply(memory) }
            try check()
            if isOver { return nil }
            guard clock.now < deadline, !cancellation.isCancelled else {
                throw .lost("the display of \(address) is not responding.")
            }
            var entry = pollfd(fd: xcb_get_file_descriptor(handle), events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, 50)
        }
    }

    /// Waits until the server has processed all requests.
    ///
    /// - Throws: `SourceError.lost` if the connection has ended, or the reply doesn't arrive in time.
    func waitForServer() throws(SourceError) {
        let cookie = xcb_get_input_focus(handle)
        _ = try reply(to: cookie.sequence, xcb_get_input_focus_reply_t.self)
    }

    /// Passes each pending event to a handler.
    ///
    /// - Throws: `SourceError.lost` if the connection has ended.
    func drainEvents(_ handler: (UnsafeMutablePointer<xcb_generic_event_t>) -> Void) throws(SourceError) {
        while let found = xcb_poll_for_event(handle) {
            handler(found)
            free(found)
        }
        try check()
    }

    private func check() throws(SourceError) {
        guard xcb_connection_has_error(handle) == 0 else {
            throw .lost(
                "the connection to the display of \(address) was lost, or its X server exited.")
        }
    }
}

/// Connects to X servers with a deadline, which XCB doesn't support. A server that accepts a connection but doesn't
/// respond blocks only a separate thread. Safe to use from any thread.
enum XConnector {
    /// An XCB connection, owned by its receiver. The connection is established unless it has an error.
    struct Display: @unchecked Sendable {
        let handle: OpaquePointer
        /// Screen number from the display's name.
        let screen: Int32
    }

    /// Result of a connection thread after its server has responded.
    private enum Answer: Sendable {
        case display(Display)
        case noMemory
    }

    /// Displays that are currently being connected. There is one thread per display, regardless of the number of attempts.
    private static let attempts = ConditionLock<[String: Answer?]>([:])

    /// Connects to a display. The call blocks at most until the deadline.
    ///
    /// - Parameters:
    ///   - name: The display in X11 notation.
    ///   - deadline: Time by which the display's server must respond.
    ///   - address: The screen's address, used in messages.
    /// - Returns: The connection. The caller must check the connection for errors.
    /// - Throws: `SourceError.lost` if the server doesn't respond in time, or memory allocation fails.
    static func connect(
        to name: String, until deadline: ClockTime, _ address: SourceAddress
    ) throws(SourceError) -> Display {
        attempts.withLock { dialled in
            // A response that arrived too late for an earlier attempt is used for the current attempt.
            guard dialled[name] == nil else { return }
            startConnecting(name, &dialled)
        }
        let answer = attempts.wait(until: deadline) { dialled -> Answer? in
            guard let known = dialled[name] else {
                // Another source has already used the response.
                startConnecting(name, &dialled)
                return nil
            }
            guard let answer = known else { return nil }
            dialled[name] = nil
            return answer
        }
        switch answer {
        case .display(let line): return line
        case .noMemory: throw .lost("\(address): out of memory.")
        case nil: throw .lost("the display of \(address) is not responding.")
        }
    }

    private static func startConnecting(_ name: String, _ dialled: inout [String: Answer?]) {
        dialled.updateValue(nil, forKey: name)
        MediaThread.startWhenPossible(name: "screen:dial") {
            var screen: Int32 = 0
            let handle = xcb_connect(name, &screen)
            let answer = handle.map { Answer.display(Display(handle: $0, screen: screen)) } ?? .noMemory
            Self.attempts.broadcast { _ = $0.updateValue(answer, forKey: name) }
        }
    }
}

/// The setup data that an X server sends when a client connects. XCB's accessors trust the counts in the data, but this
/// type checks them against the data's length.
struct XSetup {
    /// The requested screen: its root window, size, and pixel format.
    let screen: xcb_screen_t
    private var readable: Set<UInt32> = []

    /// Reads a server's setup data; `nil` if it is shorter than its counts require, or contains no screen.
    ///
    /// - Parameters:
    ///   - bytes: The setup data.
    ///   - number: Screen number, from 0. If the number is too large, the last screen is used.
    init?(_ bytes: UnsafeRawBufferPointer, screen number: Int) {
        var place = 0
        func next<Part: BitwiseCopyable>(_ type: Part.Type) -> Part? {
            guard place + MemoryLayout<Part>.size <= bytes.count else { return nil }
            defer { place += MemoryLayout<Part>.size }
            return bytes.loadUnaligned(fromByteOffset: place, as: type)
        }
        guard let setup = next(xcb_setup_t.self) else { return nil }
        place += (Int(setup.vendor_len) + 3) / 4 * 4
        var fourBytes: Set<UInt8> = []
        for _ in 0..<setup.pixmap_formats_len {
            guard let format = next(xcb_format_t.self) else { return nil }
            if format.bits_per_pixel == 32 { fourBytes.insert(format.depth) }
        }
        var chosen: xcb_screen_t?
        for index in 0..<Int(setup.roots_len) {
            guard let screen = next(xcb_screen_t.self) else { return nil }
            if index <= number { chosen = screen }
            for _ in 0..<screen.allowed_depths_len {
                guard let depth = next(xcb_depth_t.self) else { return nil }
                for _ in 0..<depth.visuals_len {
                    guard let visual = next(xcb_visualtype_t.self) else { return nil }
                    let hasBytes =
                        visual.red_mask == 0xFF0000 && visual.green_mask == 0xFF00
                        && visual.blue_mask == 0xFF
                    if hasBytes, fourBytes.contains(depth.depth), setup.image_byte_order == 0 {
                        readable.insert(visual.visual_id)
                    }
                }
            }
        }
        guard let chosen else { return nil }
        screen = chosen
    }

    /// Whether pixels of a visual (X11's term for a pixel format) consist of the bytes B, G, R, and a fourth
    /// byte.
    func isReadable(_ visual: UInt32) -> Bool { readable.contains(visual) }
}

/// A reply from an X server, allocated by XCB. XCB's accessors trust the counts in the reply, but this type checks them
/// against the reply's length.
struct XReply<Answer>: ~Copyable {
    /// The fixed part of the reply.
    let pointer: UnsafeMutablePointer<Answer>
    /// The data after the fixed part, valid during the lifetime of this reply.
    let rest: UnsafeRawBufferPointer

    /// Length of a reply without additional data, in bytes.
    private static var shortest: Int { 32 }

    /// Takes ownership of a reply; `nil` if it is shorter than its fixed part.
    ///
    /// - Parameter memory: The reply, with the length that its header states, allocated by malloc(3).
    init?(_ memory: UnsafeMutableRawPointer) {
        let words = memory.assumingMemoryBound(to: xcb_generic_reply_t.self).pointee.length
        let length = Self.shortest + Int(words) * 4
        let fixed = max(MemoryLayout<Answer>.size, Self.shortest)
        guard fixed <= length else {
            free(memory)
            return nil
        }
        pointer = memory.assumingMemoryBound(to: Answer.self)
        rest = UnsafeRawBufferPointer(start: memory + fixed, count: length - fixed)
    }

    deinit { free(pointer) }

    /// Reads the numbers after the fixed part.
    ///
    /// - Parameters:
    ///   - count: Number of values according to the reply.
    ///   - type: Type of the values.
    /// - Returns: The values; `nil` if the reply is too short for them.
    func numbers<Number: FixedWidthInteger & BitwiseCopyable>(
        _ count: Int, _ type: Number.Type
    ) -> [Number]? {
        guard count >= 0, count <= rest.count / MemoryLayout<Number>.size else { return nil }
        return (0..<count).map {
            rest.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Number>.size, as: type)
        }
    }
}
