internal import Inputs
internal import Media

/// One publication on its way to its destination: a thread, a bounded queue, and one connection after the other. Safe to use from any
/// thread.
///
/// Whoever gives it items never waits. The thread connects, sends, and waits before it tries again.
final class Destination: Sendable {
    private struct State {
        var backlog: PublishedBacklog
        /// What has come of each stream.
        var streams = PublishedStreams()
        /// When the first of the items came that a connection begins with.
        var since: ClockTime?
        var isConnected = false
        var isClosed = false
        var report: LiveReport
        /// Frames that were dropped before they came here.
        var missed: Int64 = 0
        var problem: String?
        var statistics = ConnectionStatistics()
        /// What the last second began with.
        var before = (statistics: ConnectionStatistics(), dropped: Int64(0))
        var policy: LiveRatePolicy?
    }

    let publication: Publication
    private let connection: any DestinationConnection.Type
    private let state: ConditionLock<State>
    private let cancellation = Cancellation()
    private let clock = MonotonicClock()
    private let tell: @Sendable (LiveReport) -> Void

    /// How long a stream beside the first one is waited for.
    private static let patience = Nanoseconds.seconds(1)
    /// How often a connection is looked at that nothing is sent on.
    private static let interval = Nanoseconds.milliseconds(500)

    /// Makes a destination, which connects once `start` is called and something to send has come.
    ///
    /// - Parameters:
    ///   - publication: What is sent where.
    ///   - connection: The kind of connection.
    ///   - longestLead: How old the key frame may be that a connection begins with.
    ///   - tell: Gets each change, on any thread. It must not block.
    init(
        _ publication: Publication, _ connection: any DestinationConnection.Type,
        longestLead: Nanoseconds = PublishedBacklog.usualLead,
        tell: @escaping @Sendable (LiveReport) -> Void
    ) {
        (self.publication, self.connection, self.tell) = (publication, connection, tell)
        var state = State(
            // An own encoder is asked for a key frame when a connection begins.
            backlog: PublishedBacklog(longestLead: publication.encoder == nil ? longestLead : .zero),
            report: LiveReport(
                publication: publication.name, state: .connecting, at_ns: MonotonicClock().now.nanoseconds))
        state.policy = publication.encoder.map { LiveRatePolicy($0) }
        self.state = ConditionLock(state)
    }

    /// Starts the thread.
    ///
    /// - Parameter feed: Where items come from; it is told when a connection begins, and when the network changes.
    func start(with feed: PublicationFeed) {
        say(.connecting, text: waitingText)
        _ = MediaThread(name: "live:\(publication.name)") { [self] in
            run(feed)
            feed.close()
        }
    }

    /// Ends it: calls that block return. Nothing is told afterwards but that it has ended.
    func close() {
        let report = state.broadcast { state -> LiveReport? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            if !state.isConnected { state.backlog.restart() }
            return Self.change(&state, to: .ended, nil, nil, clock.now)
        }
        cancellation.cancel()
        if let report { tell(report) }
    }

    /// Whether its thread has said goodbye, after `close`.
    func hasEnded(by deadline: ClockTime) -> Bool { ended.wait(until: deadline) }

    private let ended = Cancellation()

    // MARK: What comes

    /// Takes news of the feed. Never blocks.
    func take(_ news: PublicationFeed.News) {
        switch news {
        case .item(let item): take(item)
        case .missed(let count): state.withLock { $0.missed += Int64(count) }
        case .problem(let sentence):
            state.withLock { $0.problem = sentence }
        }
    }

    private func take(_ item: PublishedItem) {
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
                    rate: publication.rate ?? Publication.usualRate)
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

    /// Whether a connection begins with such an item.
    private func isFirst(_ item: PublishedItem) -> Bool {
        let content = connection.content
        switch item {
        case .video(let packet): return packet.isKey
        case .audio: return !content.video
        case .frame: return true
        case .samples: return !content.video && content.frames == nil
        }
    }

    // MARK: The thread

    private func run(_ feed: PublicationFeed) {
        var pauses = RetryPauses()
        while let streams = nextStreams() {
            do throws(PublishingError) {
                // While it is tried again, the reason for that stands.
                if let text = waitingText { say(.connecting, text: text) }
                let connection = try self.connection.init(
                    DestinationRequest(
                        name: publication.name, address: publication.address, token: publication.token,
                        streams: streams, cancellation: cancellation))
                defer { connection.close() }
                pauses.connect(at: clock.now)
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
        say(.connected, text: nil)
    }

    /// Waits until it is known what will be sent; `nil` once it is closed.
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
                return isWhole || clock.now - since >= Self.patience ? .some(streams) : nil
            }
            if let answer { return answer }
        }
    }

    /// Sends what comes until it is closed.
    private func send(
        to connection: any DestinationConnection, _ streams: PublishedStreams
    ) throws(PublishingError) {
        while true {
            let next = state.wait(until: clock.now + Self.interval) { state -> PublishedItem?? in
                state.isClosed ? .some(nil) : state.backlog.next().map { .some($0) }
            }
            if case .some(.none) = next { return }
            if case .some(let item?) = next {
                if case .audio(let packet) = item, packet.parameters.setup != streams.audio?.setup {
                    throw .lost("the program's audio is another one now: a new connection begins.")
                }
                try connection.send(item)
            } else {
                try connection.check()
            }
            let statistics = connection.statistics
            state.withLock { state in
                if statistics.droppedPackets > state.statistics.droppedPackets { state.backlog.skipToKey() }
                state.statistics = statistics
                if case .some(let item?) = next, item.isVideo || Self.isAlone(connection) {
                    state.report.sent_frames += 1
                }
            }
        }
    }

    /// Whether blocks of audio are what is counted.
    private static func isAlone(_ connection: any DestinationConnection) -> Bool {
        let content = type(of: connection).content
        return !content.video && content.frames == nil
    }

    private func wait(after error: PublishingError, _ pauses: inout RetryPauses) {
        let now = clock.now
        let (pause, isRefusal) = pauses.fail(error.kind, at: now)
        state.withLock { state in
            state.backlog.restart()
            state.isConnected = false
        }
        say(isRefusal ? .refused : .waiting, text: error.description, retry: now + pause)
        _ = cancellation.wait(until: now + pause)
    }

    // MARK: What is told

    /// What it waits for while it connects; `nil` where there is nothing to say.
    private var waitingText: String? {
        if state.withLock({ $0.since == nil }) { return "nothing has come yet that could be sent." }
        guard publication.address.srt?.mode == .listener else { return nil }
        return "it waits for a caller at \(publication.address.printable)."
    }

    private func say(_ new: LiveReport.State, text: String?, retry: ClockTime? = nil) {
        let report = state.withLock { state in
            state.isClosed ? nil : Self.change(&state, to: new, text, retry, clock.now)
        }
        if let report { tell(report) }
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

    /// Tells how it goes, and lets an own encoder follow the network. To be called once a second.
    func tick(_ feed: PublicationFeed) {
        feed.tend()
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
                measurement.waiting = backlog.age(at: now) + statistics.waiting
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
        if let report { tell(report) }
    }
}
