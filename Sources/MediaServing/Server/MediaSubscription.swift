internal import Control
internal import FoundationEssentials
internal import Inputs
internal import Media
internal import MediaLink
internal import Plan
internal import Session
internal import SessionFolder

/// One thing that a process wants: gives it to the connection as it comes. Where the process does not read, its thread waits, and
/// what comes meanwhile is dropped and counted.
final class MediaSubscription: Sendable {
    private enum Source: Sendable {
        case frames(FrameTap)
        case audio(AudioTap)
        case packets(PacketTap)
    }

    private enum Line: Sendable {
        case event(String)
        case history([String])
    }

    private enum Telling: Sendable {
        /// The events so far are to come first; these have happened meanwhile.
        case later([(line: String, number: Int)])
        /// Events after that number.
        case since(Int)
    }

    let id: Int
    private let outlet: MediaOutlet
    private let state: ConditionLock<(wish: MediaWish, source: Source?)>
    private let status: MediaServer.StatusSource
    /// Lines of events that wait; `nil` where none are wanted.
    private let lines: BoundedQueue<Line>?
    private let lostLines = ConditionLock(0)
    private let telling: ConditionLock<Telling>
    private let ended = Cancellation()

    /// Most events that wait for a process that does not read.
    private static let mostLines = 1000
    private static let statusInterval = Nanoseconds.milliseconds(100)

    /// Creates a subscription, which has no session yet.
    ///
    /// - Parameters:
    ///   - id: The process's number of it.
    ///   - wish: What it wants.
    ///   - connection: Where to send it.
    ///   - status: Says how the session goes.
    init(
        _ id: Int, _ wish: MediaWish, _ connection: MediaConnection,
        status: @escaping MediaServer.StatusSource
    ) {
        self.status = status
        self.id = id
        outlet = MediaOutlet(connection)
        state = ConditionLock((wish, nil))
        switch wish {
        case .events(let history):
            lines = BoundedQueue(capacity: Self.mostLines)
            telling = ConditionLock(history ? .later([]) : .since(0))
        case .status, .packets, .audio, .frames:
            lines = nil
            telling = ConditionLock(.since(0))
        }
        switch wish {
        case .events: startEvents()
        case .status: startStatus()
        case .packets, .audio, .frames: break
        }
    }

    var wish: MediaWish { state.withLock { $0.wish } }

    /// Number of threads that send what it was given. They may outlive it while the process does not read.
    var sendingCount: Int { outlet.sendingCount }

    /// Changes what is wanted of the frames of the same role.
    ///
    /// - Returns: `false` when something else is wanted now.
    func change(to wish: MediaWish) -> Bool {
        state.withLock { state in
            guard case .frames(let role, let request, let isPreview) = wish,
                case .frames(role, _, isPreview) = state.wish, case .frames(let tap)? = state.source
            else { return false }
            state.wish = wish
            tap.request = request
            return true
        }
    }

    // MARK: Sessions

    /// Takes what is wanted from a session.
    ///
    /// - Throws: `SessionChangeError` when the session does not have it.
    func attach(to session: MulticamSession?) throws(SessionChangeError) {
        guard let session else { return }
        let source: Source
        switch wish {
        case .status, .events: return
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

    /// Leaves a session.
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
        case nil: break
        }
    }

    /// Ends the subscription's own threads; nothing more is sent.
    func end() {
        outlet.close()
        ended.cancel()
        lines?.finish()
    }

    // MARK: Lines

    /// Tells the events so far, where they are wanted; to be called once, when other threads tell those that follow.
    func begin(with history: EventHistory) {
        guard let lines else { return }
        telling.withLock { telling in
            guard case .later(let waiting) = telling else { return }
            let (before, last) = history.soFar()
            _ = lines.offer(.history(before))
            for event in waiting where event.number > last { _ = lines.offer(.event(event.line)) }
            telling = .since(max(last, waiting.last?.number ?? 0))
        }
    }

    /// Tells an event, unless it was among those so far.
    func tell(event line: String, _ number: Int) {
        guard let lines else { return }
        let isLost = telling.withLock { telling in
            switch telling {
            case .later(let waiting):
                telling = .later(waiting + [(line, number)])
                return false
            case .since(let last): return number > last && !lines.offer(.event(line))
            }
        }
        if isLost { lostLines.withLock { $0 += 1 } }
    }

    private func startEvents() {
        guard let lines else { return }
        _ = MediaThread(name: "media:events") { [id, outlet, lostLines] in
            while let line = lines.next() {
                let isSent: Bool
                switch line {
                case .event(let text):
                    let lost = lostLines.withLock { $0 }
                    isSent = outlet.send(
                        #"{"type":"event","id":\#(id),"lost":\#(lost),"event":\#(text)}"#)
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
        _ = MediaThread(name: "media:status") { [self] in
            let clock = MonotonicClock()
            repeat {
                guard let status = status() else { continue }
                // A header has no room for many long marks and scenes.
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
            // The program's frames, audio and packets are on the session clock, and cameras' frames have the driver's stamps.
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
        dropped.follow { [weak tap] in tap?.droppedCount ?? 0 }
        return tap
    }

    private func makeAudioTap(_ role: String) -> AudioTap {
        let dropped = DroppedCount()
        let tap = AudioTap(role: role, capacity: 50, mayStall: true) { [id, outlet] slice in
            let bytes = slice.samples.withUnsafeBytes { SharedBytes(copying: $0) }
            _ = outlet.send(
                #"{"type":"audio","id":\#(id),"first_sample":\#(slice.firstSample),"at_ns":\#(slice.capturedAt.nanoseconds),"channels":\#(slice.channels),"sample_rate":48000,"lost":\#(dropped.value)}"#,
                bytes)
        }
        dropped.follow { [weak tap] in tap?.droppedCount ?? 0 }
        return tap
    }

    private func makePacketTap(includesStandby: Bool) -> PacketTap {
        let dropped = DroppedCount()
        // The setup of each stream goes with its first packet only.
        let known = Known()
        let tap = PacketTap(capacity: 400, includesStandby: includesStandby, mayStall: true) {
            [id, outlet] packet in
            let isNew = known.isNew(packet)
            _ = outlet.send(
                Self.header(of: packet, id: id, lost: dropped.value, withSetup: isNew), packet.bytes)
        }
        dropped.follow { [weak tap] in tap?.droppedCount ?? 0 }
        return tap
    }

    /// Remembers the setup that was sent of each stream.
    private final class Known: Sendable {
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

    // MARK: Headers, written by hand since they are many

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
