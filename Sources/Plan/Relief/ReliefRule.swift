internal import Profiles

/// The rule that says which concession helps against which shortage: for a plan before it runs, its remedies, and the governor.
///
/// - A step is taken only if it relieves what is short.
/// - Concessions that nobody sees go first, then the program (`Concession.beforeStart`, `Concession.whileRunning`).
/// - A program whose cameras are all recorded as tracks can be made again from them. For a shortage of processor time it gives
///   up all that it has, in the end its frames, before an encoded track or its camera gives anything.
/// - A copied track is an original, and copying it takes next to no processor time: it gives only for the resources that it
///   uses itself: the bus, memory and the disk.
///
/// A value: a plan goes in, a set of resources comes out.
package struct ReliefRule {
    private let plan: SessionPlan
    private let isRunning: Bool

    /// Creates the rule for a plan.
    ///
    /// - Parameters:
    ///   - plan: The plan as it would run, or runs.
    ///   - isRunning: Whether the plan runs already, so that the grids of its tracks are fixed.
    package init(_ plan: SessionPlan, isRunning: Bool) {
        self.plan = plan
        self.isRunning = isRunning
    }

    /// Whether the program can be made again from the tracks of its cameras.
    var canRemakeProgram: Bool {
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
        return program.arrangement.layout == .pip && program.layers.contains { $0.role == role }
            && !plan.cameraTracks.contains { $0.role == role }
    }

    /// The resources that a concession saves.
    ///
    /// - Parameters:
    ///   - concession: The thing that would be given up.
    ///   - role: The camera's role, for a concession of one camera.
    /// - Returns: Empty where it must not be given up.
    package func relief(of concession: Concession, role: String? = nil) -> Relief {
        switch concession {
        case .preset, .previews, .decoding: .processor
        case .rawFrames: .bus
        case .surplusSize: role.map(isOnlyInset) == true ? [.processor, .memory, .bus] : []
        case .programRate, .trackRate: [.processor, .storage]
        case .programPause: canRemakeProgram ? [.processor, .storage] : []
        case .cameraSize: camera(role, [.memory, .storage, .bus])
        // A running track keeps its grid: a frame that its camera does not deliver is a repeat, and the file is no smaller.
        case .cameraRate: camera(role, isRunning ? [.memory, .bus] : [.memory, .bus, .storage])
        case .camera: camera(role, [.memory, .storage])
        }
    }

    private func camera(_ role: String?, _ own: Relief) -> Relief {
        guard let role else { return [] }
        return isCopied(role) ? own : own.union(.processor)
    }
}
