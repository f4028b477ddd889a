internal import FoundationEssentials
internal import MulticamControl
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamMediaLink
internal import MulticamPlan
internal import MulticamSession
internal import MulticamSessionFolder

/// A process's subscription, which sends new data to the process's connection. If the process isn't reading,
/// the subscription's thread waits, and new data is dropped and counted.
final class MediaSubscription: Sendable {
    private enum Source: Sendable {
        case frames(FrameTap)
        case audio(AudioTap)
        case packets(PacketTap)
        /// The number of an analysis listener.
        case metadata(Int)
    }

    private enum Line: Sendable {
        case event(String)
        case history([String])
        /// A complete message header.
        case metadata(String)
    }

    private enum Delivery: Sendable {
        /// The event history must be sent first. The associated value lists the events that have occurred in
        /// the meantime.
        case buffering([(line: String, number: Int)])
        /// The event history has been sent. Events with numbers above the associated value are sent as they
        /// occur.
        case after(Int)
    }

    let id: Int
    private let outlet: MediaOutlet
    private let state: ConditionLock<(media: RequestedMedia, source: Source?)>
    private let status: MediaServer.StatusSource
    /// Events, as lines of text, that are waiting to be sent; `nil` if the subscription isn't for events.
    private let lines: BoundedQueue<Line>?
    private let lostLines = ConditionLock(0)
    private let delivery: ConditionLock<Delivery>
    private let ended = Cancellation()

    /// Maximum number of events waiting for a process that isn't reading.
    private static let mostLines = 1000
    private static let statusInterval = Nanoseconds.milliseconds(100)

    /// Creates a subscription without a session.
    ///
    /// - Parameters:
    ///   - id: The process's ID for the subscription.
    ///   - media: The requested data.
    ///   - connection: The connection to send to.
    ///   - status: Returns the status of the session.
    init(
        _ id: Int, _ media: RequestedMedia, _ connection: MediaConnection,
        status: @escaping MediaServer.StatusSource
    ) {
        self.status = status
        self.id = id
        outlet = MediaOutlet(connection)
        state = ConditionLock((media, nil))
        switch media {
        case .events(let history):
            lines = BoundedQueue(capacity: Self.mostLines)
            delivery = ConditionLock(history ? .buffering([]) : .after(0))
        case .metadata:
            lines = BoundedQueue(capacity: Self.mostLines)
            delivery = ConditionLock(.after(0))
        case .status, .packets, .audio, .frames:
            lines = nil
            delivery = ConditionLock(.after(0))
        }
        switch media {
        case .events, .metadata: startEvents()
        case .status: startStatus()
        case .packets, .audio, .frames: break
        }
    }

    var requestedMedia: RequestedMedia { state.withLock { $0.media } }

    /// Number of threads that are sending data. While the process isn't reading, these threads may outlive
    /// the subscription.
    var sendingCount: Int { outlet.sendingCount }

    /// Replaces the request with another request for frames from the same role.
    ///
    /// - Returns: `false` if the new request is for another role or another kind of data.
    func change(to media: RequestedMedia) -> Bool {
        state.withLock { state in
            guard case .frames(let role, let request, let isPreview) = media,
                case .frames(role, _, isPreview) = state.media, case .frames(let tap)? = state.source
            else { return false }
            state.media = media
            tap.request = request
            return true
        }
    }

    // MARK: Sessions

    /// Attaches the subscription to a session.
    ///
    /// - Throws: `SessionChangeError` if the session doesn't have the requested data.
    func attach(to session: MulticamSession?) throws(SessionChangeError) {
        guard let session else { return }
        let source: Source
        switch requestedMedia {
        case .status, .events: return
        case .metadata(let role):
            guard session.currentPlan.cameras.contains(where: { $0.role == role }) else {
                throw SessionChangeError(.notFound, "camera \(role.printable()) not found.")
            }
            source = .metadata(session.addAnalysisListener(makeAnalysisListener(role)))
        case .packets(let includesStandby):
            let tap = makePacketTap(includesStandby: includesStandby)
            try session.attach(tap)
            source = .packets(tap)
        case .audio(let role):
            let tap = makeAudioTap(role)
            try session.attach(tap)
            source = .audio(tap)
        case .frames(let role, let request, let isPreview):
            let tap = makeFrameTap(role, request, isPreview, of: session)
            try session.attach(tap)
            source = .frames(tap)
        }
        state.withLock { $0.source = source }
    }

    /// Detaches the subscription from a session.
    func detach(from session: MulticamSession?) {
        let source = state.withLock { state in
            defer { state.source = nil }
            return state.source
        }
        guard let session else { return }
        switch source {
        case .frames(let tap): session.detach(tap)
        case .audio(let tap): session.detach(tap)
        case .packets(let tap): session.detach(tap)
        case .metadata(let number): session.removeAnalysisListener(number)
        case nil: break
        }
    }

    /// Ends the subscription's threads. No more data is sent.
    func end() {
        outlet.close()
        ended.cancel()
        lines?.finish()
    }

    // MARK: Text messages

