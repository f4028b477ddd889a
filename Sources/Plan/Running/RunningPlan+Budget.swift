internal import Media
internal import Profiles

/// What the running plan costs, and how it stays within its budget.
extension RunningPlan {
    /// The hardware cost of what runs now; `nil` where the session was not planned for a machine.
    package var cost: HardwareCost? { budget?.cost(of: present) }

    /// The plan of what runs now: without devices that were removed or are off and without ended tracks, in the formats that
    /// cameras were asked for, with x264 where it has taken over.
    var present: SessionPlan {
        var present = plan.withoutHardware(for: devices.fallen)
        present.cameras = plan.cameras.filter {
            !devices.removed.contains($0.role) && !devices.disabled.contains($0.role)
        }
        present.microphones.removeAll { devices.removed.contains($0.role) }
        present.cameraTracks.removeAll { devices.endedTracks.contains($0.name) }
        present.microphoneTracks.removeAll { devices.endedTracks.contains($0.name) }
        for index in present.cameras.indices {
            let camera = present.cameras[index]
            guard let format = devices.formats[camera.role], format != camera.format else { continue }
            present.deliver(format, byCamera: index)
        }
        if var program = present.program {
            program.arrange(program.arrangement, cameras: present.cameras)
            present.program = program
        }
        return present
    }

    /// Keeps a changed plan within the profile's budget: where the profile lets cameras be reduced, the last first, until it
    /// fits. What was above the budget before may stay as it was.
    ///
    /// - Parameters:
    ///   - before: The plan before the change.
    ///   - asked: Roles of the cameras whose formats the change itself names, which are not reduced.
    ///   - words: The change as a person said it.
    /// - Returns: Orders to the reduced cameras, and each reduction in words.
    /// - Throws: `SessionChangeError` with what would fit, where nothing may or can be reduced far enough; the plan is unchanged
    ///   then.
    package mutating func keepWithinBudget(
        since before: RunningPlan, asked: Set<String>, words: String
    ) throws(SessionChangeError) -> (orders: [DeviceOrder], reductions: [String]) {
        guard let was = before.cost, exceeds(was) else { return ([], []) }
        var reduced = self
        var reductions: [String] = []
        var orders: [DeviceOrder] = []
        if plan.budget.policy == .adapt {
            for role in roles.reversed() where !asked.contains(role) && reduced.exceeds(was) {
                guard let lower = reduced.lowered(role, since: was, floors: plan.budget) else { continue }
                let step = "\(role) \(Self.text(reduced.format(of: role))) → \(Self.text(lower.format))"
                reductions.append(step)
                reduced = lower.plan
                orders.append(.deliver(role: role, lower.format))
            }
        }
        guard reduced.exceeds(was) else {
            self = reduced
            return (orders, reductions)
        }
        throw refusal(of: words, since: before, was)
    }

    private var limit: Double { plan.budget.hardwareCost }

    /// Whether the plan needs more of a resource than its budget allows, and more than before.
    private func exceeds(_ was: HardwareCost) -> Bool { !excess(over: was).isEmpty }

    private func excess(over was: HardwareCost) -> [HardwareCost.Term] {
        (cost?.terms ?? []).filter { $0.used > limit && $0.used > was.used(of: $0.resource) + 1e-6 }
    }

    /// Lowers one camera as little as makes the plan fit, or else as far as it helps.
    ///
    /// - Returns: `nil` where the camera cannot be lowered, must not be for this shortage, or it would not help.
    private func lowered(
        _ role: String, since was: HardwareCost, floors: BudgetSettings
    ) -> (plan: RunningPlan, format: VideoFormat)? {
        let excess = excess(over: was)
        let shortage = excess.reduce(into: Relief()) { $0.formUnion(Relief(ofResource: $1.resource)) }
        let rule = ReliefRule(present, isRunning: true)
        var best: (plan: RunningPlan, format: VideoFormat)?
        var least = excess.reduce(0) { $0 + $1.used }
        for rung in rungs(of: role, floors: floors) {
            let relief = rule.relief(of: rung.isSmaller ? .cameraSize : .cameraRate, role: role)
            guard !relief.isDisjoint(with: shortage), let lower = reformatted(role, to: rung.format) else {
                continue
            }
            let left = lower.excess(over: was)
            if left.isEmpty { return (lower, rung.format) }
            let sum = left.reduce(0) { $0 + $1.used }
            if sum < least - 0.01 { (best, least) = ((lower, rung.format), sum) }
        }
        return best
    }

