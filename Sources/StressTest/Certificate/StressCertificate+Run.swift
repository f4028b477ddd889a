public import Media
public import Monitoring
public import Plan
internal import SessionFolder

extension StressCertificate {
    /// One recording of a stress test: its cameras, the predicted cost, the measurements and the verdict.
    public struct Run: Sendable, Equatable, Codable {
        /// The run's unique name: `set-03`, `climb-07`, `soak`.
        public var name: String
        /// The kind of test that the run belongs to.
        public var kind: StressKind
        /// The grade of a set, or the change of a step.
        public var title: String
        /// The number of a climb's step; a repetition has the same number. `nil` for other kinds.
        public var step: Int?
        /// Whether the run is the profile as it stands: its own formats, with all cameras.
        public var is_profile: Bool
        /// The cameras that take part, with their formats.
        public var cameras: [Camera]
        /// When the run began, in nanoseconds since the test began.
        public var started_ns: Int64
        /// Recorded time in nanoseconds; 0 when the recording did not start.
        public var duration_ns: Int64
        /// Whether the run held.
        public var verdict: Verdict
        /// The limiting part of the system; `nil` when the run held.
        public var cause: StressCause?
        /// Why the run did not hold, one sentence each.
        public var reasons: [String]
        /// The losses of each track.
        public var tracks: [Track]
        /// The cost predicted for the plan; `nil` when the run could not be planned.
        public var predicted: Predicted?
        /// What the run took; `nil` when it did not start.
        public var measured: Measured?
        /// The samples over the run's time; `nil` when there are fewer than two.
        public var course: Course?

        /// Creates a run without a result, which is started `startedAt` after the beginning of the test.
        public init(
            name: String, kind: StressKind, title: String, step: Int?, isProfile: Bool, cameras: [Camera],
            startedAt: Nanoseconds
        ) {
            self.name = name
            self.kind = kind
            self.title = title
            self.step = step
            is_profile = isProfile
            self.cameras = cameras
            started_ns = startedAt.count
            duration_ns = 0
            verdict = .notRun
            reasons = []
            tracks = []
        }
    }

    /// One camera of a run, with its format.
    public struct Camera: Sendable, Equatable, Codable {
        /// The camera's role.
        public var role: String
        /// The pixel format, as profiles name it: `mjpeg`.
        public var pixel: String
        /// Width in pixels.
        public var width: Int
        /// Height in pixels.
        public var height: Int
        /// Frames per second.
        public var rate: Double

        /// Creates an entry from a role and its format.
        public init(_ role: String, _ format: VideoFormat) {
            self.role = role
            pixel = format.pixel.rawValue
            width = format.size.width
            height = format.size.height
            rate = format.rate.perSecond
        }

        /// Pixels per second.
        var load: Double { Double(width * height) * rate }
    }

    /// The captured and lost frames or samples of one track.
    public struct Track: Sendable, Equatable, Codable {
        /// The track's name: its role, or `program`.
        public var name: String
        /// The kind of track: `camera`, `microphone`, `program`.
        public var kind: String
        /// The number of frames captured; of samples for a microphone.
        public var captured: Int64
        /// Lost frames by cause; for a microphone, replaced samples as `filled`.
        public var lost: [String: Int64]

        /// Creates an entry from its values.
        public init(name: String, kind: String, captured: Int64, lost: [String: Int64]) {
            self.name = name
            self.kind = kind
            self.captured = captured
            self.lost = lost
        }

        /// Lost frames or samples of all causes.
        public var lostInAll: Int64 { lost.values.reduce(0, +) }
        /// Lost ÷ (captured + lost), 0…1.
        public var lostShare: Double {
            lostInAll == 0 ? 0 : Double(lostInAll) / Double(max(captured, 0) + lostInAll)
        }
    }

    /// What a plan was expected to need, computed before it ran.
    public struct Predicted: Sendable, Equatable, Codable {
        /// The largest of the terms; above 1 the plan is not expected to hold.
        public var hardware: Double
        /// The predicted use of each resource.
        public var terms: [Term]
        /// Predicted processor seconds per second; left out when the machine's costs are not known.
        public var processors: Double?
        /// Predicted bytes per second written to the disk.
        public var bytes_per_second: Double

        /// Creates the prediction of a plan from its hardware cost and a machine's costs.
        public init(_ cost: HardwareCost, plan: SessionPlan, costs: CostTable) {
            hardware = cost.total
            terms = cost.terms.map { Term(resource: $0.resource, used: $0.used) }
            processors = PlannedWork(plan).processorTime(by: costs)?.values.reduce(0, +)
            bytes_per_second = plan.bytesPerSecond.values.reduce(0, +)
        }
    }

    /// The predicted use of one resource.
    public struct Term: Sendable, Equatable, Codable {
        /// The resource's name: `cpu`, for example.
        public var resource: String
        /// The used share of the resource; 1 is all of it.
        public var used: Double
    }

    /// What a run took, averaged from its first to its last sample.
    public struct Measured: Sendable, Equatable, Codable {
        /// Processor seconds per second, without the threads of synthetic devices. Left out in simulated time.
        public var processors: Double?
        /// Processor seconds per second of the threads of synthetic devices, which share the processors with the program.
        public var made_up_processors: Double?
        /// Bytes per second written to the disk; left out when the system does not say.
        public var bytes_per_second: Double?
        /// Bytes per second of frames that the cameras delivered, without the overhead of USB.
        public var camera_bytes_per_second: Double?
        /// The greatest system pressure; left out when it was not measured.
        public var pressure_peak: PressureLevel?
        /// The factors of system pressure, one sentence each.
        public var pressure_causes: [String]
        /// The lowest and the highest temperature of the hottest zone, in degrees Celsius.
        public var temperature: Range?
    }

    /// The samples of a run as columns, with one value for each element of `at_ns`. Rates are averages since the element before.
    public struct Course: Sendable, Equatable, Codable {
        /// The time of each sample in nanoseconds since T0.
        public var at_ns: [Int64]
        /// The columns of each camera, by role.
        public var cameras: [String: CameraCourse]
        /// System pressure.
        public var pressure: [PressureLevel]
        /// Temperature of the hottest zone in degrees Celsius; null when there is none.
        public var temperature: [Double?]
        /// Processor seconds per second; null in simulated time.
        public var processors: [Double?]
        /// Bytes per second written to the disk; null when unknown.
        public var bytes_per_second: [Double?]
        /// Free bytes on the disk; null when unknown.
        public var free_bytes: [Int64?]
    }

    /// The samples of one camera as columns.
    public struct CameraCourse: Sendable, Equatable, Codable {
        /// Delivered frames per second.
        public var rate: [Double]
        /// Mean deviation of the time stamps from an even rhythm, in microseconds; null when no two frames came.
        public var jitter_us: [Double?]
        /// Frames lost since T0, by cause; `computer` counts those lost after their delivery: late, encoder, disk, governor.
        public var lost: [String: [Int]]
    }
}

extension StressCertificate.Camera: CustomStringConvertible {
    /// The camera and its format in words: `desk mjpeg 1280x720 at 30`.
    public var description: String {
        "\(role) \(pixel) \(width)x\(height) at \(FrameRate(rate)?.description ?? "\(rate)")"
    }
}

extension StressCertificate.Verdict {
    /// Whether the run did what was asked.
    public var isHeld: Bool { self == .held }
}
