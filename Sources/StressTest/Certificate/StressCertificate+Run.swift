public import Media
public import Monitoring
public import Plan
internal import SessionFolder

extension StressCertificate {
    /// One recording of a test: what it was, what was expected of it, what was measured, and whether it held.
    public struct Run: Sendable, Equatable, Codable {
        /// `set-03`, `climb-07`, `soak`.
        public var name: String
        public var kind: StressKind
        /// Of a set its grade, of a step what was raised.
        public var title: String
        /// Of a step, its number; the repetition of one has the same.
        public var step: Int?
        /// The formats are those of the profile, all cameras take part.
        public var is_profile: Bool
        public var cameras: [Camera]
        public var started_ns: Int64
        /// Recorded; 0 where it did not start.
        public var duration_ns: Int64
        public var verdict: Verdict
        /// What gave, where it did not hold.
        public var cause: StressCause?
        /// Why it did not hold, a sentence each.
        public var reasons: [String]
        public var tracks: [Track]
        public var predicted: Predicted?
        public var measured: Measured?
        public var course: Course?

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

    public struct Camera: Sendable, Equatable, Codable {
        public var role: String
        public var pixel: String
        public var width: Int
        public var height: Int
        public var rate: Double

        public init(_ role: String, _ format: VideoFormat) {
            self.role = role
            pixel = format.pixel.rawValue
            width = format.size.width
            height = format.size.height
            rate = format.rate.perSecond
        }

        /// Pixels a second.
        var load: Double { Double(width * height) * rate }
    }

    /// What became of a track.
    public struct Track: Sendable, Equatable, Codable {
        public var name: String
        public var kind: String
        /// Frames, or samples of a microphone.
        public var captured: Int64
        /// By cause; of a microphone `filled`.
        public var lost: [String: Int64]

        public init(name: String, kind: String, captured: Int64, lost: [String: Int64]) {
            self.name = name
            self.kind = kind
            self.captured = captured
            self.lost = lost
        }

        public var lostInAll: Int64 { lost.values.reduce(0, +) }
        public var lostShare: Double {
            lostInAll == 0 ? 0 : Double(lostInAll) / Double(max(captured, 0) + lostInAll)
        }
    }

    /// What a plan was expected to need, before it ran.
    public struct Predicted: Sendable, Equatable, Codable {
        /// The largest of the terms: above 1 it is not expected to hold.
        public var hardware: Double
        public var terms: [Term]
        /// Processors' worth of time; left out where the machine's costs are not known.
        public var processors: Double?
        /// Onto the disk.
        public var bytes_per_second: Double

        public init(_ cost: HardwareCost, plan: SessionPlan, costs: CostTable) {
            hardware = cost.total
            terms = cost.terms.map { Term(resource: $0.resource, used: $0.used) }
            processors = PlannedWork(plan).processorTime(by: costs)?.values.reduce(0, +)
            bytes_per_second = plan.bytesPerSecond.values.reduce(0, +)
        }
    }

    public struct Term: Sendable, Equatable, Codable {
        public var resource: String
        public var used: Double
    }

    /// What a run took, once it was under way.
    public struct Measured: Sendable, Equatable, Codable {
        /// Processors' worth of time, without the threads that stand in for hardware. Left out in simulated time.
        public var processors: Double?
        /// Of the threads that stand in for hardware: they share the processors with the program.
        public var made_up_processors: Double?
        /// Onto the disk; left out where the system does not say.
        public var bytes_per_second: Double?
        /// From the cameras, as delivered, without what USB adds to it.
        public var camera_bytes_per_second: Double?
        public var pressure_peak: PressureLevel?
        public var pressure_causes: [String]
        public var temperature: Range?
    }

    /// How it went, in columns: a value for each of `at_ns`. Rates are since the time before.
    public struct Course: Sendable, Equatable, Codable {
        public var at_ns: [Int64]
        public var cameras: [String: CameraCourse]
        public var pressure: [PressureLevel]
        /// Of the hottest zone, in degrees Celsius; null where there is none.
        public var temperature: [Double?]
        /// Processors' worth of time; null in simulated time.
        public var processors: [Double?]
        /// Onto the disk.
        public var bytes_per_second: [Double?]
        /// Free on the disk.
        public var free_bytes: [Int64?]
    }

    public struct CameraCourse: Sendable, Equatable, Codable {
        /// Frames that arrived, a second.
        public var rate: [Double]
        /// The mean distance of a time stamp from an even rhythm; null where no two frames came.
        public var jitter_us: [Double?]
        /// Since T0, by cause; `computer` are those that were lost after they had arrived: late, encoder, disk.
        public var lost: [String: [Int]]
    }
}

extension StressCertificate.Camera: CustomStringConvertible {
    /// `desk mjpeg 1280x720 at 30`.
    public var description: String {
        "\(role) \(pixel) \(width)x\(height) at \(FrameRate(rate)?.description ?? "\(rate)")"
    }
}

extension StressCertificate.Verdict {
    /// Whether it did what was asked.
    public var isHeld: Bool { self == .held }
}
