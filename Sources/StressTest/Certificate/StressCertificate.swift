internal import Doctor
public import Media
public import Monitoring
internal import SessionFolder

/// The content of `certificate.json`: the computer and the devices of a stress test, its runs and their results.
///
/// Times are nanoseconds since the test began, or since a run's T0 within its course. `docs/stress.schema.json` is its JSON
/// Schema.
public struct StressCertificate: Sendable, Equatable, Codable {
    /// How far the test has come.
    public enum Outcome: String, Sendable, Codable {
        /// The test runs, or has crashed.
        case running
        case finished
        /// A person ended the test before everything was tried.
        case stopped
    }

    /// The result of a run.
    public enum Verdict: String, Sendable, Codable {
        case held
        case failed
        /// The recording did not start.
        case notRun = "not-run"
    }

    /// The computer that was tested.
    public struct Machine: Sendable, Equatable, Codable {
        /// The host name.
        public var host: String
        /// The kernel's name and release.
        public var system: String
        /// The processor's model; left out when the kernel does not report it.
        public var processor: String?
        /// The number of processors.
        public var processors: Int
        /// Installed memory in bytes; left out when unknown.
        public var memory_bytes: Int64?
        /// The USB controllers.
        public var controllers: [Controller]

        /// Creates an entry from its values.
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

    /// One USB controller, with its root hub.
    public struct Controller: Sendable, Equatable, Codable {
        /// The controller's address: `0000:00:14.0`.
        public var name: String
        /// The name of its bus: `usb1`.
        public var bus: String
        /// The bus speed in Mbit/s; left out when unknown.
        public var megabits: Int?

        /// Creates an entry from its values.
        public init(name: String, bus: String, megabits: Int?) {
            self.name = name
            self.bus = bus
            self.megabits = megabits
        }
    }

    /// One camera or microphone that was tested.
    public struct Device: Sendable, Equatable, Codable {
        /// The role in the profile.
        public var role: String
        /// `camera` or `microphone`.
        public var kind: String
        /// The device's name.
        public var name: String
        /// The device's lasting identity, as text.
        public var identity: String
        /// The selector that names the device.
        public var selector: String
        /// USB vendor and product, `046d:082d`; left out when there is none.
        public var product: String?
        /// The device's release number (bcdDevice), which most vendors raise with the firmware.
        public var firmware: String?
        /// The controller that the device is connected to; left out when unknown.
        public var controller: String?
        /// The speed of the device's connection in Mbit/s; left out when unknown.
        public var megabits: Int?
        /// The formats that a camera was offered to be tried with; empty for a microphone.
        public var formats: [String]

        /// Creates an entry from its values.
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

    /// What the test was asked to do.
    public struct Asked: Sendable, Equatable, Codable {
        /// The kinds of test, in the order in which they run.
        public var runs: [StressKind]
        /// Duration of each set and each step, in nanoseconds.
        public var each_ns: Int64
        /// Duration of the soak in nanoseconds; left out when there is none.
        public var soak_ns: Int64?
        /// The share of frames that a track may lose, lost ÷ (captured + lost), 0…1.
        public var lost_limit: Double

        /// Creates an entry from its values.
        public init(runs: [StressKind], each_ns: Int64, soak_ns: Int64?, lost_limit: Double) {
            self.runs = runs
            self.each_ns = each_ns
            self.soak_ns = soak_ns
            self.lost_limit = lost_limit
        }
    }

    /// The results of trying sets of cameras together.
    public struct Sets: Sendable, Equatable, Codable {
        /// The runs, in their order.
        public var runs: [Run]
        /// Why some combinations were not tried, one sentence each.
        public var left_out: [String]

        /// Creates the results.
        public init(runs: [Run] = [], leftOut: [String] = []) {
            self.runs = runs
            left_out = leftOut
        }
    }

    /// The results of raising the load step by step.
    public struct Climb: Sendable, Equatable, Codable {
        /// The runs: first the profile as it stands, then the steps upwards.
        public var runs: [Run]
        /// The number of the highest step that held; left out when none did.
        public var highest: Int?
        /// The step that failed; left out when none did.
        public var gave: Gave?

        /// Creates the results.
        public init(runs: [Run] = []) {
            self.runs = runs
        }
    }

    /// The step of a climb that failed twice, and its cause.
    public struct Gave: Sendable, Equatable, Codable {
        /// The limiting part of the system.
        public var cause: StressCause
        /// The number of the step.
        public var step: Int
        /// The change that the step made.
        public var change: String
        /// The heaviest reason for the failure.
        public var sentence: String

        /// Creates an entry from its values.
        public init(cause: StressCause, step: Int, change: String, sentence: String) {
            self.cause = cause
            self.step = step
            self.change = change
            self.sentence = sentence
        }
    }

    /// The state of the computer over all runs.
    public struct Environment: Sendable, Equatable, Codable {
        /// The lowest and highest temperature of the hottest zone; left out when unknown.
        public var temperature: Range?
        /// The greatest system pressure; left out when it was not measured.
        public var pressure_peak: PressureLevel?
        /// The sources of the computer's state that reported nothing.
        public var missing: [MissingSource]
    }

    /// A range of temperatures in degrees Celsius.
    public struct Range: Sendable, Equatable, Codable {
        /// The lowest temperature in degrees Celsius.
        public var lowest: Double
        /// The highest temperature in degrees Celsius.
        public var highest: Double

        /// Creates a range from the lowest and the highest temperature.
        public init(_ lowest: Double, _ highest: Double) {
            self.lowest = lowest
            self.highest = highest
        }

        mutating func include(_ other: Range) {
            lowest = min(lowest, other.lowest)
            highest = max(highest, other.highest)
        }
    }

    /// The version of the format.
    public var schema = 1
    /// The version of multicam.
    public var multicam: String
    /// The profile's name.
    public var profile: String
    /// When the test began: ISO 8601 with nanoseconds and the local zone's offset.
    public var started: String
    /// Duration of the test in nanoseconds.
    public var duration_ns: Int64
    /// How far the test has come.
    public var outcome: Outcome
    /// Whether every run of the profile as it stands held; left out before there is one.
    public var verdict: Verdict?
    /// The conclusions, one sentence each; the first one states the result.
    public var summary: [String]
    /// The computer that was tested.
    public var machine: Machine
    /// The devices that were tested.
    public var devices: [Device]
    /// What the test was asked to do.
    public var asked: Asked
    /// The results of trying sets; left out when they were not asked for.
    public var sets: Sets?
    /// The results of the climb; left out when it was not asked for.
    public var climb: Climb?
    /// The run of the soak; left out when there is none.
    public var soak: Run?
    /// The state of the computer over all runs.
    public var environment: Environment
    /// Notes on the figures for the reader, one sentence each.
    public var notes: [String]

    /// Creates the certificate of a test that begins: without runs, and with `running` as its outcome.
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

    /// All runs in the order in which they ran.
    public var runs: [Run] { (sets?.runs ?? []) + (climb?.runs ?? []) + (soak.map { [$0] } ?? []) }
}
