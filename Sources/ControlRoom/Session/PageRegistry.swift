internal import FoundationEssentials
internal import MulticamMedia
internal import MulticamSessionFolder

/// Registry of the open pages. Handles the pages' messages and sends updates to the pages. Used only on the web loop's
/// thread.
final class PageRegistry {
    private let recorderTracker: RecorderTracker
    private let streams: StreamRegistry
    private var pages: [ObjectIdentifier: PageConnection] = [:]
    /// Changes of the recorder's status that hidden pages haven't received yet.
    private var changesForHidden: [String: JSONValue] = [:]
    /// Called when the set of watched streams may have changed.
    var subscriptionsChanged: () -> Void = {}
    /// Called when the cameras that pages show in preview may have changed, with the roles of all of them.
    var previewRolesChanged: (Set<String>) -> Void = { _ in }
    /// Called when a page's message is read, with the current time.
    var messageReceived: (ClockTime) -> Void = { _ in }

    private static let mostPages = 64
    /// Maximum processor time for handling messages between two ticks of the loop, for one page and for all pages.
    /// Without this limit, a flooded loop would miss its ticks and be considered hung.
    private static let maxProcessorTime = (
        one: Nanoseconds.milliseconds(50), all: Nanoseconds.milliseconds(150)
    )

    init(_ board: RecorderTracker, _ streams: StreamRegistry) {
        (self.recorderTracker, self.streams) = (board, streams)
    }

    /// Whether any page is visible on a screen.
    var hasVisible: Bool { pages.values.contains { !$0.isHidden } }

    /// Streams that pages currently watch.
    var keys: Set<StreamKey> { pages.values.reduce(into: []) { $0.formUnion($1.keys) } }

    // MARK: Outgoing messages

    /// Sends a message to all pages.
    func broadcast(_ message: [String: JSONValue]) {
        send(message, to: { _ in true })
    }

    /// Sends audio levels to the pages that are visible.
    func broadcast(levels message: [String: JSONValue]) { send(message, to: { !$0.isHidden }) }

    /// Sends a status to all pages. Hidden pages receive changes later, when `flushHidden` is called.
    func broadcast(status message: [String: JSONValue]) {
        guard message["type"] == "change", case .object(let changes)? = message["status"] else {
            changesForHidden = [:]
            return broadcast(message)
        }
        changesForHidden.merge(changes) { $1 }
        send(message, to: { !$0.isHidden })
    }

    /// Sends hidden pages what has changed since the last call, for the state in their titles. Call this function about
    /// once per second.
    func flushHidden() {
        guard !changesForHidden.isEmpty else { return }
        send(["type": "change", "status": .object(changesForHidden)], to: \.isHidden)
        changesForHidden = [:]
    }

    private func send(_ message: [String: JSONValue], to isReceiver: (PageConnection) -> Bool) {
        let receivers = pages.values.filter(isReceiver)
        guard !receivers.isEmpty else { return }
        let text = WebJSON.text(message)
        for page in receivers { page.webSocket.send(text) }
    }

    /// Notifies the pages that watch a stream why the stream isn't available.
    func reportError(_ sentence: String, of key: StreamKey) {
        for page in pages.values {
            for stream in page.streams.values where stream.key == key {
                page.send([
                    "type": "error", "stream": .integer(Int64(stream.number)),
                    "text": .string(sentence.printable(limit: 400)),
                ])
            }
        }
    }

    /// Sends a piece of a stream to the pages that watch this stream.
    func send(_ piece: StreamPiece, of key: StreamKey) {
        for page in pages.values {
            page.send(
                piece, of: key, piece.setup ?? streams.setup(of: key), start: recorderTracker.status.start)
        }
    }

    /// Closes the connections of pages that no longer read, and resets the processor time of all pages. Call
    /// this function about once per second.
    func endStalled(at now: ClockTime) {
        for page in pages.values {
            page.processorTime = .zero
            page.webSocket.endIfStalled(at: now)
        }
    }

    /// Selects the streams for the current phase of the session. The program's source changes when a
    /// recording starts or ends.
    func selectStreams() {
        for page in pages.values { page.selectStreams(isRecording: recorderTracker.isRecording) }
    }

