internal import MulticamInputs
package import MulticamMedia

/// Sends one live output. The sender has one thread, a bounded queue, and one connection at a time. Safe to
/// use from any thread.
///
/// Adding an item to the queue never blocks. The sender's thread connects, sends items, and waits before it
/// reconnects.
final class LiveOutputSender: Sendable {
    private struct State {
        var backlog: PublishedBacklog
        /// Parameters of each stream that has been received so far.
        var streams = PublishedStreams()
        /// Arrival time of the first item that can start a connection.
        var since: ClockTime?
        var isConnected = false
        var isClosed = false
        var report: LiveReport
        /// Number of frames dropped before they reached this queue.
        var missed: Int64 = 0
        var problem: String?
        var statistics = ConnectionStatistics()
        /// Statistics and number of dropped frames at the start of the current one-second interval.
        var before = (statistics: ConnectionStatistics(), dropped: Int64(0))
        var policy: LiveRatePolicy?
    }

    let liveOutput: RequestedOutput
    private let connection: any LiveOutputConnection.Type
    private let state: ConditionLock<State>
    private let cancellation = Cancellation()
    private let clock = MonotonicClock()
    private let reportHandler: @Sendable (LiveReport) -> Void

    /// Maximum time to wait for the second stream after the first stream has arrived.
    private static let streamTimeout = Nanoseconds.seconds(1)
    /// Interval between checks of an idle connection.
    private static let interval = Nanoseconds.milliseconds(500)

    /// Creates a sender for a live output. The sender connects after `start` has been called and the first
    /// item has arrived.
    ///
    /// - Parameters:
    ///   - liveOutput: Content and address of the live output.
    ///   - connection: Type of the connection to use.
    ///   - longestLead: Maximum age of the first key frame of a connection.
    ///   - reportHandler: Receives each change of the live output's state, on any thread. The closure must not block.
    init(
        _ liveOutput: RequestedOutput, _ connection: any LiveOutputConnection.Type,
        longestLead: Nanoseconds = PublishedBacklog.usualLead,
        reportHandler: @escaping @Sendable (LiveReport) -> Void
    ) {
        (self.liveOutput, self.connection, self.reportHandler) = (liveOutput, connection, reportHandler)
        var state = State(
            // A separate encoder is asked for a key frame when a connection starts, so no earlier key frame
            // is needed.
            backlog: PublishedBacklog(longestLead: liveOutput.encoder == nil ? longestLead : .zero),
            report: LiveReport(
                live_output: liveOutput.name, state: .connecting, at_ns: MonotonicClock().now.nanoseconds))
        state.policy = liveOutput.encoder.map { LiveRatePolicy($0) }
        self.state = ConditionLock(state)
    }

    /// Starts the sender thread.
    ///
    /// - Parameter feed: The source of items to send. The feed is notified when a connection starts and when network
    ///   conditions change.
    func start(with feed: LiveOutputFeed) {
        reportState(.connecting, text: waitingText)
        MediaThread.startWhenPossible(name: "live:\(liveOutput.name)") { [self] in
            run(feed)
            feed.close()
        }
    }

    /// Ends the live output and unblocks pending calls. Afterwards, only the end of the live output is
    /// reported.
    func close() {
        let report = state.broadcast { state -> LiveReport? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            if !state.isConnected { state.backlog.restart() }
            return Self.change(&state, to: .ended, nil, nil, clock.now)
        }
        cancellation.cancel()
        if let report { reportHandler(report) }
    }

    /// Waits until the sender's thread has closed its connection after a call of `close`. Returns `false` if
    /// the thread hasn't closed the connection by the deadline.
    func hasEnded(by deadline: ClockTime) -> Bool { ended.wait(until: deadline) }

    private let ended = Cancellation()

    // MARK: Items

    /// Handles an item or a notification from the feed. This method never blocks.
    func receive(_ news: LiveOutputFeed.Event) {
        switch news {
        case .item(let item): receive(item)
        case .missed(let count): state.withLock { $0.missed += Int64(count) }
        case .problem(let sentence):
            state.withLock { $0.problem = sentence }
        }
    }

    private func receive(_ item: PublishedItem) {
        let now = clock.now
        state.broadcast { state in
            guard !state.isClosed else { return }
            state.problem = nil
            switch item {
            case .video(let packet): if packet.isKey { state.streams.video = packet.parameters }
            case .audio(let packet): state.streams.audio = packet.parameters
            case .frame(let frame):
                state.streams.frames = VideoFormat(
                    pixel: frame.pixel, size: frame.size,
                    rate: liveOutput.rate ?? RequestedOutput.defaultRate)
            case .samples(let slice):
                state.streams.samples = AudioFormat(
                    rate: AudioFormat.sessionRate, channels: slice.channels)
            }
            if state.since == nil, isFirst(item) { state.since = now }
            if state.isConnected {
                state.backlog.offer(item, at: now)
            } else {
                state.backlog.prepare(item, at: now)
            }
        }
    }

