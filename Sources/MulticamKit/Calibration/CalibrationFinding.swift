public import Media
internal import SessionFolder
public import Setup
public import Synchrony

/// What a calibration has found of one device.
public struct CalibrationFinding: Sendable, Equatable {
    public enum Verdict: Sendable, Equatable {
        /// The others are measured against it.
        case reference
        /// As well as was wanted.
        case measured
        /// Less well than was wanted, but taking it off makes time stamps better in any case.
        case coarse
        /// Less well than was wanted, and so little that taking it off could make time stamps worse.
        case undecided
        /// It noticed too few events.
        case tooFew
    }

    public let role: String
    public let device: CaptureDevice
    public let format: CalibratedFormat
    public let verdict: Verdict
    /// How much later than the reference it stamps; `nil` where it noticed none of the events.
    public let estimate: LatencyEstimate?

    /// Whether it is kept and used from then on.
    public var isUsable: Bool {
        switch verdict {
        case .reference, .measured, .coarse: true
        case .undecided, .tooFew: false
        }
    }

    /// What a profile would say: of a camera its latency, of a microphone its offset.
    public var correction: Nanoseconds? {
        if verdict == .reference { return .zero }
        return estimate.map { device.mediaType == .video ? $0.median : -$0.median }
    }
}
