package import MulticamMedia

/// The share of a machine that a plan needs, estimated before the plan runs. The minimum cost is 0, and a
/// plan with a cost above 1 can't run. The scarcest resource determines the total cost.
///
/// The cost is a pure function of the plan and the machine.
public struct HardwareCost: Sendable, Equatable {
    /// The use of one resource.
    public struct Term: Sendable, Equatable {
        /// Name of the resource: `cpu`, `thread:program`, `encoder:h264_vaapi`, `memory`, `disk`, `disk-space`, or `usb:1`
        /// (`USBDomain.name`).
        public let resource: String
        /// The share of the resource that the plan uses; 1 is the whole resource.
        public let used: Double
        /// The share of each owner, largest first. The shares add up to `used`.
        package let parts: [Part]
        /// User-readable sentence that states the use in absolute quantities.
        public let explanation: String
    }

    /// One owner's share of a resource.
    package struct Part: Sendable, Equatable {
        /// Owner: `program`, `session`, a role, or a device that another program uses.
        package let owner: String
        /// The share of the resource that the owner uses; 1 is the whole resource.
        package let used: Double
    }

    /// Use of each resource, scarcest first.
    public let terms: [Term]
    /// One sentence for each resource that can't be estimated, with the reason.
    package let unknown: [String]

    /// The used share of the scarcest resource; 0 if no resource is known.
    public var total: Double { terms.first?.used ?? 0 }

    /// The share of processor time that can be used before frames are lost. The rest is headroom for load
    /// peaks from encoders and other programs.
    package static let usableProcessorShare = 0.9
    /// The share of one processor that a thread can use for composing frames and passing them to the encoder.
    private static let usableThreadShare = 0.9
    /// Memory of the process without frames, in bytes: libraries, stacks, and queues. This value was measured while
    /// recording one microphone.
    private static let baseMemory = 40e6
    /// Number of frames of the encoded size that x264 buffers at its recording presets, including its lookahead and two
    /// threads.
    private static let encoderFrames = 45.0
    /// Number of frames that a hardware encoder without dedicated memory keeps in system memory: the frame
    /// pool, frames in transit, and the composed frame.
    private static let hardwareFrames = 14.0
    /// Seconds of a camera's unprocessed frames that may be buffered for alignment or while the disk is stalled.
    private static let waitingSeconds = 3.0

