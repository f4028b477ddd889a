internal import CMulticamSoup
internal import FoundationEssentials
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// A screen cast session of xdg-desktop-portal, which the user approves in a desktop dialog. Use this type only on the
/// thread that creates it. When the session is released, the desktop stops sharing.
///
/// Interface: org.freedesktop.portal.ScreenCast, versions 1 to 5.
final class PortalSession {
    /// The granted access to a stream.
    struct Grant {
        /// PipeWire node ID of the stream.
        let node: UInt32
        /// A PipeWire connection that can access only this stream. The receiver of the grant owns the connection.
        let descriptor: Int32
        /// A single-use token that restores the same grant without a dialog; `nil` if the desktop doesn't issue one.
        let token: String?
        /// Whether the mouse pointer is in the frames.
        let hasCursor: Bool
    }

    private let bus: DesktopBus
    private let address: SourceAddress
    private let cancellation: Cancellation
    private let clock = MonotonicClock()
    private let closed = DesktopSignal()
    private var requests = 0

    private static let name = "org.freedesktop.portal.Desktop"
    private static let path = "/org/freedesktop/portal/desktop"
    private static let cast = "org.freedesktop.portal.ScreenCast"
    /// Maximum time for a reply that doesn't depend on the user.
    private static let timeout = Nanoseconds.seconds(10)
    /// Maximum time for a reply without a dialog; a user can't answer this fast.
    private static let dialogThreshold = Nanoseconds.seconds(1)
    /// Maximum time for the user to answer the dialog.
    private static let dialogTimeout = Nanoseconds.seconds(110)

    // The portal's source types (org.freedesktop.portal.ScreenCast.xml).
    private static let (monitor, window): (UInt32, UInt32) = (1, 2)
    private static let (hiddenCursor, embeddedCursor): (UInt32, UInt32) = (1, 2)
    private static let untilRevoked: UInt32 = 2
    private static let firstVersionWithCursors: UInt32 = 2
    private static let firstVersionWithTokens: UInt32 = 4

    /// Connects to the desktop.
    ///
    /// - Parameters:
    ///   - address: The screen's address, used in messages.
    ///   - cancellation: Cancels pending waits.
    /// - Throws: `SourceError` if no desktop is available.
    init(_ address: SourceAddress, _ cancellation: Cancellation) throws(SourceError) {
        (self.address, self.cancellation) = (address, cancellation)
        do throws(DesktopBus.Failure) {
            bus = try DesktopBus()
        } catch {
            throw Self.refusal(error, address)
        }
    }

    /// Whether the user or the desktop has ended the session.
    var isClosed: Bool {
        bus.handleSignals()
        return closed.value != nil
    }

    /// Whether the connection to the desktop's bus is closed.
    var isDisconnected: Bool { bus.isClosed }

