internal import CXCB
internal import Control
internal import FoundationEssentials
internal import Glibc
internal import Media

/// A connection with an X server, with a deadline for every answer. Belongs to the thread that makes it.
final class XConnection {
    /// XCB's connection.
    let handle: OpaquePointer
    /// What the server says of its screens and pixels.
    let setup: XSetup
    private let address: SourceAddress
    private let cancellation: Cancellation
    private let clock = MonotonicClock()

    private static let patience = Nanoseconds.seconds(3)
    private static let folder = "/tmp/.X11-unix/X"

    /// Connects. Blocks while a server that is there does not answer, for some seconds at most.
    ///
    /// - Parameters:
    ///   - display: The display as X11 names it; `nil` for the environment's.
    ///   - address: The screen, for sentences.
    ///   - cancellation: Ends waits.
    /// - Throws: `SourceError` when there is no such display, it does not answer in time, or it does not let this user in.
    init(
        display: String?, _ address: SourceAddress, _ cancellation: Cancellation
    ) throws(SourceError) {
        (self.address, self.cancellation) = (address, cancellation)
        let environment = ProcessInfo.processInfo.environment
        guard let name = display ?? environment["DISPLAY"], !name.isEmpty else {
            throw .refused(
                "DISPLAY is not set, so there is no display: start multicam on the screen's desktop, or name the display, as screen::0."
            )
        }
        let line = try XDialing.connect(to: name, until: clock.now + Self.patience, address)
        let handle = line.handle
        guard xcb_connection_has_error(handle) == 0 else {
            xcb_disconnect(handle)
            throw Self.failure(name, address)
        }
        guard let setup = Self.setup(handle, screen: line.screen) else {
            xcb_disconnect(handle)
            throw .refused("the display \(name.printable()) says of itself less than X11 demands.")
        }
        (self.handle, self.setup) = (handle, setup)
        // Asking for an extension waits without a deadline, but not for an answer that has come.
        xcb_prefetch_extensions(handle)
        try waitForServer()
    }

    deinit { xcb_disconnect(handle) }

    /// Why a display cannot be connected to.
    private static func failure(_ name: String, _ address: SourceAddress) -> SourceError {
        let place = name.split(separator: ":", omittingEmptySubsequences: false)
        let number = (place.last ?? "").prefix { $0 != "." }
        let isLocal = place.count == 2 && (place[0].isEmpty || place[0] == "unix")
        guard isLocal, listens(folder + number) else {
            return .lost("the display \(name.printable()) is not there: no X server runs under that name.")
        }
        return .refused(
            "the display \(name.printable()) does not let this user in: start multicam on its desktop, or name its key file in XAUTHORITY."
        )
    }

    /// Whether a server listens at a socket: one that was killed leaves it behind.
    private static func listens(_ path: String) -> Bool {
        do throws(ControlError) {
            return try LocalSocket().connects(to: path)
        } catch {
            return false
        }
    }

    private static func setup(_ handle: OpaquePointer, screen: Int32) -> XSetup? {
        guard let start = xcb_get_setup(handle) else { return nil }
        // The length counts four bytes each, without the first eight.
        let bytes = UnsafeRawBufferPointer(start: start, count: 8 + Int(start.pointee.length) * 4)
        return XSetup(bytes, screen: Int(screen))
    }

    /// A number for something new at the server.
    var newNumber: UInt32 { xcb_generate_id(handle) }

    /// Waits for the answer to a request.
    ///
    /// - Parameters:
    ///   - sequence: The request's number, which its cookie has.
    ///   - type: XCB's type of the answer.
    /// - Returns: The answer; `nil` when the server refuses the request, or answers with less than the type has.
    /// - Throws: `SourceError.lost` when the connection has ended, or there is no answer in time.
    func reply<Answer>(to sequence: UInt32, _ type: Answer.Type) throws(SourceError) -> XReply<Answer>? {
        xcb_flush(handle)
        let deadline = clock.now + Self.patience
        while true {
            var memory: UnsafeMutableRawPointer?
            var refusal: UnsafeMutablePointer<xcb_generic_error_t>?
            let isOver = xcb_poll_for_reply(handle, sequence, &memory, &refusal) != 0
            free(refusal)
            if let memory { return XReply(memory) }
            try check()
            if isOver { return nil }
            guard clock.now < deadline, !cancellation.isCancelled else {
                throw .lost("the display of \(address) does not answer.")
            }
            var entry = pollfd(fd: xcb_get_file_descriptor(handle), events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, 50)
        }
    }

    /// Waits until the server has done all that was requested.
    ///
    /// - Throws: `SourceError.lost` when the connection has ended, or there is no answer in time.
    func waitForServer() throws(SourceError) {
        let cookie = xcb_get_input_focus(handle)
        _ = try reply(to: cookie.sequence, xcb_get_input_focus_reply_t.self)
    }

    /// Gives each event that has come to a handler.
    ///
    /// - Throws: `SourceError.lost` when the connection has ended.
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
                "the display of \(address) has gone: its X server has ended, or its connection with it.")
        }
    }
}