    // MARK: Incoming messages

    /// Accepts the connection of a page that is opening.
    ///
    /// - Parameters:
    ///   - link: The page's connection.
    ///   - messages: Messages to send in addition to the recorder's state.
    func admit(_ link: WebSocketConnection, sending messages: [[String: JSONValue]]) {
        guard pages.count < Self.mostPages else {
            return link.close(1013, "The limit of \(Self.mostPages) open pages has been reached.")
        }
        let page = PageConnection(link)
        pages[ObjectIdentifier(page)] = page
        link.textReceived = { [unowned self, unowned page] in handle($0, from: page) }
        link.closed = { [unowned self, unowned page] in
            pages[ObjectIdentifier(page)] = nil
            subscriptionsChanged()
            notifyPreviewRoles()
        }
        for message in recorderTracker.initialMessages + messages { page.send(message) }
        subscriptionsChanged()
    }

    private func handle(_ text: String, from page: PageConnection) {
        messageReceived(MonotonicClock().now)
        // libsoup still delivers messages that it had already read before the cutoff.
        guard !page.isDisconnected else { return }
        let begin = MediaThread.cpuTimeOfCurrentThread
        dispatch(text, from: page)
        page.processorTime = page.processorTime + (MediaThread.cpuTimeOfCurrentThread - begin)
        let others = pages.values.filter { !$0.isDisconnected }
        if page.processorTime > Self.maxProcessorTime.one {
            page.disconnect()
        } else if others.reduce(.zero, { $0 + $1.processorTime }) > Self.maxProcessorTime.all {
            others.max { $0.processorTime < $1.processorTime }?.disconnect()
        }
    }

    private func dispatch(_ text: String, from page: PageConnection) {
        guard let request = PageConnection.request(text) else {
            return page.send([
                "type": "error",
                "text": "invalid message: expected a JSON object with `type`.",
            ])
        }
        switch request.type {
        case "watch": subscribe(request, page)
        case "unwatch":
            page.unsubscribe(request.stream ?? 0)
            subscriptionsChanged()
        case "seen": page.acknowledge(sequence: request.sequence ?? 0, of: request.stream ?? 0)
        case "next":
            page.previewRoles = Set(
                (request.roles ?? []).filter { recorderTracker.status.cameras.contains($0) })
            notifyPreviewRoles()
        case "hidden":
            page.isHidden = request.hidden ?? false
            if !page.isHidden, !recorderTracker.status.fields.isEmpty {
                page.send(["type": "state", "status": .object(recorderTracker.status.fields)])
            }
            subscriptionsChanged()
        case "ping":
            page.send([
                "type": "pong", "at": .number(request.at ?? 0),
                "now_ns": .integer(MonotonicClock().now.nanoseconds),
            ])
        default:
            page.send([
                "type": "error",
                "text":
                    "`type` must be `watch`, `unwatch`, `seen`, `next`, `hidden`, or `ping`.",
            ])
        }
    }

    private func notifyPreviewRoles() {
        previewRolesChanged(pages.values.reduce(into: []) { $0.formUnion($1.previewRoles) })
    }

    private func subscribe(_ request: PageConnection.Request, _ page: PageConnection) {
        let number = request.stream ?? 0
        func refuse(_ sentence: String) {
            page.send(["type": "error", "stream": .integer(Int64(number)), "text": .string(sentence)])
        }
        let status = recorderTracker.status
        let roles = request.of == "audio" ? status.microphones + ["program"] : status.cameras
        if request.of != "program", let role = request.role, !status.fields.isEmpty, !roles.contains(role) {
            return refuse("the role \(role.printable(limit: 60)) does not exist in this session.")
        }
        if let problem = page.subscribe(request, isRecording: recorderTracker.isRecording) {
            return refuse(problem)
        }
        subscriptionsChanged()
        guard let stream = page.streams[number], stream.key == .packets, stream.isNew else { return }
        for piece in streams.groupOfPictures {
            page.send(piece, of: .packets, streams.setup(of: .packets), start: status.start)
        }
    }
}

