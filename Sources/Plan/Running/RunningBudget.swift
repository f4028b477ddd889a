package import MulticamMedia
internal import MulticamProfiles

/// The machine model and recording length that are used to estimate the cost of changes to a running session.
package struct RunningBudget: Sendable, Equatable {
    /// The machine model that was measured when the session was planned.
    package var machine: MachineModel
    /// Length of the recording; `nil` to ignore free disk space.
    let duration: Nanoseconds?

    /// Creates the budget of a running session.
    package init(machine: MachineModel, duration: Nanoseconds?) {
        self.machine = machine
        self.duration = duration
    }

    /// Adds the USB connections of cameras that were added after the session was planned.
    package mutating func addUSBCameras(from usb: USBTopology) {
        machine.usb.cameras += usb.cameras.filter { machine.usb.camera($0.identity) == nil }
    }

    func cost(of plan: SessionPlan) -> HardwareCost {
        HardwareCost(of: plan, on: machine, duration: duration)
    }
}

/// Estimates the cost of the running plan and keeps the cost within the budget.
extension RunningPlan {
    /// Current hardware cost; `nil` if the session wasn't planned for a machine.
    package var cost: HardwareCost? { budget?.cost(of: activePlan) }

    /// The plan that is currently running. Removed devices, disabled devices, and stopped tracks are omitted.
    /// Cameras have the formats that were last requested, and streams whose hardware encoder failed use x264.
    var activePlan: SessionPlan {
        var present = plan.withoutHardware(for: devices.softwareFallbacks)
        present.cameras = plan.cameras.filter {
            !devices.removed.contains($0.role) && !devices.disabled.contains($0.role)
        }
        present.microphones.removeAll { devices.removed.contains($0.role) }
        present.cameraTracks.removeAll { devices.endedTracks.contains($0.name) }
        present.microphoneTracks.removeAll { devices.endedTracks.contains($0.name) }
        for index in present.cameras.indices {
            let camera = present.cameras[index]
            guard let format = devices.formats[camera.role], format != camera.format else { continue }
            present.setFormat(format, ofCamera: index)
        }
        if var program = present.program {
            program.arrange(program.arrangement, cameras: present.cameras)
            present.program = program
        }
        return present
    }

    /// Keeps a changed plan within the profile's budget. If the profile allows reductions, cameras are
    /// reduced, starting with the last, until the plan fits. The use of a resource that was already over
    /// budget may stay at its current level.
    ///
    /// - Parameters:
    ///   - before: The plan before the change.
    ///   - requested: Roles of the cameras whose formats the change sets. These cameras aren't reduced.
    ///   - words: The text of the change as the user entered it.
    /// - Returns: Commands for the reduced cameras, and a description of each reduction.
    /// - Throws: `SessionChangeError` with an alternative that would fit the budget if no reduction is
    ///   allowed or sufficient. If this method throws, the plan is unchanged.
    package mutating func fitToBudget(
        since before: RunningPlan, requested: Set<String>, words: String
    ) throws(SessionChangeError) -> (orders: [DeviceOperation], reductions: [String]) {
        guard let was = before.cost, exceedsBudget(since: was) else { return ([], []) }
        var reduced = self
        var reductions: [String] = []
        var orders: [DeviceOperation] = []
        if plan.budget.policy == .adapt {
            for role in roles.reversed() where !requested.contains(role) && reduced.exceedsBudget(since: was)
            {
                guard let lower = reduced.lowered(role, since: was, floors: plan.budget) else { continue }
                let step = "\(role) \(Self.text(reduced.format(of: role))) → \(Self.text(lower.format))"
                reductions.append(step)
                reduced = lower.plan
                orders.append(.setFormat(role: role, lower.format))
            }
        }
        guard reduced.exceedsBudget(since: was) else {
            self = reduced
            return (orders, reductions)
        }
        throw refusal(of: words, since: before, was)
    }

    private var limit: Double { plan.budget.hardwareCost }

    /// Whether the plan needs more of a resource than its budget allows and than it needed before the change.
    private func exceedsBudget(since was: HardwareCost) -> Bool { !excess(over: was).isEmpty }

    private func excess(over was: HardwareCost) -> [HardwareCost.Term] {
        (cost?.terms ?? []).filter { $0.used > limit && $0.used > was.used(of: $0.resource) + 1e-6 }
    }

    /// Reduces one camera only as much as needed for the plan to fit its budget. If the plan can't fit, the
    /// camera is reduced until a further reduction wouldn't help.
    ///
    /// - Returns: The changed plan; `nil` if the camera can't be reduced, if it may not be reduced for this
    ///   shortage, or if reducing it wouldn't help.
    private func lowered(
        _ role: String, since was: HardwareCost, floors: BudgetSettings
    ) -> (plan: RunningPlan, format: VideoFormat)? {
        let excess = excess(over: was)
        let shortage = excess.reduce(into: MachineResources()) {
            $0.formUnion(MachineResources(ofResource: $1.resource))
        }
        let rule = ReductionRule(activePlan, isRunning: true)
        var best: (plan: RunningPlan, format: VideoFormat)?
        var least = excess.reduce(0) { $0 + $1.used }
        for rung in rungs(of: role, floors: floors) {
            let relief = rule.savedResources(of: rung.isSmaller ? .cameraSize : .cameraRate, role: role)
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

    /// Returns the formats that a camera can be reduced to, least noticeable first. Lower frame rates come
    /// before smaller sizes, because a copied track stays in one file if only the frame rate changes.
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
            ? "the profile's policy is `refuse`"
            : "reducing the frame size and rate of the cameras is not sufficient"
        return SessionChangeError(
            .overBudget,
            "`\(words)` would be over budget: \(why), and \(tried). \(remedy(since: before, was))")
    }

    /// Returns a sentence that proposes an alternative change that would fit the budget.
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
                reformatted(role, to: $0.format).map { !$0.exceedsBudget(since: was) } ?? false
            }
            if let format = fitting?.format {
                return "\(role) at \(Self.text(format)) would stay within the budget."
            }
        }
        for role in roles.reversed() where !concerned.contains(role) && !devices.disabled.contains(role) {
            var without = self
            without.devices.disabled.insert(role)
            if !without.exceedsBudget(since: was) {
                return
                    "Without camera \(role), the cost would stay within the budget: use `disable \(role)`."
            }
        }
        return "Reducing or disabling a single camera would not free enough capacity."
    }

    private static func text(_ format: VideoFormat?) -> String {
        format.map { "\($0.size)@\($0.rate)" } ?? "off"
    }
}

extension SessionPlan {
    /// Sets a new format for a camera in the plan. A crop keeps its relative position and size in the frame.
    ///
    /// - Parameters:
    ///   - format: The format that the camera delivers.
    ///   - index: The index of the camera in the plan.
    mutating func setFormat(_ format: VideoFormat, ofCamera index: Int) {
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