    /// Estimates the cost of a plan on a machine.
    ///
    /// - Parameters:
    ///   - plan: The plan as it would run.
    ///   - machine: The machine that would run the plan.
    ///   - duration: The length of the recording; `nil` to ignore free disk space.
    package init(of plan: SessionPlan, on machine: MachineModel, duration: Nanoseconds? = nil) {
        let work = PlannedWork(plan)
        var terms: [Term] = []
        var unknown: [String] = []
        let encoding = EncoderCost(of: plan, on: machine)
        if let times = work.processorTime(by: machine.costs) {
            terms += Self.processor(times.merging(encoding.processorTime) { $0 + $1 }, machine)
            terms += Self.threads(work, machine)
        } else {
            unknown.append("cpu: the cost table of this computer does not cover all of the work in the plan.")
        }
        terms += encoding.terms
        unknown += encoding.unknown
        if let free = machine.freeMemory {
            terms.append(Self.memory(plan, free, isLimited: machine.isMemoryLimited))
        } else {
            unknown.append("memory: the amount of free memory is unknown.")
        }
        if let disk = machine.disk {
            terms += Self.disk(plan, disk, duration)
            if disk.bytesPerSecond == nil {
                unknown.append(
                    "disk: the write speed has not been measured."
                        + onCommandLine(" Run `multicam calibrate --machine --output DIR`.")
                )
            }
        } else {
            unknown.append("disk: the disk that contains the output folder is unknown.")
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
                    "\(rounded(needed * 1000)) ms of processor time per second is needed, and \(rounded(usable * 1000)) ms is available on \(rounded(machine.processors)) processors."
            )
        ]
    }

    /// Returns the load of the composing threads. Each encoded video stream is composed by a single thread.
    private static func threads(_ work: PlannedWork, _ machine: MachineModel) -> [Term] {
        let composing = work.items.filter { $0.kind.isComposing && $0.owner != PlannedWork.analysisOwner }
        return Set(composing.map(\.owner)).sorted().compactMap { owner in
            let time = composing.filter { $0.owner == owner }.reduce(0) { sum, item in
                let entry = machine.costs.entry(item.kind, item.detail)
                return sum + item.rate * (entry?.nanoseconds(units: item.units) ?? 0) / 1e9
            }
            let used = time / usableThreadShare
            return Term(
                resource: "thread:\(owner)", used: used, parts: [Part(owner: owner, used: used)],
                explanation:
                    "the thread that composes \(owner) is busy for \(rounded(time * 1000)) ms per second.")
        }
    }

    // MARK: Memory and disk

    /// How messages refer to the limit on the process's memory, `RLIMIT_AS`.
    static let addressSpaceLimit = "the address space limit (`ulimit -v`)"

    private static func memory(_ plan: SessionPlan, _ free: Int64, isLimited: Bool) -> Term {
        var bytes: [String: Double] = [SessionPlan.programOwner: baseMemory]
        for camera in plan.cameras {
            bytes[camera.role, default: 0] +=
                camera.expectedBytes * camera.format.rate.perSecond * waitingSeconds
        }
        let live = plan.liveOutputs.compactMap { liveOutput in
            liveOutput.encoder.map { (owner: liveOutput.name, settings: $0) }
        }
        for (owner, settings) in plan.encoders + live {
            let frames = settings.hardware == nil ? encoderFrames : hardwareFrames
            bytes[owner, default: 0] += Double(settings.size.pixelCount) * 1.5 * frames
        }
        let needed = sum(bytes)
        return Term(
            resource: "memory", used: needed / Double(max(free, 1)),
            parts: parts(bytes, of: Double(max(free, 1))),
            explanation: "\(megabytes(needed)) of memory may be needed, and \(megabytes(Double(free))) "
                + (isLimited ? "are available within \(addressSpaceLimit)." : "are free."))
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
                        "\(megabytes(needed)) per second will be written; the disk can write up to \(megabytes(speed)) per second."
                ))
        }
        if let duration {
            let length = needed * duration.inSeconds
            let free = Double(max(disk.freeBytes, 1))
            terms.append(
                Term(
                    resource: Self.diskSpace, used: length / free,
                    parts: parts(rates.mapValues { $0 * duration.inSeconds }, of: free),
                    explanation:
                        "recording for \(duration.displayText) requires \(megabytes(length)) of disk space; \(megabytes(Double(max(disk.freeBytes, 0)))) is free."
                ))
        }
        return terms
    }

    /// Name of the resource for the disk space that a recording of a known length needs.
    static let diskSpace = "disk-space"

    /// Returns the sum of amounts. The amounts are added in a fixed order, so that equal plans have exactly
    /// the same cost.
    private static func sum(_ amounts: [String: Double]) -> Double {
        amounts.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value }
    }

    static func parts(_ amounts: [String: Double], of all: Double) -> [Part] {
        amounts.map { Part(owner: $0.key, used: $0.value / all) }.sorted {
            ($1.used, $0.owner) < ($0.used, $1.owner)
        }
    }

    /// Formats a number of bytes in decimal units with up to three significant digits: `2.5 GB`, `12.6 MB`.
    package static func megabytes(_ bytes: Double) -> String {
        bytes >= 1e9 ? "\(rounded(bytes / 1e9)) GB" : "\(rounded(bytes / 1e6)) MB"
    }

    /// Formats a number with up to three significant digits.
    static func rounded(_ value: Double) -> String {
        let steps = value >= 100 ? 1.0 : value >= 10 ? 10 : 100
        let text = "\((value * steps).rounded() / steps)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension WorkKind {
    /// Whether the thread that feeds an encoder does this kind of work, one frame after another.
    fileprivate var isComposing: Bool {
        switch self {
        case .decodeJPEG1, .decodeJPEG2, .decodeJPEG3, .decodeJPEG4, .decodeJPEG8, .unpack, .scale, .turn,
            .recolor:
            true
        case .decodeH264, .encodeUltrafast, .encodeBalanced, .encodeSuperfast, .encodeVeryfast, .encodeAudio,
            .resample,
            .store, .analyze, .deliver:
            false
        }
    }
}

extension HardwareCost {
    /// Returns the bandwidth that a plan's cameras and the active streams reserve on each USB segment that
    /// the cameras use.
    ///
    /// USB bandwidth is reserved in microframes of 125 µs, and the fullest microframe determines the use of
    /// the segment. Streams of other programs keep their microframes. The plan's cameras are assigned to the
    /// emptiest microframes, on the assumption that the driver finds the best position for each camera.
    static func usb(_ plan: SessionPlan, _ topology: USBTopology) -> [Term] {
        var load = topology.load(without: Set(plan.cameras.map(\.identity)))
        var words: [USBDomain: [String]] = [:]
        for planned in plan.cameras {
            guard let camera = planned.usb ?? topology.camera(planned.identity),
                let demand = camera.demand(in: planned.format)
            else { continue }
            load.add(demand, of: camera, for: planned.role)
            for domain in camera.domains {
                words[domain, default: []].append("\(planned.role) \(demand.words)")
            }
        }
        return words.map { domain, words in
            let budget = Double(domain.budget.count)
            let parts = load.timeByOwner(domain).mapValues { Double($0.count) / budget }
            let peak = microseconds(load.peak(domain))
            return Term(
                resource: "usb:\(domain.name)", used: Double(load.peak(domain).count) / budget,
                parts: parts.map { Part(owner: $0.key, used: $0.value) }.sorted {
                    ($1.used, $0.owner) < ($0.used, $1.owner)
                },
                explanation:
                    "\(peak) µs of the \(microseconds(domain.budget)) µs that \(domain.place) (\(domain.controller.printable())) can reserve per 125 µs microframe: \(words.joined(separator: "; "))\(others(load, domain, plan))."
            )
        }
    }

