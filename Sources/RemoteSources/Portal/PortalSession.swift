internal import CSoup
internal import Media

/// What the desktop lets multicam see: a session of xdg-desktop-portal's screen cast, which a person allows in a dialog of the desktop.
/// Belongs to the thread that makes it. When it ends, the desktop stops sharing.
///
/// Interface: org.freedesktop.portal.ScreenCast, versions 1 to 5.
final class PortalSession {
    /// What was allowed.
    struct Grant {
        /// The stream's number in PipeWire.
        let node: UInt32
        /// A connection with PipeWire that sees this stream alone. Whoever gets the grant owns it.
        let descriptor: Int32
        /// Gives the same again without a dialog, once; `nil` where the desktop gives none.
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
    /// How long an answer may take that no person gives.
    private static let patience = Nanoseconds.seconds(10)
    /// No person answers within that.
    private static let quick = Nanoseconds.seconds(1)
    /// How long a person may take.
    private static let personPatience = Nanoseconds.seconds(110)

    // The portal's numbers (org.freedesktop.portal.ScreenCast.xml).
    private static let (monitor, window): (UInt32, UInt32) = (1, 2)
    private static let (hiddenCursor, embeddedCursor): (UInt32, UInt32) = (1, 2)
    private static let untilRevoked: UInt32 = 2
    private static let firstVersionWithCursors: UInt32 = 2
    private static let firstVersionWithTokens: UInt32 = 4

    /// Connects with the desktop.
    ///
    /// - Parameters:
    ///   - address: The screen, for sentences.
    ///   - cancellation: Ends waits.
    /// - Throws: `SourceError` when there is no desktop.
    init(_ address: SourceAddress, _ cancellation: Cancellation) throws(SourceError) {
        (self.address, self.cancellation) = (address, cancellation)
        do throws(DesktopBus.Failure) {
            bus = try DesktopBus()
        } catch {
            throw Self.refusal(error, address)
        }
    }

    /// Whether the person, or the desktop, has ended it.
    var isClosed: Bool {
        bus.handleSignals()
        return closed.value != nil
    }

    /// Whether the desktop's bus has gone.
    var hasGone: Bool { bus.isClosed }

    /// Asks to see a screen or a window. Blocks until a person has answered in the desktop's dialog, or that has taken too long.
    ///
    /// - Parameters:
    ///   - token: What the desktop gave before, to have the same again without a dialog.
    ///   - wantsCursor: Whether the mouse pointer is to be in the frames.
    ///   - asking: Called when a person has to answer.
    /// - Returns: What was allowed.
    /// - Throws: `SourceError.over` when the person does not allow it, others when the desktop cannot do it.
    func open(token: String?, wantsCursor: Bool, asking: () -> Void) throws(SourceError) -> Grant {
        let version = try property("version")
        let cursors = version >= Self.firstVersionWithCursors ? try property("AvailableCursorModes") : 0
        let sources = try property("AvailableSourceTypes") & (Self.monitor | Self.window)
        guard sources != 0 else {
            throw .refused(
                "the desktop shares neither screens nor windows, so \(address) cannot be recorded.")
        }
        let hasCursor = wantsCursor && cursors & Self.embeddedCursor != 0
        let made = try ask(
            "CreateSession", "", ["session_handle_token": "<'multicam'>"], within: Self.patience)
        guard let session = made["session_handle"]?.text, g_variant_is_object_path(session) != 0 else {
            throw unclear("CreateSession")
        }
        bus.hear("org.freedesktop.portal.Session.Closed", of: session, at: Self.name, into: closed)
        var wishes = ["types": "<uint32 \(sources)>", "multiple": "<false>"]
        if cursors != 0 {
            wishes["cursor_mode"] = "<uint32 \(hasCursor ? Self.embeddedCursor : Self.hiddenCursor)>"
        }
        if version >= Self.firstVersionWithTokens {
            wishes["persist_mode"] = "<uint32 \(Self.untilRevoked)>"
            if let token { wishes["restore_token"] = "<\(DesktopValue.quoted(token))>" }
        }
        let place = "objectpath \(DesktopValue.quoted(session)), "
        // Some desktops ask at once, others at the start.
        if token == nil { asking() }
        _ = try ask(
            "SelectSources", place, wishes, within: Self.personPatience,
            slowly: { if token != nil { asking() } })
        let allowed = try ask(
            "Start", place + "'', ", [:], within: Self.personPatience,
            slowly: { if token != nil { asking() } })
        guard let node = allowed["streams"]?[0]?[0]?.number else { throw unclear("Start") }
        let opened = try call("OpenPipeWireRemote", "(\(place)@a{sv} {})", takesDescriptor: true)
        guard let descriptor = opened.descriptor else { throw unclear("OpenPipeWireRemote") }
        return Grant(
            node: node, descriptor: descriptor, token: allowed["restore_token"]?.text,
            hasCursor: hasCursor || !wantsCursor)
    }

