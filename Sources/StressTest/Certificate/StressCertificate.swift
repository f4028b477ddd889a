internal import Doctor
public import Media
public import Monitoring
internal import SessionFolder

/// What `certificate.json` says of a stress test: which computer, which devices, what was tried, what came of it.
///
/// Times are nanoseconds since the test began, or since a run's T0 within its course. `docs/stress.schema.json` is its JSON Schema.
public struct StressCertificate: Sendable, Equatable, Codable {
    public enum Outcome: String, Sendable, Codable {
        /// While it runs, and after a crash.
        case running
        case finished
        /// Somebody ended it before all was tried.
        case stopped
    }

    public enum Verdict: String, Sendable, Codable {
        case held
        case failed
        /// It did not start.
        case notRun = "not-run"
    }

    public struct Machine: Sendable, Equatable, Codable {
        public var host: String
        /// The kernel with its release.
        public var system: String
        /// The processor's model, where the kernel says it.
        public var processor: String?
        public var processors: Int
        public var memory_bytes: Int64?
        public var controllers: [Controller]

        public init(
            host: String, system: String, processor: String?, processors: Int, memory_bytes: Int64?,
            controllers: [Controller]
        ) {
            self.host = host
            self.system = system
            self.processor = processor
            self.processors = processors
            self.memory_bytes = memory_bytes
            self.controllers = controllers
        }
    }

    /// A USB controller's own hub.
    public struct Controller: Sendable, Equatable, Codable {
        /// `0000:00:14.0`.
        public var name: String
        /// `usb1`.
        public var bus: String
        public var megabits: Int?

        public init(name: String, bus: String, megabits: Int?) {
            self.name = name
            self.bus = bus
            self.megabits = megabits
        }
    }

    public struct Device: Sendable, Equatable, Codable {
        public var role: String
        public var kind: String
        public var name: String
        public var identity: String
        public var selector: String
        /// Vendor and product of USB, `046d:082d`; left out where there is none.
        public var product: String?
        /// The device's release number (bcdDevice), which most vendors raise with the firmware.
        public var firmware: String?
        public var controller: String?
        /// Megabits a second of its connection.
        public var megabits: Int?
        /// Of a camera, what it was tried with at most.
        public var formats: [String]

        public init(
            role: String, kind: String, name: String, identity: String, selector: String, product: String?,
            firmware: String?, controller: String?, megabits: Int?, formats: [String]
        ) {
            self.role = role
            self.kind = kind
            self.name = name
            self.identity = identity
            self.selector = selector
            self.product = product
            self.firmware = firmware
            self.controller = controller
            self.megabits = megabits
            self.formats = formats
        }
    }

    public struct Asked: Sendable, Equatable, Codable {
        public var runs: [StressKind]
        public var each_ns: Int64
        /// Of the soak; left out where there is none.
        public var soak_ns: Int64?
        /// Lost ÷ (captured + lost) that a track may have, 0…1.
        public var lost_limit: Double

        public init(runs: [StressKind], each_ns: Int64, soak_ns: Int64?, lost_limit: Double) {
            self.runs = runs
            self.each_ns = each_ns
            self.soak_ns = soak_ns
            self.lost_limit = lost_limit
        }
    }

    public struct Sets: Sendable, Equatable, Codable {
        public var runs: [Run]
        /// Why not all combinations were tried.
        public var left_out: [String]

        public init(runs: [Run] = [], leftOut: [String] = []) {
            self.runs = runs
            left_out = leftOut
        }
    }

    public struct Climb: Sendable, Equatable, Codable {
        /// The first is the profile as it stands, the others go up.
        public var runs: [Run]
        /// Of the highest step that held, the number.
        public var highest: Int?
        public var gave: Gave?

        public init(runs: [Run] = []) {
            self.runs = runs
        }
    }

    /// What gave first in a climb, at which step, when what was raised.
    public struct Gave: Sendable, Equatable, Codable {
        public var cause: StressCause
        public var step: Int
        public var change: String
        public var sentence: String

        public init(cause: StressCause, step: Int, change: String, sentence: String) {
            self.cause = cause
            self.step = step
            self.change = change
            self.sentence = sentence
        }
    }

    /// Of all runs together.
    public struct Environment: Sendable, Equatable, Codable {
        public var temperature: Range?
        public var pressure_peak: PressureLevel?
        /// What the computer did not tell.
        public var missing: [MissingSource]
    }

    /// In degrees Celsius.
    public struct Range: Sendable, Equatable, Codable {
        public var lowest: Double
        public var highest: Double

        public init(_ lowest: Double, _ highest: Double) {
            self.lowest = lowest
            self.highest = highest
        }

        mutating func include(_ other: Range) {
            lowest = min(lowest, other.lowest)
            highest = max(highest, other.highest)
        }
    }

    public var schema = 1
    public var multicam: String
    public var profile: String
    public var started: String
    public var duration_ns: Int64
    public var outcome: Outcome
    /// Whether the profile as it stands held wherever it was tried; left out before anything was.
    public var verdict: Verdict?
    /// What came of it, for people; the first sentence says it all.
    public var summary: [String]
    public var machine: Machine
    public var devices: [Device]
    public var asked: Asked
    public var sets: Sets?
    public var climb: Climb?
    public var soak: Run?
    public var environment: Environment
    /// What a reader should know of the figures.
    public var notes: [String]

    public init(
        multicam: String, profile: String, started: String, machine: Machine, devices: [Device], asked: Asked,
        notes: [String]
    ) {
        self.multicam = multicam
        self.profile = profile
        self.started = started
        duration_ns = 0
        outcome = .running
        summary = []
        self.machine = machine
        self.devices = devices
        self.asked = asked
        environment = Environment(missing: [])
        self.notes = notes
    }

    /// In the order in which they ran.
    public var runs: [Run] { (sets?.runs ?? []) + (climb?.runs ?? []) + (soak.map { [$0] } ?? []) }
}
