public import Media

/// The share of a machine that a plan needs, reckoned before it runs: 0 upward, and above 1 it does not run. The scarcest
/// resource decides.
///
/// A pure function of plan and machine.
public struct HardwareCost: Sendable, Equatable {
    /// The use of one resource.
    public struct Term: Sendable, Equatable {
        /// Name of the resource: `cpu`, `thread:program`, `encoder:h264_vaapi`, `memory`, `disk`, `disk-space`, or `usb:1`
        /// (`USBDomain.name`).
        public let resource: String
        /// The share of the resource that is used: 1 is all of it.
        public let used: Double
        /// The owners of the use, the largest first; their shares add up to `used`.
        public let parts: [Part]
        /// The use in absolute quantities, as a sentence for people.
        public let explanation: String
    }

    /// One owner's part in the use of a resource.
    public struct Part: Sendable, Equatable {
        /// The owner: `program`, `session`, a role, or a device that another program uses.
        public let owner: String
        /// The share of the resource that the owner uses: 1 is all of it.
        public let used: Double
    }

    /// The use of each resource, the scarcest first.
    public let terms: [Term]
    /// One sentence for each resource whose use cannot be reckoned, with the reason.
    public let unknown: [String]

    /// The share of the scarcest resource; 0 where no resource is known.
    public var total: Double { terms.first?.used ?? 0 }

    /// The share of the processors that can be used before frames are lost: encoders' peaks and other programs need the rest.
    public static let usableProcessorShare = 0.9
    /// The share of one processor that a thread which composes and hands frames to its encoder can use.
    private static let usableThreadShare = 0.9
    /// Memory of the process without frames, in bytes: libraries, stacks, queues. Measured on a recording of one microphone.
    private static let baseMemory = 40e6
    /// Frames of the encoded size that x264 keeps at its recording presets, including its lookahead and two threads.
    private static let encoderFrames = 45.0
    /// Frames that a hardware encoder keeps in the computer's memory where it has none of its own: its pool, those on their way,
    /// and the composed one.
    private static let hardwareFrames = 14.0
    /// Seconds of a camera's own frames that may wait on their way: alignment, and a disk that pauses.
    private static let waitingSeconds = 3.0

    /// Reckons what a plan costs on a machine.
    ///
    /// - Parameters:
    ///   - plan: The plan as it would run.
    ///   - machine: The machine that it would run on.
    ///   - duration: The length of the recording; `nil` leaves the room on the disk out of account.
    public init(of plan: SessionPlan, on machine: MachineModel, duration: Nanoseconds? = nil) {
        let work = PlannedWork(plan)
        var terms: [Term] = []
        var unknown: [String] = []
        let encoding = EncoderCost(of: plan, on: machine)
        if let times = work.processorTime(by: machine.costs) {
            terms += Self.processor(times.merging(encoding.processorTime) { $0 + $1 }, machine)
            terms += Self.threads(work, machine)
        } else {
            unknown.append("cpu: the cost table of this machine does not have all that the plan does.")
        }
        terms += encoding.terms
        unknown += encoding.unknown
        if let free = machine.freeMemory {
            terms.append(Self.memory(plan, free))
        } else {
            unknown.append("memory: the system does not say how much is free.")
        }
        if let disk = machine.disk {
            terms += Self.disk(plan, disk, duration)
            if disk.bytesPerSecond == nil {
                unknown.append(
                    "disk: how fast it writes has not been measured; `multicam calibrate --machine --output DIR` does it."
                )
            }
        } else {
            unknown.append("disk: nothing is known of where recordings go.")
        }
        terms += Self.usb(plan, machine.usb)
        self.terms = terms.sorted { ($1.used, $0.resource) < ($0.used, $1.resource) }
        self.unknown = unknown
    }

    // MARK: Processor

    private static func processor(_ times: [String: Double], _ machine: MachineModel) -> [Term] {
        let usable = machine.processors * usableProcessorShare
        let needed = sum(times)
        return [
            Term(
                resource: "cpu", used: needed / usable, parts: parts(times, of: usable),
                explanation:
                    "\(rounded(needed * 1000)) ms of processor time a second, of \(rounded(usable * 1000)) ms that "
                    + "\(rounded(machine.processors)) processors can give.")
        ]
    }

