public import Media
public import Session

/// The limiting part of a system, at which a run failed.
public enum StressCause: String, Sendable, Codable, CaseIterable {
    /// The connection between cameras and computer.
    case bus
    /// Encoders, late threads, drivers without a free buffer.
    case processor
    case disk
    /// A camera or a microphone itself.
    case device
    /// The computer as a whole: heat, power, memory.
    case pressure
    /// The formats cannot be planned.
    case setup

    /// The part that a lost frame points to. A driver without a free buffer points to the processor.
    public init(_ loss: LossCause) {
        switch loss {
        case .bus: self = .bus
        case .driver, .late, .encoder, .governor: self = .processor
        case .disk: self = .disk
        case .corrupt, .exposure, .network, .away, .change: self = .device
        }
    }

    /// The part that a device's failure to start points to.
    public init(_ error: DeviceError) {
        switch error.reason {
        case .noBandwidth: self = .bus
        default: self = .device
        }
    }

    /// The part that a failed recording points to.
    public init(_ error: RecordingError) {
        switch error {
        case .device(let error): self = StressCause(error)
        case .file: self = .disk
        case .encoding: self = .processor
        case .unknownRole, .nothingToCopy, .nothingToWrite, .plan, .stopped: self = .setup
        }
    }

    /// The part as the subject of a sentence: `the bus`.
    public var words: String {
        switch self {
        case .bus: "the bus"
        case .processor: "the processor"
        case .disk: "the disk"
        case .device: "a device"
        case .pressure: "the computer as a whole"
        case .setup: "the plan"
        }
    }
}