    private func reformatted(_ role: String, to format: VideoFormat) -> RunningPlan? {
        var other = self
        do throws(SessionChangeError) {
            _ = try other.reformat(role, format.size, format.rate)
            return other
        } catch {
            return nil
        }
    }

    /// The formats that a camera can be lowered to, the gentlest first: rates before sizes, since another rate leaves a copied
    /// track in one file.
    private func rungs(
        of role: String, floors: BudgetSettings
    ) -> [(format: VideoFormat, isSmaller: Bool)] {
        guard let format = format(of: role), let offers = devices.offers[role],
            !devices.disabled.contains(role)
        else { return [] }
        let rungs = CameraRungs(
            offers: .listed(offers), floorSize: floors.floorSize, floorRate: floors.floorRate,
            keepsShape: plan.cameras.first { $0.role == role }?.framing.area != nil)
        let sizes = rungs.smaller(than: format, shapedLike: format.size)
        return rungs.slower(than: format).map { ($0, false) } + sizes.map { ($0, true) }
            + sizes.flatMap { rungs.slower(than: $0).map { ($0, true) } }
    }

    // MARK: Refusals

    private func refusal(
        of words: String, since before: RunningPlan, _ was: HardwareCost
    ) -> SessionChangeError {
        let why = cost?.excess(over: limit) ?? ""
        let tried =
            plan.budget.policy == .refuse
            ? "the profile's policy is to refuse rather than to reduce"
            : "cameras cannot be reduced far enough"
        return SessionChangeError(
            "`\(words)` would be over budget: \(why), and \(tried). \(remedy(since: before, was))",
            isOverBudget: true)
    }

    /// A sentence that says what would fit in place of a change.
    private func remedy(since before: RunningPlan, _ was: HardwareCost) -> String {
        let known = before.plan.cameras.map(\.role)
        let concerned = roles.filter { role in
            !known.contains(role) || format(of: role) != before.format(of: role)
                || before.devices.disabled.contains(role) != devices.disabled.contains(role)
        }
        let anything = BudgetSettings(
            floorSize: FrameSize(width: 320, height: 180), floorRate: FrameRate(5))
        for role in concerned {
            let fitting = rungs(of: role, floors: anything).first {
                reformatted(role, to: $0.format).map { !$0.exceeds(was) } ?? false
            }
            if let format = fitting?.format { return "\(role) at \(Self.text(format)) would fit." }
        }
        for role in roles.reversed() where !concerned.contains(role) && !devices.disabled.contains(role) {
            var without = self
            without.devices.disabled.insert(role)
            if !without.exceeds(was) { return "Without the camera \(role) it would fit: `disable \(role)`." }
        }
        return "Nothing that one camera could give makes room for it."
    }

    private static func text(_ format: VideoFormat?) -> String {
        format.map { "\($0.size)@\($0.rate)" } ?? "off"
    }
}

extension SessionPlan {
    /// Plans a camera in another format; what is cut out of its frames is the same part of them.
    ///
    /// - Parameters:
    ///   - format: The format that the camera delivers.
    ///   - index: The camera's place among the plan's.
    mutating func deliver(_ format: VideoFormat, byCamera index: Int) {
        let camera = cameras[index]
        cameras[index].format = format
        cameras[index].framing.area = camera.framing.area?.scaled(from: camera.format.size, to: format.size)
        for track in cameraTracks.indices where cameraTracks[track].role == camera.role {
            if cameraTracks[track].mode == .copy { cameraTracks[track].settings.size = format.size }
            cameraTracks[track].crop = cameraTracks[track].crop?.scaled(
                from: camera.format.size, to: format.size)
        }
    }
}