    /// Composing is one thread's work for each encoded frame stream.
    private static func threads(_ work: PlannedWork, _ machine: MachineModel) -> [Term] {
        let composing = work.items.filter { $0.kind.isComposing }
        return Set(composing.map(\.owner)).sorted().compactMap { owner in
            let time = composing.filter { $0.owner == owner }.reduce(0) { sum, item in
                let entry = machine.costs.entry(item.kind, item.detail)
                return sum + item.rate * (entry?.nanoseconds(units: item.units) ?? 0) / 1e9
            }
            let used = time / usableThreadShare
            return Term(
                resource: "thread:\(owner)", used: used, parts: [Part(owner: owner, used: used)],
                explanation:
                    "the thread that composes \(owner) is busy for \(rounded(time * 1000)) ms a second.")
        }
    }

    // MARK: Memory and disk

    private static func memory(_ plan: SessionPlan, _ free: Int64) -> Term {
        var bytes: [String: Double] = [SessionPlan.programOwner: baseMemory]
        for camera in plan.cameras {
            bytes[camera.role, default: 0] +=
                camera.expectedBytes * camera.format.rate.perSecond * waitingSeconds
        }
        let live = plan.publications.compactMap { publication in
            publication.encoder.map { (owner: publication.name, settings: $0) }
        }
        for (owner, settings) in plan.encoders + live {
            let frames = settings.hardware == nil ? encoderFrames : hardwareFrames
            bytes[owner, default: 0] += Double(settings.size.pixelCount) * 1.5 * frames
        }
        let needed = sum(bytes)
        return Term(
            resource: "memory", used: needed / Double(max(free, 1)),
            parts: parts(bytes, of: Double(max(free, 1))),
            explanation: "\(megabytes(needed)) at most, of \(megabytes(Double(free))) that are free.")
    }

    private static func disk(_ plan: SessionPlan, _ disk: MachineModel.Disk, _ duration: Nanoseconds?)
        -> [Term]
    {
        let rates = plan.bytesPerSecond
        let needed = sum(rates)
        var terms: [Term] = []
        if let speed = disk.bytesPerSecond, speed > 0 {
            terms.append(
                Term(
                    resource: "disk", used: needed / speed, parts: parts(rates, of: speed),
                    explanation:
                        "\(megabytes(needed)) a second, of \(megabytes(speed)) that the disk can write."))
        }
        if let duration {
            let length = needed * duration.inSeconds
            let free = Double(max(disk.freeBytes, 1))
            terms.append(
                Term(
                    resource: Self.diskSpace, used: length / free,
                    parts: parts(rates.mapValues { $0 * duration.inSeconds }, of: free),
                    explanation:
                        "\(duration.words) need \(megabytes(length)), \(megabytes(Double(max(disk.freeBytes, 0)))) are free."
                ))
        }
        return terms
    }

    /// The resource that a recording of a known length fills.
    static let diskSpace = "disk-space"

    /// The sum of the amounts, added in one order so that equal plans cost the same to the last digit.
    private static func sum(_ amounts: [String: Double]) -> Double {
        amounts.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value }
    }

    static func parts(_ amounts: [String: Double], of all: Double) -> [Part] {
        amounts.map { Part(owner: $0.key, used: $0.value / all) }.sorted {
            ($1.used, $0.owner) < ($0.used, $1.owner)
        }
    }

    /// A number of bytes in words with three digits: `2.5 GB`, `12.6 MB`, in powers of ten.
    public static func megabytes(_ bytes: Double) -> String {
        bytes >= 1e9 ? "\(rounded(bytes / 1e9)) GB" : "\(rounded(bytes / 1e6)) MB"
    }

    /// A number with three significant digits.
    static func rounded(_ value: Double) -> String {
        let steps = value >= 100 ? 1.0 : value >= 10 ? 10 : 100
        let text = "\((value * steps).rounded() / steps)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension WorkKind {
    /// Whether the thread that feeds an encoder does this work, one frame after the other.
    fileprivate var isComposing: Bool {
        switch self {
        case .decodeJPEG1, .decodeJPEG2, .decodeJPEG3, .decodeJPEG4, .decodeJPEG8, .unpack, .scale, .turn,
            .recolor:
            true
        case .decodeH264, .encodeUltrafast, .encodeBalanced, .encodeSuperfast, .encodeVeryfast, .encodeAudio,
            .resample,
            .store, .deliver:
            false
        }
    }
}
