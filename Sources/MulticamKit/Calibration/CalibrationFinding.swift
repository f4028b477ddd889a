public import Media
internal import SessionFolder
public import Setup
public import Synchrony

/// The result of a calibration for one device.
public struct CalibrationFinding: Sendable, Equatable {
    /// How well a device is known.
    public enum Verdict: Sendable, Equatable {
        /// The microphone that the other devices are compared with.
        case reference
        /// The uncertainty is within the goal.
        case measured
        /// The uncertainty exceeds the goal, but the correction improves time stamps in any case.
        case coarse
        /// The uncertainty exceeds the goal, and the correction is so small that it could make time stamps worse.
        case undecided
        /// The device noticed too few events.
        case tooFew
    }

    /// The device's role in the profile.
    public let role: String
    /// The device that was measured.
    public let device: CaptureDevice
    /// The format in which it was measured; the correction holds for this format only.
    public let format: CalibratedFormat
    /// How well the device is known.
    public let verdict: Verdict
    /// How much later than the reference the device dates events; `nil` for the reference, and when it noticed none of the
    /// events.
    public let estimate: LatencyEstimate?

    /// Whether the finding is good enough to be stored and applied.
    public var isUsable: Bool {
        switch verdict {
        case .reference, .measured, .coarse: true
        case .undecided, .tooFew: false
        }
    }

    /// The value for a profile: a camera's latency, or a microphone's offset; `nil` when the device noticed no events.
    public var correction: Nanoseconds? {
        if verdict == .reference { return .zero }
        return estimate.map { device.mediaType == .video ? $0.median : -$0.median }
    }
}
