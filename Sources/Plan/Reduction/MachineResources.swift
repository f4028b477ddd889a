internal import MulticamProfiles

/// A set of machine resources: those that a reduction saves, or those that a session is short of.
package struct MachineResources: OptionSet, Sendable, Hashable {
    /// Raw bits of the set.
    package let rawValue: Int

    /// Creates a set of resources from its bits.
    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Processor time and hardware encoders. Less use of these resources also reduces heat and power
    /// consumption.
    package static let processor = MachineResources(rawValue: 1)
    /// System memory.
    package static let memory = MachineResources(rawValue: 2)
    /// Disk speed and free disk space.
    package static let storage = MachineResources(rawValue: 4)
    /// USB bandwidth that cameras reserve.
    package static let bus = MachineResources(rawValue: 8)

    /// Creates the set from a resource name of `HardwareCost`, such as `usb:1`. The set is empty for an
    /// unknown name.
    init(ofResource resource: String) {
        switch resource.prefix(while: { $0 != ":" }) {
        case "cpu", "thread", "encoder": self = .processor
        case "memory": self = .memory
        case "disk", "disk-space": self = .storage
        case "usb": self = .bus
        default: self = []
        }
    }
}

/// A kind of reduction that a session can make if it is short of a resource.
package enum ReductionKind: Hashable, CaseIterable {
    /// Use a faster encoder preset. The file becomes larger, or the frames lose a little detail.
    case preset
    /// Stop sending preview frames to clients.
    case previews
    /// Search fewer of the cameras' frames for faces and codes.
    case analysis
    /// Replace raw frames with JPEGs of the same size and rate.
    case rawFrames
    /// Reduce the resolution of a camera that isn't recorded, down to the size of the inset that shows the
    /// camera.
    case surplusSize
    /// Reduce the sharpness of the program by decoding camera JPEGs at half of their displayed size.
    case decoding
    /// Drop some of the program's frames.
    case programRate
    /// Pause the program. The program's last frame stays visible until the program resumes.
    case programPause
    /// Drop some frames of an encoded track.
    case trackRate
    /// Reduce a camera's resolution.
    case cameraSize
    /// Reduce a camera's frame rate.
    case cameraRate
    /// Switch a camera off.
    case camera

    /// Order of reductions before a plan runs, least noticeable first. A lower frame rate is more noticeable
    /// than a lower resolution, so frame sizes are reduced before frame rates.
    static let beforeStart: [ReductionKind] = [
        .rawFrames, .preset, .surplusSize, .decoding, .programRate, .cameraSize, .cameraRate,
    ]

    /// Order of reductions while a session is running, least noticeable first. Frame rates are reduced before
    /// frame sizes, because a change of the camera's size splits a copied track into two files, and a change
    /// of its rate doesn't.
    package static let whileRunning: [ReductionKind] = [
        .analysis, .preset, .previews, .decoding, .programRate, .programPause, .trackRate, .cameraRate,
        .cameraSize,
        .camera,
    ]
}

/// Determines which reduction relieves which resource shortage. The rule applies to plans before they run, to
/// proposed remedies, and to the governor.
///
/// - A reduction is made only if it saves a resource that is in short supply.
/// - Reductions without a visible effect come first, followed by reductions of the program
///   (`ReductionKind.beforeStart`, `ReductionKind.whileRunning`).
/// - If all cameras of a program are recorded as tracks, the program can be rendered later from these tracks.
///   If processor time is short, the program is reduced as far as possible, up to pausing its frames, before
///   any encoded track or its camera is reduced.
/// - A copied track contains the camera's original frames, and copying needs almost no processor time. A
///   copied track is reduced only to save resources that the track itself uses: USB bandwidth, memory, and
///   disk space.
package struct ReductionRule {
    private let plan: SessionPlan
    private let isRunning: Bool

    /// Creates the rule for a plan.
    ///
    /// - Parameters:
    ///   - plan: The plan that is running or would run.
    ///   - isRunning: Whether the plan is already running. The frame grids of a running plan's tracks are
    ///     fixed.
    package init(_ plan: SessionPlan, isRunning: Bool) {
        self.plan = plan
        self.isRunning = isRunning
    }

    /// Whether the program can be rendered later from the tracks of its cameras.
    var canRerenderProgram: Bool {
        guard plan.program != nil, !plan.cameras.isEmpty else { return false }
        let recorded = Set(plan.cameraTracks.map(\.role))
        return plan.cameras.allSatisfy { recorded.contains($0.role) }
    }

    /// Whether the camera's track stores its frames byte for byte.
    func isCopied(_ role: String) -> Bool {
        plan.cameraTracks.contains { $0.role == role && $0.mode == .copy }
    }

    /// Whether the camera has no track and is shown only as an inset.
    func isOnlyInset(_ role: String) -> Bool {
        guard let program = plan.program, program.arrangement.main != role else { return false }
        return program.arrangement.layout.hasInsets && program.layers.contains { $0.role == role }
            && !plan.cameraTracks.contains { $0.role == role }
    }

    /// Returns the resources that a reduction saves.
    ///
    /// - Parameters:
    ///   - concession: The reduction to check.
    ///   - role: The camera's role, for a reduction of one camera.
    /// - Returns: The saved resources; an empty set if the reduction isn't allowed.
    package func savedResources(of concession: ReductionKind, role: String? = nil) -> MachineResources {
        switch concession {
        case .preset, .previews, .analysis, .decoding: .processor
        case .rawFrames: .bus
        case .surplusSize: role.map(isOnlyInset) == true ? [.processor, .memory, .bus] : []
        case .programRate, .trackRate: [.processor, .storage]
        case .programPause: canRerenderProgram ? [.processor, .storage] : []
        case .cameraSize: camera(role, [.memory, .storage, .bus])
        // A running track keeps its frame grid. The track duplicates frames if its camera slows down, so the
        // file doesn't get smaller.
        case .cameraRate: camera(role, isRunning ? [.memory, .bus] : [.memory, .bus, .storage])
        case .camera: camera(role, [.memory, .storage])
        }
    }

    private func camera(_ role: String?, _ own: MachineResources) -> MachineResources {
        guard let role else { return [] }
        return isCopied(role) ? own : own.union(.processor)
    }
}
