public import Media

/// The settings of a synthetic microphone, parsed from a selector `virtual:PATTERN?key=value&…`.
public struct VirtualMicrophoneSettings: Sendable, Equatable {
    /// The audio that a synthetic microphone hears.
    public enum Pattern: String, Sendable, CaseIterable {
        /// A beep of 1 kHz and 40 ms, amplitude 0.5, phase 0 at each clap.
        case clap
        /// A continuous tone of 1 kHz, amplitude 0.5, phase 0 at each clap.
        case tone
        case silence
    }

    /// The selector as the user wrote it.
    public let selector: String
    /// The audio that the microphone hears.
    public let pattern: Pattern
    /// Sample rate, 8000…192 000 Hz, 48 000 by default, and 1…8 channels, 1 by default.
    public let format: AudioFormat
    /// Clock errors, latency, faults and bus of the microphone.
    public let behavior: DeviceBehavior

    static let keys = [
        "rate", "channels", "phase", "drift", "latency", "jitter", "drop", "unplug", "replug", "stall", "bus",
        "seed",
    ]

    /// Parses a selector.
    ///
    /// - Parameter text: `virtual:PATTERN?key=value&…`.
    /// - Throws: `VirtualDeviceError.usage` for an unknown pattern or key, a missing value, or a value out of range.
    public init(selector text: String) throws(VirtualDeviceError) {
        let selector = try VirtualSelector(text, keys: Self.keys, kind: "microphone")
        self.selector = text
        guard let pattern = Pattern(rawValue: selector.pattern) else {
            let names = Pattern.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage(
                selector: text,
                explanation:
                    "`\(selector.pattern.printable())` is no pattern of a virtual microphone. It has \(names)."
            )
        }
        self.pattern = pattern
        let rate = try selector.number(
            "rate", "samples per second from 8000 to 192000", digits: 0, in: 8000...192_000)
        let channels = try selector.number("channels", "1 to 8", digits: 0, in: 1...8)
        format = AudioFormat(rate: Int(rate ?? 48_000), channels: Int(channels ?? 1))
        behavior = try DeviceBehavior(selector)
    }
}
