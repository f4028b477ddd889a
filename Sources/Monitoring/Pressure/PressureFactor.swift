internal import Media

/// One cause of system pressure, with its level and its figure.
public struct PressureFactor: Sendable, Equatable {
    /// The kind of a cause.
    public enum Cause: String, Sendable, Codable, CaseIterable {
        /// Tasks wait for the processor.
        case processorStall = "cpu-stall"
        /// Every task waits for the disk at once.
        case storageStall = "io-stall"
        /// Tasks wait for memory.
        case memoryStall = "memory-stall"
        /// A part of the computer is hot.
        case temperature
        /// The processor is slowed down for heat.
        case throttling = "cpu-throttling"
        /// The processor may not run at its full speed.
        case speed = "cpu-speed"
        /// The control group's quota of processor time runs out.
        case share = "cpu-share"
        /// The computer runs on a battery.
        case power
        /// An encoder is behind.
        case encoder
        /// A file is behind.
        case writer
        /// The disk becomes full.
        case disk

        /// The cause in two or three words for people: `busy processor`.
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

    /// The kind of the cause.
    public let cause: Cause
    /// The pressure that the cause makes.
    public let level: PressureLevel
    /// A clause with the figure, printable and without a full stop: `tasks waited for the processor in 72 % of the last 10 s`.
    public let text: String

    /// Creates a factor. Its text is made printable and cut to 300 characters.
    public init(_ cause: Cause, _ level: PressureLevel, _ text: String) {
        self.cause = cause
        self.level = level
        self.text = text.printable(limit: 300)
    }

    /// Advice on the cause for people, as a clause without a full stop.
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
