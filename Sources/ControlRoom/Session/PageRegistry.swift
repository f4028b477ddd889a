internal import FoundationEssentials
internal import Media
internal import SessionFolder

/// Registry of the open pages. Handles the pages' messages and sends updates to the pages. Used only on the web loop's
/// thread.
final class PageRegistry {
    private let board: RecorderTracker
    private let streams: StreamRegistry
    private var pages: [ObjectIdentifier: PageLink] = [:]
    /// Called when the set of watched streams may have changed.
    var changed: () -> Void = {}
    /// Called when the cameras that pages show in preview may have changed, with the roles of all of them.
    var changedNext: (Set<String>) -> Void = { _ in }
    /// Called when a page's message is read, with the current time.
    var works: (ClockTime) -> Void = { _ in }

    private static let mostPages = 64
    /// Maximum processor time for handling messages between two ticks of the loop, for one page and for all pages.
    /// Without this limit, a flooded loop would miss its ticks and be considered hung.
    private static let mostTime = (one: Nanoseconds.milliseconds(50), all: Nanoseconds.milliseconds(150))

    init(_ board: RecorderTracker, _ streams: StreamRegistry) {
        (self.board, self.streams) = (board, streams)
    }

    var isEmpty: Bool { pages.isEmpty }

    /// Streams that pages currently watch.
    var keys: Set<StreamKey> { pages.values.reduce(into: []) { $0.formUnion($1.keys) } }

    // MARK: Outgoing messages

    /// Sends a message to all pages.
    func tell(_ message: [String: JSONValue]) {
        guard !pages.isEmpty else { return }
        let text = WebJSON.text(message)
        for page in pages.values { page.link.send(text) }
    }

    /// Notifies the pages that watch a stream why the stream isn't available.
    func tell(_ sentence: String, of key: StreamKey) {
        for page in pages.values {
            for stream in page.streams.values where stream.key == key {
                page.say([
                    "type": "error", "stream": .integer(Int64(stream.number)),
                    "text": .string(sentence.printable(limit: 400)),
                ])
            }
        }
    }

    /// Sends a piece of a stream to the pages that watch this stream.
    func send(_ piece: StreamPiece, of key: StreamKey) {
        for page in pages.values {
            page.send(piece, of: key, piece.setup ?? streams.setup(of: key), start: board.status.start)
        }
    }

    /// Closes the connections of pages that no longer read, and resets the processor time of all pages. Call
    /// this function about once per second.
    func endStalled(at now: ClockTime) {
        for page in pages.values {
            page.taken = .zero
            page.link.endIfStalled(at: now)
        }
    }

    /// Selects the streams for the current phase of the session. The program's source changes when a
    /// recording starts or ends.
    func choose() { for page in pages.values { page.choose(isRecording: board.isRecording) } }

    // MARK: Incoming messages

    /// Accepts the connection of a page that is opening.
    ///
    /// - Parameters:
    ///   - link: The page's connection.
    ///   - messages: Messages to send in addition to the recorder's state.
    func admit(_ link: WebSocketLink, telling messages: [[String: JSONValue]]) {
        guard pages.count < Self.mostPages else {
            return link.close(1013, "The limit of \(Self.mostPages) open pages has been reached.")
        }
        let page = PageLink(link)
        pages[ObjectIdentifier(page)] = page
        link.received = { [unowned self, unowned page] in take($0, from: page) }
        link.closed = { [unowned self, unowned page] in
            pages[ObjectIdentifier(page)] = nil
            changed()
            tellNext()
        }
        for message in board.greeting + messages { page.say(message) }
        changed()
    }

    private func take(_ text: String, from page: PageLink) {
        works(MonotonicClock().now)
        // libsoup still delivers messages that it had already read before the cutoff.
        guard !page.isCutOff else { return }
        let begin = MediaThread.cpuTimeOfCurrentThread
        answer(text, from: page)
        page.taken = page.taken + (MediaThread.cpuTimeOfCurrentThread - begin)
        let others = pages.values.filter { !$0.isCutOff }
        if page.taken > Self.mostTime.one {
            page.cutOff()
        } else if others.reduce(.zero, { $0 + $1.taken }) > Self.mostTime.all {
            others.max { $0.taken < $1.taken }?.cutOff()
        }
    }

    private func answer(_ text: String, from page: PageLink) {
        guard let request = PageLink.request(text) else {
            return page.say([
                "type": "error",
                "text": "invalid message: expected a JSON object with `type`.",
            ])
        }
        switch request.type {
        case "watch": watch(request, page)
        case "unwatch":
            page.unwatch(request.stream ?? 0)
            changed()
        case "seen": page.note(seen: request.sequence ?? 0, of: request.stream ?? 0)
        case "next":
            page.next = Set((request.roles ?? []).filter { board.status.cameras.contains($0) })
            tellNext()
        case "ping":
            page.say([
                "type": "pong", "at": .number(request.at ?? 0),
                "now_ns": .integer(MonotonicClock().now.nanoseconds),
            ])
        default:
            page.say([
                "type": "error", "text": "`type` must be `watch`, `unwatch`, `seen`, `next`, or `ping`.",
            ])
        }
    }

