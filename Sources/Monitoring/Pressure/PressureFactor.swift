internal import Media

/// One cause of system pressure, with its figure.
public struct PressureFactor: Sendable, Equatable {
    public enum Cause: String, Sendable, Codable, CaseIterable {
        case processorStall = "cpu-stall"
        case storageStall = "io-stall"
        case memoryStall = "memory-stall"
        case temperature
        /// The processor is slowed down for heat.
        case throttling = "cpu-throttling"
        /// It may not run at its full speed.
        case speed = "cpu-speed"
        /// The control group's quota of processor time runs out.
        case share = "cpu-share"
        case power
        /// An encoder is behind.
        case encoder
        /// A file is behind.
        case writer
        /// Room on the disk.
        case disk

        /// Two or three words for a person: `busy processor`.
        public var words: String {
            switch self {
            case .processorStall: "busy processor"
            case .storageStall: "slow disk"
            case .memoryStall: "little memory"
            case .temperature: "hot computer"
            case .throttling: "slowed by heat"
            case .speed: "slow processor"
            case .share: "little processor time"
            case .power: "on battery"
            case .encoder: "encoder is behind"
            case .writer: "disk is behind"
            case .disk: "disk nearly full"
            }
        }
    }

    public let cause: Cause
    public let level: PressureLevel
    /// A clause with its figure, without a full stop: `tasks waited for the processor in 72 % of the last 10 s`. Printable.
    public let text: String

    public init(_ cause: Cause, _ level: PressureLevel, _ text: String) {
        self.cause = cause
        self.level = level
        self.text = text.printable(limit: 300)
    }

    /// What a person can do about it.
    public var advice: String {
        switch cause {
        case .processorStall: "close other programs, or record with a lower rate or size"
        case .storageStall, .writer: "record to a faster disk, or end what else writes to it"
        case .memoryStall: "close other programs"
        case .temperature, .throttling: "let air to the computer, or record with a lower rate or size"
        case .speed: "choose the power profile `performance`"
        case .share: "give this program's control group more processor time (`cpu.max`)"
        case .power: "plug the computer in"
        case .encoder: "record with a lower rate or size, or a faster preset"
        case .disk: "free some space, or record to another disk"
        }
    }
}
