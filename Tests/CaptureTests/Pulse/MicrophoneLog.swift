import Media
import Testing

/// What a microphone told, for tests to wait on.
final class MicrophoneLog: Sendable {
    private let events = ConditionLock<[MicrophoneEvent]>([])

    func add(_ event: MicrophoneEvent) {
        events.broadcast { $0.append(event) }
    }

    var all: [MicrophoneEvent] { events.withLock { $0 } }
    var audioBlocks: [CapturedAudio] { all.compactMap(\.audio) }

    /// Waits until what has been told since event number `start` satisfies `condition`.
    ///
    /// - Returns: How many events there are then.
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

    /// `away: <cause>`, `returned`, `lost`, `audio`, `ended`.
    var summary: String {
        switch self {
        case .audio: "sound"
        case .lost: "lost"
        case .away(_, let cause): "away: \(cause)"
        case .returned: "returned"
        case .ended: "ended"
        }
    }
}

extension [MicrophoneEvent] {
    /// The events but for the audio.
    var notices: [String] { map(\.summary).filter { $0 != "sound" } }

    var frameCount: Int { reduce(0) { $0 + ($1.audio?.frameCount ?? 0) } }
}