/// An open page: its WebSocket, and the streams that it watches. Used only on the web loop's thread.
final class PageConnection {
    /// A message from a page.
    struct Request: Decodable {
        var type: String
        var stream: UInt16?
        var of: String?
        var role: String?
        var width: Int?
        var rate: Int?
        var decodes: Bool?
        var sequence: UInt32?
        var at: Double?
        var roles: [String]?
        var hidden: Bool?
    }

    /// A stream as requested by the page. The source of the program's stream depends on whether the program
    /// is being recorded.
    struct Subscription {
        let key: StreamKey
        let standby: StreamKey

        func key(isRecording: Bool) -> StreamKey { isRecording ? key : standby }
    }

    let webSocket: WebSocketConnection
    private(set) var subscriptions: [UInt16: Subscription] = [:]
    private(set) var streams: [UInt16: PageStream] = [:]

    /// Roles of the cameras that the page shows in preview.
    var previewRoles: Set<String> = []

    /// Whether the page is in a hidden tab or window.
    var isHidden = false

    /// Processor time spent on the page's messages since the loop's last tick.
    var processorTime = Nanoseconds.zero
    /// Whether the page has exceeded its processor time. If so, the page's connection is being closed and its messages
    /// are ignored.
    private(set) var isDisconnected = false

    /// Maximum number of streams per page.
    private static let mostStreams = 64

    init(_ link: WebSocketConnection) { self.webSocket = link }

    /// Streams that the page currently watches.
    var keys: Set<StreamKey> { Set(streams.values.map(\.key)) }

    func send(_ message: [String: JSONValue]) { webSocket.send(WebJSON.text(message)) }

    /// Closes the connection of a page that takes too much of the loop's time.
    func disconnect() {
        isDisconnected = true
        webSocket.disconnect()
    }

    /// Parses a page's message. Returns `nil` if the message is invalid.
    static func request(_ text: String) -> Request? {
        do {
            return try JSONDecoder().decode(Request.self, from: Data(text.utf8))
        } catch {
            return nil
        }
    }

    /// Starts or changes a stream.
    ///
    /// - Returns: A sentence for the user if the stream can't be watched.
    func subscribe(_ request: Request, isRecording: Bool) -> String? {
        guard let number = request.stream, number > 0 else {
            return "`stream` must be a number from 1 to 65535."
        }
        guard subscriptions[number] != nil || subscriptions.count < Self.mostStreams else {
            return "a page can show at most \(Self.mostStreams) streams."
        }
        let (width, rate) = (request.width ?? 640, request.rate ?? 15)
        switch request.of {
        case "camera":
            guard let role = request.role else { return "`role` is missing: expected the role of a camera." }
            let key = StreamKey.frames(of: role, width: width, rate: rate)
            subscriptions[number] = Subscription(key: key, standby: key)
        case "program":
            let standby = StreamKey.frames(of: nil, width: width, rate: rate)
            subscriptions[number] = Subscription(
                key: request.decodes ?? false ? .packets : standby, standby: standby)
        case "audio":
            guard let role = request.role else {
                return "`role` is missing: expected the role of a microphone, or `program`."
            }
            subscriptions[number] = Subscription(key: .audio(role: role), standby: .audio(role: role))
        default: return "`of` must be `camera`, `program`, or `audio`."
        }
        selectStreams(isRecording: isRecording)
        return nil
    }

    func unsubscribe(_ number: UInt16) {
        subscriptions[number] = nil
        streams[number] = nil
    }

    /// Selects the source of each stream for the current phase of the session.
    func selectStreams(isRecording: Bool) {
        for (number, watch) in subscriptions {
            let key = watch.key(isRecording: isRecording)
            if streams[number]?.key != key { streams[number] = PageStream(number, key) }
        }
    }

    func acknowledge(sequence: UInt32, of number: UInt16) { streams[number]?.acknowledge(sequence: sequence) }

    /// Sends a piece to the page's streams with this key.
    func send(_ piece: StreamPiece, of key: StreamKey, _ setup: StreamSetup?, start: Int64?) {
        for number in streams.keys where streams[number]?.key == key {
            guard let messages = streams[number]?.messages(for: piece, setup, start: start) else { continue }
            if let text = messages.setup { webSocket.send(text) }
            messages.bytes.withUnsafeBytes { webSocket.send($0) }
        }
    }
}