    /// Calls a method that answers by a signal of an object of its own (org.freedesktop.portal.Request). Blocks for that.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - arguments: What comes before the options, each with a comma behind it.
    ///   - options: Variants in GVariant's text format, by name.
    ///   - limit: How long the answer may take.
    ///   - slowly: Called once where it takes so long that a person must be asked.
    /// - Returns: The results, by name.
    /// - Throws: `SourceError` when there is no answer, or it is no.
    private func ask(
        _ method: String, _ arguments: String, _ options: [String: String], within limit: Nanoseconds,
        slowly: () -> Void = {}
    ) throws(SourceError) -> DesktopValue {
        requests += 1
        let token = "multicam\(requests)"
        let sender = bus.ownName.dropFirst().map { $0 == "." ? "_" : String($0) }.joined()
        let path = "\(Self.path)/request/\(sender)/\(token)"
        let response = DesktopSignal()
        bus.hear("org.freedesktop.portal.Request.Response", of: path, at: Self.name, into: response)
        var options = options
        options["handle_token"] = "<'\(token)'>"
        let words = options.sorted { $0.key < $1.key }.map { "'\($0.key)': \($0.value)" }.joined(
            separator: ", ")
        _ = try call(method, arguments.isEmpty ? "({\(words)},)" : "(\(arguments){\(words)})")
        let begin = clock.now
        var isSlow = false
        while response.value == nil {
            guard !cancellation.wait(until: clock.now + .milliseconds(20)) else {
                throw .lost("\(address) is no longer wanted.")
            }
            bus.handleSignals()
            guard !bus.isClosed else { throw .lost("the desktop of \(address) has gone.") }
            let took = clock.now - begin
            if took > Self.quick, !isSlow {
                isSlow = true
                slowly()
            }
            guard took < limit else {
                guard limit == Self.personPatience else {
                    throw .lost("the desktop's portal does not answer \(method) for \(address).")
                }
                throw .over(
                    "nobody has answered the desktop's question whether multicam may record \(address).")
            }
        }
        guard let answer = response.value, let code = answer[0]?.number, let results = answer[1] else {
            throw unclear(method)
        }
        switch code {
        case 0: return results
        case 1: throw .over("a person did not allow multicam to record \(address).")
        default:
            throw .refused(
                "the desktop cannot share \(address) (\(method)): what its portal writes to the journal says why."
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
        _ method: String, _ arguments: String, takesDescriptor: Bool = false
    ) throws(SourceError) -> (answer: DesktopValue, descriptor: Int32?) {
        do throws(DesktopBus.Failure) {
            return try bus.call(
                "\(Self.cast).\(method)", of: Self.path, at: Self.name, arguments,
                takesDescriptor: takesDescriptor)
        } catch .other(let words) {
            throw .refused("the desktop's portal does not share \(address) (\(method)): \(words).")
        } catch {
            throw Self.refusal(error, address)
        }
    }

    private func unclear(_ method: String) -> SourceError {
        .refused("the desktop's portal answers \(method) for \(address) with nothing that is of use.")
    }

    private static func refusal(_ failure: DesktopBus.Failure, _ address: SourceAddress) -> SourceError {
        switch failure {
        case .unknown:
            .refused(
                "no portal of a desktop shares screens here, which \(address) needs: install xdg-desktop-portal and your desktop's part of it, "
                    + "such as xdg-desktop-portal-gnome, -kde or -wlr, and log in anew.")
        case .other(let words): .refused("\(address) needs the desktop's session bus: \(words).")
        }
    }
}