    /// Sends the event history, if requested. Call this method only once, after other threads have started to
    /// call `send` with new events.
    func begin(with history: EventHistory) {
        guard let lines, case .events = requestedMedia else { return }
        delivery.withLock { telling in
            guard case .buffering(let waiting) = telling else { return }
            let (before, last) = history.snapshot()
            _ = lines.tryEnqueue(.history(before))
            for event in waiting where event.number > last { _ = lines.tryEnqueue(.event(event.line)) }
            telling = .after(max(last, waiting.last?.number ?? 0))
        }
    }

    /// Sends an event, unless the event was already sent as part of the history.
    func send(event line: String, _ number: Int) {
        guard let lines, case .events = requestedMedia else { return }
        let isLost = delivery.withLock { telling in
            switch telling {
            case .buffering(let waiting):
                telling = .buffering(waiting + [(line, number)])
                return false
            case .after(let last): return number > last && !lines.tryEnqueue(.event(line))
            }
        }
        if isLost { lostLines.withLock { $0 += 1 } }
    }

    private func startEvents() {
        guard let lines else { return }
        MediaThread.startWhenPossible(name: "media:events") { [id, outlet, lostLines] in
            while let line = lines.dequeue() {
                let isSent: Bool
                switch line {
                case .event(let text):
                    let lost = lostLines.withLock { $0 }
                    isSent = outlet.send(
                        #"{"type":"event","id":\#(id),"lost":\#(lost),"event":\#(text)}"#)
                case .metadata(let header): isSent = outlet.send(header)
                case .history(let lines):
                    let text = Array(lines.joined(separator: "\n").utf8)
                    isSent = outlet.send(
                        #"{"type":"events","id":\#(id)}"#, text.withUnsafeBytes { SharedBytes(copying: $0) })
                }
                guard isSent else { return }
            }
        }
    }

    private func startStatus() {
        MediaThread.startWhenPossible(name: "media:status") { [self] in
            let clock = MonotonicClock()
            repeat {
                guard let status = status() else { continue }
                // The status is sent as data after the header, because a header couldn't hold many long
                // markers and scenes.
                let text = Array(JSONText.line(status).utf8)
                let bytes = text.withUnsafeBytes { SharedBytes(copying: $0) }
                guard outlet.send(#"{"type":"status","id":\#(id)}"#, bytes) else { return }
            } while clock.sleep(until: clock.now + Self.statusInterval, unless: ended)
        }
    }

    // MARK: Taps

    private func makeFrameTap(
        _ role: String, _ request: FrameRequest, _ isPreview: Bool, of session: MulticamSession
    ) -> FrameTap {
        let dropped = DroppedCount()
        let tap = FrameTap(
            role: role, request, isPreview: isPreview, capacity: 3, mayStall: true
        ) { [id, outlet, weak session] frame in
            // The program's frames, audio, and packets use the session clock. Cameras' frames carry the
            // driver's timestamps.
            let time =
                role == SessionPlan.programOwner
                ? frame.capturedAt : session?.time(stamped: frame.capturedAt) ?? frame.capturedAt
            let header = Self.header(of: frame, at: time, id: id, lost: dropped.value)
            if frame.pixel.isCompressed {
                _ = outlet.send(header, frame.memory)
            } else {
                _ = outlet.send(header, inMemory: frame.memory)
            }
        }
        dropped.setSource { [weak tap] in tap?.droppedCount ?? 0 }
        return tap
    }

    private func makeAnalysisListener(_ role: String) -> AnalysisListener {
        AnalysisListener { [id, lines, lostLines] received in
            guard received.role == role else { return }
            var header = MediaHeader("metadata", id: id)
            (header.role, header.at_ns) = (role, received.capturedAt.nanoseconds)
            (header.sequence, header.stamp_ns) = (received.sequence, received.stamp.nanoseconds)
            header.analysis = received.analysis
            header.lost = lostLines.withLock { $0 }
            if lines?.tryEnqueue(.metadata(JSONText.line(header))) == false { lostLines.withLock { $0 += 1 } }
        }
    }

    private func makeAudioTap(_ role: String) -> AudioTap {
        let dropped = DroppedCount()
        let tap = AudioTap(role: role, capacity: 50, mayStall: true) { [id, outlet] slice in
            let bytes = slice.samples.withUnsafeBytes { SharedBytes(copying: $0) }
            _ = outlet.send(
                #"{"type":"audio","id":\#(id),"first_sample":\#(slice.firstSample),"at_ns":\#(slice.capturedAt.nanoseconds),"channels":\#(slice.channels),"sample_rate":48000,"lost":\#(dropped.value)}"#,
                bytes)
        }
        dropped.setSource { [weak tap] in tap?.droppedCount ?? 0 }
        return tap
    }

    private func makePacketTap(includesStandby: Bool) -> PacketTap {
        let dropped = DroppedCount()
        // The setup data of a stream is sent only with the stream's first packet.
        let known = KnownStreams()
        let tap = PacketTap(capacity: 400, includesStandby: includesStandby, mayStall: true) {
            [id, outlet] packet in
            let isNew = known.isNew(packet)
            _ = outlet.send(
                Self.header(of: packet, id: id, lost: dropped.value, withSetup: isNew), packet.bytes)
        }
        dropped.setSource { [weak tap] in tap?.droppedCount ?? 0 }
        return tap
    }

    /// The setup data that was last sent for each stream.
    private final class KnownStreams: Sendable {
        private struct Stream: Equatable {
            var setup: [UInt8]
            var start: ClockTime
        }

        private let streams = ConditionLock<[Bool: Stream]>([:])

        func isNew(_ packet: PacketTap.Packet) -> Bool {
            streams.withLock { streams in
                let stream = Stream(setup: packet.parameters.setup, start: packet.start)
                defer { streams[packet.isVideo] = stream }
                return streams[packet.isVideo] != stream
            }
        }
    }

    // MARK: Headers (formatted by hand for speed)

    private static func header(of frame: CapturedFrame, at time: ClockTime, id: Int, lost: Int) -> String {
        var text =
            #"{"type":"frame","id":\#(id),"pixel":"\#(frame.pixel.rawValue)","width":\#(frame.size.width),"height":\#(frame.size.height),"#
            + #""at_ns":\#(time.nanoseconds),"sequence":\#(frame.sequence),"key":\#(frame.isKey),"#
            + #""matrix":"\#(frame.color.matrix.rawValue)","range":"\#(frame.color.range.rawValue)","lost":\#(lost)"#
        if !frame.pixel.isCompressed {
            let planes = frame.planes.map { "[\($0.offset),\($0.stride)]" }.joined(separator: ",")
            text += #","planes":[\#(planes)],"memory":\#(frame.memory.count)"#
        }
        return text + "}"
    }

    private static func header(
        of packet: PacketTap.Packet, id: Int, lost: Int, withSetup: Bool
    ) -> String {
        let parameters = packet.parameters
        var text =
            #"{"type":"packet","id":\#(id),"codec":"\#(parameters.codec.rawValue)","at_ns":\#(packet.presentedAt.nanoseconds),"#
            + #""decode_ns":\#(packet.decodedAt.nanoseconds),"duration_ns":\#(packet.duration.count),"key":\#(packet.isKey),"lost":\#(lost)"#
        if withSetup {
            text +=
                #","t0_ns":\#(packet.start.nanoseconds),"setup":"\#(Data(parameters.setup).base64EncodedString())","time_scale":\#(parameters.timeScale)"#
            if let size = parameters.size { text += #","width":\#(size.width),"height":\#(size.height)"# }
            if let rate = parameters.rate { text += #","rate":"\#(rate)""# }
            if let audio = parameters.audio {
                text +=
                    #","sample_rate":\#(audio.rate),"channels":\#(audio.channels),"priming":\#(parameters.priming)"#
            }
        }
        return text + "}"
    }
}

/// Destination of one subscription's messages. Messages are sent to the subscription's connection until the
/// subscription ends. Thread-safe.
final class MediaOutlet: Sendable {
    private struct State {
        var isClosed = false
        var sending = 0
    }

    private let connection: MediaConnection
    private let state = ConditionLock(State())

    init(_ connection: MediaConnection) { self.connection = connection }

    /// Number of threads that are sending messages. While the process isn't reading, these threads wait, even
    /// after `close`.
    var sendingCount: Int { state.withLock { $0.sending } }

    /// Drops all further messages instead of sending them.
    func close() { state.withLock { $0.isClosed = true } }

    /// Sends a message. Blocks the calling thread while the process isn't reading.
    ///
    /// - Parameters:
    ///   - header: A JSON object.
    ///   - bytes: The data that follows the header, or `nil`.
    /// - Returns: `false` if the connection or the subscription has ended.
    func send(_ header: String, _ bytes: SharedBytes? = nil) -> Bool {
        counted { connection.send(header, bytes) }
    }

    /// Sends a message whose data is in shared memory. Blocks the calling thread until the process has read
    /// all earlier data.
    ///
    /// - Parameters:
    ///   - header: A JSON object with a `memory` field.
    ///   - bytes: Content of the shared memory.
    /// - Returns: `false` if the connection or the subscription has ended, or if the memory can't be created.
    func send(_ header: String, inMemory bytes: SharedBytes) -> Bool {
        counted { connection.send(header, inMemory: bytes) }
    }

    private func counted(_ send: () -> Bool) -> Bool {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.sending += 1 }
            return !state.isClosed
        }
        guard isOpen else { return false }
        defer { state.withLock { $0.sending -= 1 } }
        return send()
    }
}

/// Number of items that a tap has dropped. The tap's handler uses this object because the handler must not
/// retain the tap. Thread-safe.
final class DroppedCount: Sendable {
    /// The struct is necessary because a closure that is stored directly in a generic lock is wrapped again
    /// on each access, until the stack overflows.
    private struct Source {
        let count: @Sendable () -> Int
    }

    private let source = ConditionLock<Source?>(nil)

    /// Sets the function that returns the count.
    func setSource(_ count: @escaping @Sendable () -> Int) { source.withLock { $0 = Source(count: count) } }

    /// The current count; 0 if no function has been set.
    var value: Int { source.withLock { $0 }?.count() ?? 0 }
}
