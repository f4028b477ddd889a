internal import Media
internal import Plan
internal import Session
internal import SessionFolder
internal import Setup

/// A live output that is or was wanted, with what is known of it over all lives of the process that sends.
struct LiveOutput {
    /// A count that goes on when the process that counts begins anew.
    private struct Tally {
        private var before: Int64 = 0
        private var last: Int64 = 0

        /// Most that is believed: more frames than any year has.
        private static let most: Int64 = 1_000_000_000_000

        var sum: Int64 { before + last }

        mutating func take(_ told: Int64) {
            let count = min(max(told, 0), Self.most)
            if count < last { before = min(sum, Self.most) }
            last = count
        }
    }

    private(set) var publication: Publication
    /// Whether the end of the recording ends it.
    private(set) var endsWithRecording = false
    /// Whether it is no longer wanted; its last counts may still come.
    private(set) var isLeaving = false
    private(set) var status: PublicationStatus
    private var sent = Tally()
    private var dropped = Tally()

    init(_ publication: Publication, at time: ClockTime) {
        self.publication = publication
        status = PublicationStatus(
            name: publication.name, kind: publication.address.kind, state: .connecting, since: time)
    }

    /// It is wanted from now on.
    mutating func begin(_ publication: Publication, endsWithRecording: Bool, at time: ClockTime) {
        (self.publication, self.endsWithRecording) = (publication, endsWithRecording)
        isLeaving = false
        change(to: .connecting, at: time)
    }

    /// It is wanted no longer.
    mutating func end(at time: ClockTime) {
        isLeaving = true
        change(to: .ended, at: time)
    }

    /// Whether the process that sends tells something of it each second.
    var isFollowed: Bool { !isLeaving && status.state != .refused }

    /// Takes what the process that sends has told.
    mutating func take(_ report: LiveReport, at now: ClockTime) {
        // The last words about a connection of before, while it is wanted again.
        guard isLeaving || report.state != .ended else { return }
        sent.take(report.sent_frames)
        dropped.take(report.dropped_frames)
        (status.sentFrames, status.droppedFrames) = (sent.sum, dropped.sum)
        status.bitrate = report.state == .connected ? max(report.bitrate, 0) : nil
        // What is no longer wanted has ended, whatever its connection still does.
        guard !isLeaving else { return }
        change(
            to: PublicationStatus.State(report.state), because: report.text,
            at: min(ClockTime(nanoseconds: max(report.at_ns, 0)), now))
    }

    /// Changes the state and its reason.
    mutating func change(to state: PublicationStatus.State, because text: String? = nil, at time: ClockTime) {
        if state != .connected { status.bitrate = nil }
        // A state never begins before the last one did.
        if state != status.state { status.since = max(time, status.since) }
        (status.state, status.text) = (state, text?.printable(limit: 400))
    }
}

extension PublicationStatus.State {
    fileprivate init(_ state: LiveReport.State) {
        self =
            switch state {
            case .connecting: .connecting
            case .connected: .connected
            case .waiting: .waiting
            case .refused: .refused
            case .ended: .ended
            }
    }
}

extension LiveCommand {
    /// The command that begins a live output. It holds keys.
    init(beginning publication: Publication) {
        self.init(
            publish: LiveRequest(
                name: publication.name, url: Secret(publication.address.text), of: publication.source,
                video: publication.frames.map {
                    LiveVideo(size: $0.size, rate: $0.rate, bitrate: $0.bitrate)
                },
                token: publication.token, standby: publication.start != .recording))
    }

    /// The command as a line of JSON, for the standard input of the process that sends alone.
    var line: String { JSONText.line(self) }
}