    /// Requests access to a screen or a window. The call blocks until the user has answered the desktop's dialog, or
    /// until the dialog times out.
    ///
    /// - Parameters:
    ///   - token: The token that the desktop issued before, to restore the grant without a dialog.
    ///   - wantsCursor: Whether the frames should include the mouse pointer.
    ///   - dialogHandler: Called when the user has to answer a dialog.
    /// - Returns: The granted access.
    /// - Throws: `SourceError.over` if the user denies access, another `SourceError` if the desktop can't
    ///   share the screen.
    func open(token: String?, wantsCursor: Bool, dialogHandler: () -> Void) throws(SourceError) -> Grant {
        let version = try property("version")
        let cursors = version >= Self.firstVersionWithCursors ? try property("AvailableCursorModes") : 0
        let sources = try property("AvailableSourceTypes") & (Self.monitor | Self.window)
        guard sources != 0 else {
            throw .refused(
                "the desktop does not support sharing screens or windows, so \(address) cannot be recorded.")
        }
        let hasCursor = wantsCursor && cursors & Self.embeddedCursor != 0
        let made = try request(
            "CreateSession", "", ["session_handle_token": "<'multicam'>"], within: Self.timeout)
        guard let session = made["session_handle"]?.text, g_variant_is_object_path(session) != 0 else {
            throw invalidResponse(to: "CreateSession")
        }
        bus.subscribe(to: "org.freedesktop.portal.Session.Closed", of: session, at: Self.name, into: closed)
        var wishes = ["types": "<uint32 \(sources)>", "multiple": "<false>"]
        if cursors != 0 {
            wishes["cursor_mode"] = "<uint32 \(hasCursor ? Self.embeddedCursor : Self.hiddenCursor)>"
        }
        if version >= Self.firstVersionWithTokens {
            wishes["persist_mode"] = "<uint32 \(Self.untilRevoked)>"
            if let token { wishes["restore_token"] = "<\(DesktopValue.quoted(token))>" }
        }
        let place = "objectpath \(DesktopValue.quoted(session)), "
        // Some desktops show the dialog immediately, and others when the stream starts.
        if token == nil { dialogHandler() }
        _ = try request(
            "SelectSources", place, wishes, within: Self.dialogTimeout,
            slowHandler: { if token != nil { dialogHandler() } })
        let allowed = try request(
            "Start", place + "'', ", [:], within: Self.dialogTimeout,
            slowHandler: { if token != nil { dialogHandler() } })
        guard let node = allowed["streams"]?[0]?[0]?.number else { throw invalidResponse(to: "Start") }
        let opened = try call("OpenPipeWireRemote", "(\(place)@a{sv} {})", returnsDescriptor: true)
        guard let descriptor = opened.descriptor else { throw invalidResponse(to: "OpenPipeWireRemote") }
        return Grant(
            node: node, descriptor: descriptor, token: allowed["restore_token"]?.text,
            hasCursor: hasCursor || !wantsCursor)
    }

    /// Calls a method that replies with a signal of a separate request object
    /// (org.freedesktop.portal.Request). The call blocks until the reply arrives.
    ///
    /// - Parameters:
    ///   - method: The method to call.
    ///   - arguments: The arguments before the options, each followed by a comma.
    ///   - options: Variants in GVariant's text format, by name.
    ///   - limit: Maximum time for the reply.
    ///   - slowHandler: Called once if a delayed reply indicates that a dialog is open.
    /// - Returns: The results, by name.
    /// - Throws: `SourceError` if the reply is missing, or the request was denied.
    private func request(
        _ method: String, _ arguments: String, _ options: [String: String], within limit: Nanoseconds,
        slowHandler: () -> Void = {}
    ) throws(SourceError) -> DesktopValue {
        requests += 1
        let token = "multicam\(requests)"
        let sender = bus.ownName.dropFirst().map { $0 == "." ? "_" : String($0) }.joined()
        let path = "\(Self.path)/request/\(sender)/\(token)"
        let response = DesktopSignal()
        bus.subscribe(to: "org.freedesktop.portal.Request.Response", of: path, at: Self.name, into: response)
        var options = options
        options["handle_token"] = "<'\(token)'>"
        let words = options.sorted { $0.key < $1.key }.map { "'\($0.key)': \($0.value)" }.joined(
            separator: ", ")
        _ = try call(method, arguments.isEmpty ? "({\(words)},)" : "(\(arguments){\(words)})")
        let begin = clock.now
        var isSlow = false
        while response.value == nil {
            guard !cancellation.wait(until: clock.now + .milliseconds(20)) else {
                throw .lost("\(address) is no longer used.")
            }
            bus.handleSignals()
            guard !bus.isClosed else { throw .lost("the desktop session of \(address) has ended.") }
            let took = clock.now - begin
            if took > Self.dialogThreshold, !isSlow {
                isSlow = true
                slowHandler()
            }
            guard took < limit else {
                guard limit == Self.dialogTimeout else {
                    throw .lost("the desktop portal did not respond to \(method) for \(address).")
                }
                throw .over(
                    "the desktop's permission dialog for \(address) timed out.")
            }
        }
        guard let answer = response.value, let code = answer[0]?.number, let results = answer[1] else {
            throw invalidResponse(to: method)
        }
        switch code {
        case 0: return results
        case 1: throw .over("permission to record \(address) was denied in the desktop's dialog.")
        default:
            throw .refused(
                "the desktop cannot share \(address) (\(method)). Check the portal's messages in the journal."
            )
        }
    }

