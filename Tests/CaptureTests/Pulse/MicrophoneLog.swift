import MulticamMedia
import Testing

/// Records a microphone's events, and lets tests wait for them.
final class MicrophoneLog: Sendable {
    private let events = ConditionLock<[MicrophoneEvent]>([])

    func add(_ event: MicrophoneEvent) {
        events.broadcast { $0.append(event) }
    }

    var all: [MicrophoneEvent] { events.withLock { $0 } }
    var audioBlocks: [CapturedAudio] { all.compactMap(\.audio) }

    /// Waits until the events from index `start` on satisfy `condition`.
    ///
    /// - Returns: The number of events at that time.
    @discardableResult
    func wait(
        from start: Int = 0, seconds: Int64 = 120, _ what: Comment,
        sourceLocation: SourceLocation = #_sourceLocation, until condition: ([MicrophoneEvent]) -> Bool
    ) throws -> Int {
        let count = events.wait(until: MonotonicClock().now + .seconds(seconds)) { events in
            condition(Array(events[start...])) ? events.count : nil
        }
        return try #require(count, what, sourceLocation: sourceLocation)
    }
}

extension MicrophoneEvent {
    var audio: CapturedAudio? {
        if case .audio(let audio) = self { audio } else { nil }
    }

    /// `away: <cause>`, `returned`, `notice`, `lost`, `audio`, `ended`.
    var summary: String {
        switch self {
        case .audio: "sound"
        case .lost: "lost"
        case .outageBegan(_, let cause): "away: \(cause)"
        case .outageEnded: "returned"
        case .notice: "remarked"
        case .ended: "ended"
        }
    }
}

extension [MicrophoneEvent] {
    /// All events except audio.
    var notices: [String] { map(\.summary).filter { $0 != "sound" } }

    var frameCount: Int { reduce(0) { $0 + ($1.audio?.frameCount ?? 0) } }
}
