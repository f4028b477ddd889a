internal import FoundationEssentials
internal import Media
internal import SessionFolder

/// One page that is open: its WebSocket, and the streams that it watches. Belongs to the thread of the web loop.
final class PageLink {
    /// What a page says.
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

    /// A stream as the page asked for it. Of the program, what comes depends on whether it is recorded.
    struct Watch {
        let key: StreamKey
        let standby: StreamKey

        func key(isRecording: Bool) -> StreamKey { isRecording ? key : standby }
    }

    let link: WebSocketLink
    private(set) var watches: [UInt16: Watch] = [:]
    private(set) var streams: [UInt16: PageStream] = [:]

    /// Roles of cameras that the page shows as next.
    var next: Set<String> = []

    /// Processor time that it took since the loop's last tick to read and answer what the page says.
    var taken = Nanoseconds.zero
    /// Whether it has said too much: its connection ends, and nothing of it is read any more.
    private(set) var isCutOff = false

    /// Most streams of a page.
    private static let mostStreams = 64

    init(_ link: WebSocketLink) { self.link = link }

    /// The keys that the page wants now.
    var keys: Set<StreamKey> { Set(streams.values.map(\.key)) }

    func say(_ message: [String: JSONValue]) { link.send(WebJSON.text(message)) }

    /// Ends the connection of a page that says more than the loop has time for.
    func cutOff() {
        isCutOff = true
        link.disconnect()
    }

    /// Reads a message of the page; `nil` when it is not understood.
    static func request(_ text: String) -> Request? {
        do {
            return try JSONDecoder().decode(Request.self, from: Data(text.utf8))
        } catch {
            return nil
        }
    }

    /// Starts or changes a stream.
    ///
    /// - Returns: A sentence when it cannot be watched.
    func watch(_ request: Request, isRecording: Bool) -> String? {
        guard let number = request.stream, number > 0 else { return "`stream` is a number from 1 to 65535." }
        guard watches[number] != nil || watches.count < Self.mostStreams else {
            return "a page watches at most \(Self.mostStreams) streams."
        }
        let (width, rate) = (request.width ?? 640, request.rate ?? 15)
        switch request.of {
        case "camera":
            guard let role = request.role else { return "`role` is missing: a camera's." }
            let key = StreamKey.frames(of: role, width: width, rate: rate)
            watches[number] = Watch(key: key, standby: key)
        case "program":
            let standby = StreamKey.frames(of: nil, width: width, rate: rate)
            watches[number] = Watch(key: request.decodes ?? false ? .packets : standby, standby: standby)
        case "audio":
            guard let role = request.role else { return "`role` is missing: a microphone's, or program." }
            watches[number] = Watch(key: .audio(role: role), standby: .audio(role: role))
        default: return "`of` is camera, program or audio."
        }
        choose(isRecording: isRecording)
        return nil
    }

    func unwatch(_ number: UInt16) {
        watches[number] = nil
        streams[number] = nil
    }

    /// Takes of each stream what the phase of the session has.
    func choose(isRecording: Bool) {
        for (number, watch) in watches {
            let key = watch.key(isRecording: isRecording)
            if streams[number]?.key != key { streams[number] = PageStream(number, key) }
        }
    }

    func note(seen sequence: UInt32, of number: UInt16) { streams[number]?.note(seen: sequence) }

    /// Sends a piece to the streams that want it.
    func send(_ piece: StreamPiece, of key: StreamKey, _ setup: StreamSetup?, start: Int64?) {
        for number in streams.keys where streams[number]?.key == key {
            guard let messages = streams[number]?.messages(for: piece, setup, start: start) else { continue }
            if let text = messages.setup { link.send(text) }
            messages.bytes.withUnsafeBytes { link.send($0) }
        }
    }
}
