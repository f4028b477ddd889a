public import Media
public import Session

/// What gave: the part of a bundle of cameras that a test found at its limit.
public enum StressCause: String, Sendable, Codable, CaseIterable {
    /// Between cameras and computer.
    case bus
    /// Encoders, threads that were late, drivers without a free buffer.
    case processor
    case disk
    /// A camera or a microphone itself.
    case device
    /// The computer as a whole: heat, power, memory.
    case pressure
    /// The formats cannot be planned.
    case setup

    /// What a lost frame speaks of. A driver without a free buffer waits for a processor.
    public init(_ loss: LossCause) {
        switch loss {
        case .bus: self = .bus
        case .driver, .late, .encoder, .governor: self = .processor
        case .disk: self = .disk
        case .corrupt, .exposure, .away, .change: self = .device
        }
    }

    /// Why a device did not start.
    public init(_ error: DeviceError) {
        switch error.reason {
        case .noBandwidth: self = .bus
        default: self = .device
        }
    }

    public init(_ error: RecordingError) {
        switch error {
        case .device(let error): self = StressCause(error)
        case .file: self = .disk
        case .encoding: self = .processor
        case .unknownRole, .nothingToCopy, .stopped: self = .setup
        }
    }

    /// As the subject of a sentence: `the bus`.
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
