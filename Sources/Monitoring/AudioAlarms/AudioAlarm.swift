public import Media

/// What a person must know of a microphone while it runs: that something begins, or that it is over.
public struct AudioAlarm: Sendable, Equatable {
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// Nothing comes that an open microphone would have in the quietest room: it is muted, switched off or not connected.
        case noSignal = "no-signal"
        /// It has been silent for longer than the profile allows.
        case silence
        /// It is louder than its converter can tell.
        case clipping
    }

    public let kind: Kind
    /// Whether it is over.
    public let isEnd: Bool
    /// When that was found, by the audio's own time.
    public let at: ClockTime
    /// The highest magnitude since it was last as it should be; 1 is full scale.
    public let peak: Float
    /// How long it has lasted. Of clipping, how long the audio stood at full scale.
    public let duration: Nanoseconds

    /// One clear sentence about the microphone of a role.
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