    /// Whether a connection can start with the given item.
    private func isFirst(_ item: PublishedItem) -> Bool {
        let content = connection.content
        switch item {
        case .video(let packet): return packet.isKey
        case .audio: return !content.video
        case .frame: return true
        case .samples: return !content.video && content.frames == nil
        }
    }

    // MARK: Sender thread

    private func run(_ feed: LiveOutputFeed) {
        var pauses = RetryBackoff()
        while let streams = nextStreams() {
            do throws(PublishingError) {
                // During reconnection attempts, the reason for the failure is still displayed.
                if let text = waitingText { reportState(.connecting, text: text) }
                let connection = try self.connection.init(
                    ConnectionRequest(
                        name: liveOutput.name, address: liveOutput.address, token: liveOutput.token,
                        streams: streams, cancellation: cancellation))
                defer { connection.close() }
                pauses.recordConnection(at: clock.now)
                begin()
                feed.requestKey()
                try send(to: connection, streams)
            } catch {
                wait(after: error, &pauses)
            }
        }
        ended.cancel()
    }

    private func begin() {
        state.withLock { state in
            state.backlog.begin(at: clock.now)
            state.isConnected = true
            state.statistics = ConnectionStatistics()
            state.before = (ConnectionStatistics(), state.backlog.droppedFrames)
        }
        reportState(.connected, text: nil)
    }

    /// Waits until the parameters of all streams are known; `nil` after `close`.
    private func nextStreams() -> PublishedStreams? {
        let content = connection.content
        while true {
            let deadline = clock.now + Self.interval
            let answer = state.wait(until: deadline) { state -> PublishedStreams?? in
                if state.isClosed { return .some(nil) }
                guard let since = state.since else { return nil }
                let streams = state.streams
                let isWhole =
                    (!content.audio || streams.audio != nil) && (!content.samples || streams.samples != nil)
                return isWhole || clock.now - since >= Self.streamTimeout ? .some(streams) : nil
            }
            if let answer { return answer }
        }
    }

    /// Sends items over the connection until the live output is closed.
    private func send(
        to connection: any LiveOutputConnection, _ streams: PublishedStreams
    ) throws(PublishingError) {
        while true {
            let next = state.wait(until: clock.now + Self.interval) { state -> PublishedItem?? in
                state.isClosed ? .some(nil) : state.backlog.next().map { .some($0) }
            }
            if case .some(.none) = next { return }
            if case .some(let item?) = next {
                if case .audio(let packet) = item, packet.parameters.setup != streams.audio?.setup {
                    throw .lost("the audio format of the program changed. Reconnecting.")
                }
                try connection.send(item)
            } else {
                try connection.check()
            }
            let statistics = connection.statistics
            state.withLock { state in
                if statistics.droppedPackets > state.statistics.droppedPackets { state.backlog.skipToKey() }
                state.statistics = statistics
                if case .some(let item?) = next, item.isVideo || Self.isAudioOnly(connection) {
                    state.report.sent_frames += 1
                }
            }
        }
    }

    /// Whether the connection carries only audio. In an audio-only connection, audio blocks are counted
    /// instead of frames.
    private static func isAudioOnly(_ connection: any LiveOutputConnection) -> Bool {
        let content = type(of: connection).content
        return !content.video && content.frames == nil
    }

    private func wait(after error: PublishingError, _ pauses: inout RetryBackoff) {
        let now = clock.now
        let (pause, isRefusal) = pauses.recordFailure(error.kind, at: now)
        state.withLock { state in
            state.backlog.restart()
            state.isConnected = false
        }
        reportState(isRefusal ? .refused : .waiting, text: error.description, retry: now + pause)
        _ = cancellation.wait(until: now + pause)
    }

    // MARK: State changes

    /// Description of the event that the live output is waiting for; `nil` if the live output isn't waiting.
    private var waitingText: String? {
        if state.withLock({ $0.since == nil }) { return "waiting for the first frames of the session." }
        guard liveOutput.address.srt?.mode == .listener else { return nil }
        return "waiting for a connection at \(liveOutput.address.printable)."
    }

    private func reportState(_ new: LiveReport.State, text: String?, retry: ClockTime? = nil) {
        let report = state.withLock { state in
            state.isClosed ? nil : Self.change(&state, to: new, text, retry, clock.now)
        }
        if let report { reportHandler(report) }
    }

    private static func change(
        _ state: inout State, to new: LiveReport.State, _ text: String?, _ retry: ClockTime?, _ now: ClockTime
    ) -> LiveReport {
        state.report.state = new
        state.report.text = text
        state.report.retry_ns = retry?.nanoseconds
        fill(&state, now)
        return state.report
    }