    private func property(_ name: String) throws(SourceError) -> UInt32 {
        do throws(DesktopBus.Failure) {
            let answer = try bus.call(
                "org.freedesktop.DBus.Properties.Get", of: Self.path, at: Self.name,
                "(\(DesktopValue.quoted(Self.cast)), \(DesktopValue.quoted(name)))"
            ).answer
            guard let number = answer[0]?.number else { throw .unknown }
            return number
        } catch {
            throw Self.refusal(error, address)
        }
    }

    private func call(
        _ method: String, _ arguments: String, returnsDescriptor: Bool = false
    ) throws(SourceError) -> (answer: DesktopValue, descriptor: Int32?) {
        do throws(DesktopBus.Failure) {
            return try bus.call(
                "\(Self.cast).\(method)", of: Self.path, at: Self.name, arguments,
                returnsDescriptor: returnsDescriptor)
        } catch .other(let words) {
            throw .refused("the desktop portal did not share \(address) (\(method)): \(words).")
        } catch {
            throw Self.refusal(error, address)
        }
    }

    private func invalidResponse(to method: String) -> SourceError {
        .refused("the desktop portal sent an invalid response to \(method) for \(address).")
    }

    private static func refusal(_ failure: DesktopBus.Failure, _ address: SourceAddress) -> SourceError {
        switch failure {
        case .unknown:
            .refused(
                "\(address) needs a desktop portal for screen sharing. Install xdg-desktop-portal and the backend for your desktop, "
                    + "such as xdg-desktop-portal-gnome, -kde, or -wlr, then log out and log in again.")
        case .other(let words):
            .refused("\(address) requires the desktop's session bus, which is unavailable: \(words).")
        }
    }
}

/// Tokens that restore a desktop's permission to share a screen without a dialog. There is one single-use
/// token per selector. The tokens are stored in `screens.json` in the state folder, which only this user can
/// read. The file is read again before each write, because other processes may have changed it. Safe to use
/// from any thread.
final class PortalTokenStore: Sendable {
    private struct Content: Codable {
        var schema = PortalTokenStore.schema
        var tokens: [String: String] = [:]
    }

    private let path: String?
    private let content: ConditionLock<Content>

    private static let schema = 1

    /// Reads the stored tokens. An unreadable file counts as empty, so the desktop shows its dialog again.
    ///
    /// - Parameter environment: Environment variables of the process, which determine the folder.
    init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        path = StateFolder.path(environment).map { $0 + "/screens.json" }
        content = ConditionLock(Content())
        content.withLock { read(into: &$0) }
    }

    /// Reads the current content of the file.
    private func read(into content: inout Content) {
        guard let path, let bytes = FileManager.default.contents(atPath: path) else { return }
        do {
            let read = try JSONText.decoder().decode(Content.self, from: bytes)
            if read.schema == Self.schema { content = read }
        } catch {
            // A damaged file is treated like a missing file: the desktop shows its dialog, and the new token
            // replaces the content of the file.
        }
    }

    /// Returns the token for a screen; `nil` if there isn't one, or if it isn't a UUID as issued by portals.
    func token(of screen: ScreenAddress) -> String? {
        content.withLock { $0.tokens[screen.shareName] }.flatMap { UUID(uuidString: $0) == nil ? nil : $0 }
    }

    /// Stores a token, replacing the previous one, which has been used. If the token can't be stored, the desktop shows
    /// its dialog again.
    ///
    /// - Parameters:
    ///   - token: The token from the desktop; `nil` if it issued none.
    ///   - screen: The screen that the token belongs to.
    func save(_ token: String?, of screen: ScreenAddress) {
        content.withLock { content in
            read(into: &content)
            guard content.tokens[screen.shareName] != token else { return }
            content.tokens[screen.shareName] = token
            guard let path, let end = path.lastIndex(of: "/") else { return }
            do throws(FileError) {
                try FolderCreation.make(String(path[..<end]), permissions: 0o700)
                try FileReplacement.write(Array(JSONText.pretty(content)), to: path, permissions: 0o600)
            } catch {
                // If the disk is full or the folder belongs to another user, the next recording shows the dialog again.
            }
        }
    }
}
