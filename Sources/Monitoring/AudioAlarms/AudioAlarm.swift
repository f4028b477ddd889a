public import Media

/// A warning about a microphone while it runs: that a problem begins, or that it is over.
public struct AudioAlarm: Sendable, Equatable {
    /// The problem that an alarm is about.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// The microphone delivers less than an open one would in the quietest room, or nothing at all: it is muted, switched off or not
        /// connected.
        case noSignal = "no-signal"
        /// The microphone has been silent for longer than the profile allows.
        case silence
        /// The microphone is louder than its converter can represent.
        case clipping
    }

    /// The problem.
    public let kind: Kind
    /// Whether the problem is over; `false` when it begins.
    public let isEnd: Bool
    /// When the problem was found or was over, on `CLOCK_MONOTONIC`, by the capture times of the audio.
    public let at: ClockTime
    /// The highest magnitude since the microphone was last as it should be, linear; 1 is full scale.
    public let peak: Float
    /// How long the problem has lasted; for clipping, how long the audio stood at full scale.
    public let duration: Nanoseconds

    /// The alarm as one sentence for people, about the microphone of a role.
    public func sentence(role: String) -> String {
        let seconds = "\((duration.inSeconds * 10).rounded() / 10) s"
        switch (kind, isEnd) {
        case (.noSignal, false):
            return
                "microphone \(role) has given no signal for \(seconds): it may be muted, switched off or not connected."
        case (.silence, false): return "microphone \(role) has been silent for \(seconds)."
        case (.noSignal, true), (.silence, true):
            return "microphone \(role) is heard again after \(seconds) of silence."
        case (.clipping, false):
            return
                "microphone \(role) is too loud and distorts (it is at full scale): turn its gain down or move it away."
        case (.clipping, true): return "microphone \(role) does not distort any more."
        }
    }
}