    private static func fill(_ state: inout State, _ now: ClockTime) {
        state.report.at_ns = now.nanoseconds
        state.report.dropped_frames = state.missed + state.backlog.droppedFrames
        state.report.queue_ns = state.isConnected ? state.backlog.age(at: now).count : 0
        state.report.rtt_ns = state.statistics.roundTrip?.count
        state.report.lost_packets = state.statistics.lostPackets
        state.report.encoder = state.policy.map {
            LiveVideo(size: $0.level.size, rate: $0.level.rate, bitrate: $0.level.bitrate)
        }
    }

    /// Reports statistics, and adapts the live output's separate encoder, if any, to the network. Call this
    /// method once per second.
    func tick(_ feed: LiveOutputFeed) {
        feed.reconnectIfNeeded()
        let now = clock.now
        let problem = feed.problem
        let (report, level) = state.withLock { state -> (LiveReport?, LiveRatePolicy.Level?) in
            guard !state.isClosed else { return (nil, nil) }
            let (last, dropped) = state.before
            let (statistics, backlog) = (state.statistics, state.backlog)
            state.before = (statistics, backlog.droppedFrames)
            let bits = state.isConnected ? (statistics.sentBytes - last.sentBytes) * 8 : 0
            state.report.bitrate = bits
            var level: LiveRatePolicy.Level?
            if state.isConnected, state.policy != nil {
                var measurement = LiveRatePolicy.Measurement()
                measurement.queuedDuration = backlog.age(at: now) + statistics.queuedDuration
                measurement.droppedFrames = backlog.droppedFrames - dropped
                measurement.roundTrip = statistics.roundTrip
                measurement.sentBits = Int(clamping: bits)
                let sent = (statistics.sentPackets ?? 0) - (last.sentPackets ?? 0)
                let lost = (statistics.lostPackets ?? 0) - (last.lostPackets ?? 0)
                measurement.lostShare = sent > 0 ? Double(lost) / Double(sent) : 0
                level = state.policy?.update(measurement)
            }
            if let problem = problem ?? state.problem, state.report.state == .connecting {
                state.report.text = problem
            }
            Self.fill(&state, now)
            return (state.report, level)
        }
        if let level { feed.change(to: level) }
        if let report { reportHandler(report) }
    }
}

/// Delays between reconnection attempts. `RetryBackoff` is a value type without side effects: the current
/// time is passed to each call.
///
/// For one minute after a loss, delays are at most half a second, so that the stream resumes soon after the
/// network has recovered. After the first minute, the delays increase up to ten seconds. Errors that require
/// user action are retried after one minute.
struct RetryBackoff {
    private var failures = 0
    private var ambiguousFailures = 0
    /// Time of the first failure since the last stable connection.
    private var since: ClockTime?
    private var connected: ClockTime?

    private static let firstDelays: [Nanoseconds] = [.milliseconds(200), .milliseconds(500)]
    private static let maxDelay = Nanoseconds.seconds(10)
    private static let minute = Nanoseconds.seconds(60)
    /// Minimum duration of a stable connection. A connection that is lost earlier counts as another failure.
    private static let minStableDuration = Nanoseconds.seconds(5)
    private static let maxAmbiguousFailures = 3

    /// Records a successful connection.
    mutating func recordConnection(at now: ClockTime) { connected = now }

    /// Records a failed or lost connection.
    ///
    /// - Returns: The delay before the next attempt, and whether the failure counts as a refusal.
    mutating func recordFailure(_ kind: PublishingError.Kind, at now: ClockTime) -> (
        pause: Nanoseconds, isRefusal: Bool
    ) {
        if let connected, now - connected >= Self.minStableDuration { self = RetryBackoff() }
        connected = nil
        let since = since ?? now
        self.since = since
        failures += 1
        ambiguousFailures = kind == .ambiguous ? ambiguousFailures + 1 : 0
        if kind == .refused || ambiguousFailures >= Self.maxAmbiguousFailures {
            ambiguousFailures = 0
            return (Self.minute, true)
        }
        guard now - since >= Self.minute else {
            return (Self.firstDelays[min(failures, Self.firstDelays.count) - 1], false)
        }
        // The delay is 2 s after the first minute, and 10 s after five minutes.
        return (min((now - since) / 30, Self.maxDelay), false)
    }
}

extension LiveOutputAddress.Kind {
    /// The connection type for addresses of this kind.
    package var connection: any LiveOutputConnection.Type {
        switch self {
        case .srt: SRTConnection.self
        case .rtmp: RTMPConnection.self
        case .whip: WHIPConnection.self
        case .v4l2: VirtualCameraConnection.self
        case .pulse: VirtualMicrophoneConnection.self
        }
    }
}