    private static func others(_ load: USBLoad, _ domain: USBDomain, _ plan: SessionPlan) -> String {
        let roles = Set(plan.cameras.map(\.role))
        let others = load.timeByOwner(domain).keys.filter { !roles.contains($0) }.sorted()
        return others.isEmpty ? "" : "; already in use: \(others.joined(separator: ", "))"
    }

    /// Formats a time in microseconds, rounded to a tenth.
    private static func microseconds(_ time: Nanoseconds) -> String {
        let tenths = (time.count + 50) / 100
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}

extension USBLoad {
    /// Adds the bandwidth that a camera of a plan will reserve.
    ///
    /// If the demand exceeds the camera's largest bandwidth setting, the ratio of the demand to that setting
    /// is counted as the used share of the bus. The share is then above 1, so the plan never fits.
    mutating func add(_ demand: USBDemand, of camera: USBCamera, for owner: String) {
        guard case .tooLarge(let bytes) = demand.basis else {
            return add(demand.reservation, at: camera.speed, on: camera.domains, for: owner)
        }
        for domain in camera.domains {
            let share = Double(bytes) / Double(max(demand.maximum.bytes, 1))
            add(Nanoseconds(Int64(Double(domain.budget.count) * share)), on: domain, for: owner)
        }
    }
}

extension USBDemand {
    /// Describes the demand with words that follow the name of a role:
    /// `reserves 3072 bytes, as in its last use`.
    var words: String {
        switch basis {
        case .measured: "reserves \(reservation.bytes) bytes, as when it was last used"
        case .computed: "reserves \(reservation.bytes) bytes for its raw format"
        case .estimated where reservation == maximum: "reserves at most \(reservation.bytes) bytes"
        case .estimated:
            "is assumed to reserve \(reservation.bytes) bytes, but may reserve up to \(maximum.bytes) bytes (the exact number is known only while the camera is streaming)"
        case .tooLarge(let bytes):
            "needs \(bytes) bytes, but can reserve at most \(maximum.bytes) bytes"
        }
    }
}

extension HardwareCost {
    /// Creates a cost directly from terms instead of a plan and a machine model.
    init(terms: [Term], unknown: [String]) {
        self.terms = terms.sorted { ($1.used, $0.resource) < ($0.used, $1.resource) }
        self.unknown = unknown
    }
}

/// The share of the machine's hardware encoders that a plan needs, and the processor time that these encoders require.
struct EncoderCost {
    /// One term for each hardware encoder that the plan uses.
    let terms: [HardwareCost.Term]
    /// One sentence for each encoder of the plan that hasn't been measured on the machine.
    let unknown: [String]
    /// Processor seconds per second of recording that the encoder driver and the copying of frames take, by
    /// owner.
    let processorTime: [String: Double]

    init(of plan: SessionPlan, on machine: MachineModel) {
        var terms: [HardwareCost.Term] = []
        var unknown: [String] = []
        var times: [String: Double] = [:]
        let streams = plan.encoders.filter { $0.settings.hardware != nil }
        let used = Set(streams.compactMap(\.settings.hardware)).sorted { $0.name < $1.name }
        for encoder in used {
            let own = streams.filter { $0.settings.hardware == encoder }
            // Two graphics cards of the same kind are distinguished by their device nodes.
            let isOnly = used.count { $0.library == encoder.library } == 1
            let name = isOnly ? encoder.library : "\(encoder.library):\(encoder.nodeName)"
            guard let figures = machine.encoders.first(where: { $0.encoder == encoder })?.figures else {
                unknown.append("encoder:\(name): its performance has not been measured on this computer.")
                continue
            }
            var pixels: [String: Double] = [:]
            for (owner, settings) in own {
                pixels[owner, default: 0] += settings.pixelsPerSecond
                times[owner, default: 0] +=
                    settings.rate.perSecond
                    * figures.processor.nanoseconds(units: Double(settings.size.pixelCount)) / 1e9
            }
            terms.append(Self.term(name, pixels, figures))
        }
        self.terms = terms
        self.unknown = unknown
        processorTime = times
    }

    private static func term(
        _ name: String, _ pixels: [String: Double], _ figures: EncoderFigures
    ) -> HardwareCost.Term {
        let sustained = max(figures.pixelsPerSecond, 1)
        let needed = pixels.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value }
        let words =
            "\(HardwareCost.rounded(needed / 1e6)) million pixels per second are needed, and the encoder can encode "
            + "\(HardwareCost.rounded(sustained / 1e6)) million; \(pixels.count) of \(figures.streams) tested streams are used."
        return HardwareCost.Term(
            resource: "encoder:\(name)", used: needed / sustained,
            parts: HardwareCost.parts(pixels, of: sustained), explanation: words)
    }
}

extension HardwareEncoder {
    /// The last part of the encoder's device node: `renderD128`.
    var nodeName: String { (node.split(separator: "/").last.map(String.init) ?? node).printable() }
}