    private func tellNext() { changedNext(pages.values.reduce(into: []) { $0.formUnion($1.next) }) }

    private func watch(_ request: PageLink.Request, _ page: PageLink) {
        let number = request.stream ?? 0
        func refuse(_ sentence: String) {
            page.say(["type": "error", "stream": .integer(Int64(number)), "text": .string(sentence)])
        }
        let status = board.status
        let roles = request.of == "audio" ? status.microphones + ["program"] : status.cameras
        if request.of != "program", let role = request.role, !status.fields.isEmpty, !roles.contains(role) {
            return refuse("the role \(role.printable(limit: 60)) does not exist in this session.")
        }
        if let problem = page.watch(request, isRecording: board.isRecording) { return refuse(problem) }
        changed()
        guard let stream = page.streams[number], stream.key == .packets, stream.isNew else { return }
        for piece in streams.group {
            page.send(piece, of: .packets, streams.setup(of: .packets), start: status.start)
        }
    }
}

/// An open page: its WebSocket, and the streams that it watches. Used only on the web loop's thread.
final class PageLink {
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
    }

    /// A stream as requested by the page. The source of the program's stream depends on whether the program
    /// is being recorded.
    struct Watch {
        let key: StreamKey
        let standby: StreamKey

        func key(isRecording: Bool) -> StreamKey { isRecording ? key : standby }
    }

    let link: WebSocketLink
    private(set) var watches: [UInt16: Watch] = [:]
    private(set) var streams: [UInt16: PageStream] = [:]

    /// Roles of the cameras that the page shows in preview.
    var next: Set<String> = []

    /// Processor time spent on the page's messages since the loop's last tick.
    var taken = Nanoseconds.zero
    /// Whether the page has exceeded its processor time. If so, the page's connection is being closed and its messages
    /// are ignored.
    private(set) var isCutOff = false

    /// Maximum number of streams per page.
    private static let mostStreams = 64

    init(_ link: WebSocketLink) { self.link = link }

    /// Streams that the page currently watches.
    var keys: Set<StreamKey> { Set(streams.values.map(\.key)) }

    func say(_ message: [String: JSONValue]) { link.send(WebJSON.text(message)) }

    /// Closes the connection of a page that takes too much of the loop's time.
    func cutOff() {
        isCutOff = true
        link.disconnect()
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
    func watch(_ request: Request, isRecording: Bool) -> String? {
        guard let number = request.stream, number > 0 else {
            return "`stream` must be a number from 1 to 65535."
        }
        guard watches[number] != nil || watches.count < Self.mostStreams else {
            return "a page can show at most \(Self.mostStreams) streams."
        }
        let (width, rate) = (request.width ?? 640, request.rate ?? 15)
        switch request.of {
        case "camera":
            guard let role = request.role else { return "`role` is missing: expected the role of a camera." }
            let key = StreamKey.frames(of: role, width: width, rate: rate)
            watches[number] = Watch(key: key, standby: key)
        case "program":
            let standby = StreamKey.frames(of: nil, width: width, rate: rate)
            watches[number] = Watch(key: request.decodes ?? false ? .packets : standby, standby: standby)
        case "audio":
            guard let role = request.role else {
                return "`role` is missing: expected the role of a microphone, or `program`."
            }
            watches[number] = Watch(key: .audio(role: role), standby: .audio(role: role))
        default: return "`of` must be `camera`, `program`, or `audio`."
        }
        choose(isRecording: isRecording)
        return nil
    }

    func unwatch(_ number: UInt16) {
        watches[number] = nil
        streams[number] = nil
    }

    /// Selects the source of each stream for the current phase of the session.
    func choose(isRecording: Bool) {
        for (number, watch) in watches {
            let key = watch.key(isRecording: isRecording)
            if streams[number]?.key != key { streams[number] = PageStream(number, key) }
        }
    }

    func note(seen sequence: UInt32, of number: UInt16) { streams[number]?.note(seen: sequence) }

    /// Sends a piece to the page's streams with this key.
    func send(_ piece: StreamPiece, of key: StreamKey, _ setup: StreamSetup?, start: Int64?) {
        for number in streams.keys where streams[number]?.key == key {
            guard let messages = streams[number]?.messages(for: piece, setup, start: start) else { continue }
            if let text = messages.setup { link.send(text) }
            messages.bytes.withUnsafeBytes { link.send($0) }
        }
    }
}
