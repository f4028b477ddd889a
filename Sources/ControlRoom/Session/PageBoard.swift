internal import Media
internal import SessionFolder

/// The pages that are open: what they say, and what they are told. Belongs to the thread of the web loop.
final class PageBoard {
    private let board: RecorderBoard
    private let streams: StreamBoard
    private var pages: [ObjectIdentifier: PageLink] = [:]
    /// Called when pages watch something else than before.
    var changed: () -> Void = {}
    /// Called when pages show other cameras as next, with the roles of all.
    var changedNext: (Set<String>) -> Void = { _ in }
    /// Called when something of a page is read, with the present instant.
    var works: (ClockTime) -> Void = { _ in }

    private static let mostPages = 64
    /// Most processor time that what pages say may take from one tick of the loop to the next: of one page, and of all. A loop that has no
    /// time for its own tick would be taken for one that hangs.
    private static let mostTime = (one: Nanoseconds.milliseconds(50), all: Nanoseconds.milliseconds(150))

    init(_ board: RecorderBoard, _ streams: StreamBoard) { (self.board, self.streams) = (board, streams) }

    var isEmpty: Bool { pages.isEmpty }

    /// What pages watch now.
    var keys: Set<StreamKey> { pages.values.reduce(into: []) { $0.formUnion($1.keys) } }

    // MARK: What they are told

    /// Tells all pages something.
    func tell(_ message: [String: JSONValue]) {
        guard !pages.isEmpty else { return }
        let text = WebJSON.text(message)
        for page in pages.values { page.link.send(text) }
    }

    /// Tells those who watch a stream why it does not come.
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

    /// Sends a piece to those who watch its stream.
    func send(_ piece: StreamPiece, of key: StreamKey) {
        for page in pages.values {
            page.send(piece, of: key, piece.setup ?? streams.setup(of: key), start: board.status.start)
        }
    }

    /// Ends the connections of pages that read nothing any more, and gives all new time to say something. Called every second or so.
    func endStalled(at now: ClockTime) {
        for page in pages.values {
            page.taken = .zero
            page.link.endIfStalled(at: now)
        }
    }

    /// The recording has begun or ended: of the program something else comes.
    func choose() { for page in pages.values { page.choose(isRecording: board.isRecording) } }

    // MARK: What they say

    /// Takes a page that opens.
    ///
    /// - Parameters:
    ///   - link: The connection to it.
    ///   - messages: What it is told beside the recorder's state.
    func admit(_ link: WebSocketLink, telling messages: [[String: JSONValue]]) {
        guard pages.count < Self.mostPages else {
            return link.close(1013, "\(Self.mostPages) pages are open already, which is the most.")
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
        // libsoup goes on with what it has read of a page that was cut off.
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
                "text": "the message is not understood: expected an object of JSON with `type`.",
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
            page.say(["type": "error", "text": "`type` is watch, unwatch, seen, next or ping."])
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
            return refuse("there is no \(role.printable(limit: 60)) in this session.")
        }
        if let problem = page.watch(request, isRecording: board.isRecording) { return refuse(problem) }
        changed()
        guard let stream = page.streams[number], stream.key == .packets, stream.isNew else { return }
        for piece in streams.group {
            page.send(piece, of: .packets, streams.setup(of: .packets), start: status.start)
        }
    }
}
