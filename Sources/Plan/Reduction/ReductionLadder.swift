internal import MulticamMedia
internal import MulticamProfiles

/// Reduces a plan step by step until it fits its budget. The documentation of `PlanReduction` describes the
/// order of the steps.
struct ReductionLadder {
    /// A candidate for the next reduction step, with all profile and format changes of that step.
    private struct Rung {
        let step: String
        var profile: Profile
        var lowered: [String: CameraFormatChoice]
    }

    private let devices: [String: PlannedDevice]
    private let encoders: [TriedEncoder]
    private let price: (SessionPlan) -> HardwareCost
    private let budget: BudgetSettings
    private var profile: Profile
    /// Camera formats that the profile requests, by role.
    private let requested: [String: CameraFormatChoice]
    private var lowered: [String: CameraFormatChoice] = [:]
    private(set) var plan: SessionPlan
    private(set) var cost: HardwareCost
    private(set) var steps: [ReductionStep] = []
    private(set) var skippedReductions: [String] = []

    /// Minimum cost reduction of a step that doesn't bring any resource within its limit. Costs are displayed
    /// in hundredths.
    private static let leastGain = 0.01

    init(
        profile: Profile, devices: [String: PlannedDevice], encoders: [TriedEncoder],
        price: @escaping (SessionPlan) -> HardwareCost
    ) throws(ProfileError) {
        self.profile = profile
        self.devices = devices
        self.encoders = encoders
        self.price = price
        budget = profile.budget
        plan = try SessionPlan(profile: profile, devices: devices, encoders: encoders)
        cost = price(plan)
        var asked: [String: CameraFormatChoice] = [:]
        for camera in profile.cameras {
            guard let planned = plan.camera(camera.role), let device = devices[camera.role] else { continue }
            asked[camera.role] = try CameraFormatChoice.choose(
                for: camera, on: device, rotation: planned.rotation,
                isCopied: profile.copiesTrack(of: device),
                source: profile.source)
        }
        self.requested = asked
    }

    /// Whether the plan costs more than its budget allows.
    var isOverBudget: Bool { cost.total > budget.hardwareCost }

    /// Applies reductions in the order of `ReductionKind.beforeStart` until the plan fits its budget or no
    /// reductions are left.
    mutating func descend() throws(ProfileError) {
        let lastFirst = Array(plan.cameras.map(\.role).reversed())
        for concession in ReductionKind.beforeStart {
            switch concession {
            case .rawFrames: for role in lastFirst { try compress(role) }
            case .preset:
                try lowerProgramEffort()
                try lowerTracksEffort()
            case .surplusSize:
                for role in lastFirst where rule.isOnlyInset(role) { try lowerSurplus(of: role) }
            case .decoding: try decodeCoarsely()
            case .programRate: try lowerProgramRate()
            case .cameraSize: for role in lastFirst { try lowerSize(of: role) }
            case .cameraRate: for role in lastFirst { try lowerRate(of: role) }
            case .previews, .analysis, .programPause, .trackRate, .camera: break
            }
        }
    }

    private var rule: ReductionRule { ReductionRule(plan, isRunning: false) }

    /// The resources that exceed the budget.
    private var shortage: MachineResources {
        cost.terms.filter { $0.used > budget.hardwareCost }.reduce(into: []) {
            $0.formUnion(MachineResources(ofResource: $1.resource))
        }
    }

    // MARK: Cameras

    private func choice(_ role: String) -> CameraFormatChoice? { lowered[role] ?? requested[role] }

    private func rungs(_ role: String) -> CameraRungs? {
        devices[role].map {
            CameraRungs(
                offers: $0.offers, floorSize: budget.floorSize, floorRate: budget.floorRate,
                keepsShape: plan.camera(role)?.framing.area != nil)
        }
    }

    /// Replaces a camera's raw frames with JPEGs if a USB bus is the scarcest resource. JPEGs need a tenth of
    /// the bandwidth, but decoding them costs processor time.
    private mutating func compress(_ role: String) throws(ProfileError) {
        guard isOverBudget, let scarcest = cost.terms.first?.resource, scarcest.hasPrefix("usb:"),
            let choice = choice(role), !choice.format.pixel.isCompressed
        else { return }
        guard processorHasRoom(cost) else {
            skippedReductions.append(
                "\(role): the format remains \(choice.format.pixel.rawValue), because the CPU does not have enough capacity to decode JPEG frames."
            )
            return
        }
        let wanted = profile.cameras.first { $0.role == role }?.rate ?? choice.format.rate
        guard let format = rungs(role)?.asJPEG(choice.format, wanted: wanted) else {
            skippedReductions.append(
                "\(role): the camera does not offer mjpeg \(choice.format.size) at \(choice.format.rate) fps as an alternative to \(choice.format.pixel.rawValue)."
            )
            return
        }
        let rung = lowering(
            role, to: format, step: "\(role) format \(choice.format.pixel.rawValue) → mjpeg")
        let isMade = try step(
            to: [rung], relieving: rule.savedResources(of: .rawFrames), when: processorHasRoom,
            because:
                "JPEG frames need about a tenth of the USB bandwidth of raw frames at the same size and rate, and the CPU has enough capacity to decode them"
        )
        if !isMade {
            skippedReductions.append(
                "\(role): switching from \(choice.format.pixel.rawValue) to mjpeg would not help.")
        }
    }

    private func processorHasRoom(_ cost: HardwareCost) -> Bool {
        !cost.terms.contains {
            ($0.resource == "cpu" || $0.resource.hasPrefix("thread:")) && $0.used > budget.hardwareCost
        }
    }

    /// Lowers the resolution of a camera that is used only as an inset, without reducing the detail that the
    /// inset shows.
    private mutating func lowerSurplus(of role: String) throws(ProfileError) {
        while isOverBudget {
            guard let choice = choice(role), let rungs = rungs(role),
                let layer = plan.program?.layers.first(where: { $0.role == role })
            else { return }
            let shown = layer.rotation.swapsSides ? layer.rectangle.size.transposed : layer.rectangle.size
            let enough = rungs.smaller(than: choice.format, shapedLike: choice.format.size).filter {
                $0.size.width >= shown.width && $0.size.height >= shown.height
                    && CameraRungs.haveSameShape($0.size, choice.format.size)
            }
            let isMade = try step(
                to: enough.map {
                    lowering(role, to: $0, step: "\(role) size \(choice.format.size) → \($0.size)")
                }, relieving: rule.savedResources(of: .surplusSize, role: role),
                because:
                    "\(role) is shown only as a \(layer.rectangle.size) inset, which does not need a larger size"
            )
            guard isMade else { return }
        }
    }

    private mutating func lowerSize(of role: String) throws(ProfileError) {
        while isOverBudget {
            guard let choice = choice(role), let shape = requested[role]?.format.size, let rungs = rungs(role)
            else { return }
            let relief = rule.savedResources(of: .cameraSize, role: role)
            guard !relief.isDisjoint(with: shortage) else {
                skippedReductions.append(
                    "\(role): copying its frames needs almost no processor time, so its track is not reduced."
                )
                return
            }
            let smaller = rungs.smaller(than: choice.format, shapedLike: shape)
            let isMade = try step(
                to: smaller.map {
                    lowering(role, to: $0, step: "\(role) size \(choice.format.size) → \($0.size)")
                }, relieving: relief, because: "\(place(role)); sizes are reduced before frame rates")
            guard !isMade else { continue }
            skippedReductions.append(
                smaller.isEmpty
                    ? "\(role): the camera does not offer a size below \(choice.format.size) that meets the minimum of "
                        + "\(budget.floorSize)"
                        + (rungs.keepsShape ? " and has the aspect ratio of its crop." : ".")
                    : "\(role): a size below \(choice.format.size) would not lower the costs that exceed the budget."
            )
            return
        }
    }

    private mutating func lowerRate(of role: String) throws(ProfileError) {
        while isOverBudget {
            guard let choice = choice(role), let rungs = rungs(role) else { return }
            let relief = rule.savedResources(of: .cameraRate, role: role)
            guard !relief.isDisjoint(with: shortage) else { return }
            let slower = rungs.slower(than: choice.format)
            let isMade = try step(
                to: slower.map {
                    lowering(role, to: $0, step: "\(role) rate \(choice.format.rate) → \($0.rate)")
                }, relieving: relief, because: "\(place(role)); its size cannot be reduced further")
            guard !isMade else { continue }
            skippedReductions.append(
                slower.isEmpty
                    ? "\(role): the camera does not offer a frame rate below \(choice.format.rate) fps that meets the minimum of "
                        + "\(budget.floorRate) fps."
                    : "\(role): a frame rate below \(choice.format.rate) fps would not lower the costs that exceed the budget."
            )
            return
        }
    }

    /// Describes the position of a camera in the reduction order, for explanations.
    private func place(_ role: String) -> String {
        let roles = plan.cameras.map(\.role)
        if roles.count == 1 { return "\(role) is the only camera" }
        if roles.first == role {
            return "\(role) is the first of the profile's cameras, so it is reduced last"
        }
        return roles.last == role
            ? "\(role) is the last of the profile's cameras, so it is reduced first"
            : "the profile's cameras are reduced from last to first, and \(role) is next"
    }

    private func lowering(_ role: String, to format: VideoFormat, step: String) -> Rung {
        var rung = Rung(step: step, profile: profile, lowered: lowered)
        let before = requested[role]?.format ?? format
        rung.lowered[role] = CameraFormatChoice(
            format: format, reason: "\(format): reduced from \(before) to stay within the budget.",
            trackRate: trackRate(of: role, at: format))
        return rung
    }

    /// Returns the frame rate of a track whose camera is reduced. The track's rate doesn't exceed the
    /// camera's rate, because duplicated frames would serve no purpose. A copied stream can't be decimated.
    private func trackRate(of role: String, at format: VideoFormat) -> FrameRate {
        let nominal = CameraFormatChoice.nominal(format.rate)
        guard let choice = choice(role) else { return nominal }
        if profile.tracks.cameras == .copy, format.pixel == .h264, nominal > choice.trackRate {
            return nominal
        }
        return format.rate < choice.format.rate ? min(choice.trackRate, nominal) : choice.trackRate
    }

    // MARK: Encoders

    private mutating func lowerProgramEffort() throws(ProfileError) {
        while isOverBudget, let program = profile.program {
            let rungs = Self.faster(than: program.video.preset).map { preset in
                var rung = Rung(
                    step: "program preset \(program.video.preset.rawValue) → \(preset.rawValue)",
                    profile: profile, lowered: lowered)
                rung.profile.program?.video.preset = preset
                return rung
            }
            let isMade = try step(
                to: rungs, relieving: rule.savedResources(of: .preset),
                because: "a faster preset only increases the file size or reduces fine detail")
            guard !isMade else { continue }
            skippedReductions.append(
                rungs.isEmpty
                    ? "program: the fastest preset is already in use."
                    : "program: a faster preset would not lower the costs that exceed the budget.")
            return
        }
    }

    private mutating func lowerTracksEffort() throws(ProfileError) {
        guard profile.tracks.cameras == .encode else { return }
        while isOverBudget {
            let now = profile.tracks.video.preset
            let rungs = Self.faster(than: now).map { preset in
                var rung = Rung(
                    step: "tracks preset \(now.rawValue) → \(preset.rawValue)", profile: profile,
                    lowered: lowered)
                rung.profile.tracks.video.preset = preset
                return rung
            }
            let isMade = try step(
                to: rungs, relieving: rule.savedResources(of: .preset),
                because: "a faster preset only increases the file sizes or reduces fine detail")
            guard !isMade else { continue }
            skippedReductions.append(
                rungs.isEmpty
                    ? "tracks: the fastest preset is already in use."
                    : "tracks: a faster preset would not lower the costs that exceed the budget.")
            return
        }
    }

    /// Decodes the program's JPEGs at half size if that lowers the cost. A large JPEG that is drawn into a
    /// small rectangle is already decoded at a reduced size.
    private mutating func decodeCoarsely() throws(ProfileError) {
        guard isOverBudget, let program = profile.program, !program.isCoarse else { return }
        var rung = Rung(step: "program decoding full → half size", profile: profile, lowered: lowered)
        rung.profile.program?.isCoarse = true
        _ = try step(
            to: [rung], relieving: rule.savedResources(of: .decoding),
            because: "a less sharp program still shows every frame on time")
    }

    private mutating func lowerProgramRate() throws(ProfileError) {
        while isOverBudget, let rate = profile.program?.rate {
            let rungs = CameraRungs.steps(below: rate, floor: budget.floorRate).map { lower in
                var rung = Rung(
                    step: "program rate \(rate) → \(lower)", profile: profile, lowered: lowered)
                rung.profile.program?.rate = lower
                return rung
            }
            let isMade = try step(
                to: rungs, relieving: rule.savedResources(of: .programRate),
                because: rule.canRerenderProgram
                    ? "the program can be rendered again from the tracks, which are not reduced"
                    : "the program still shows all cameras")
            guard !isMade else { continue }
            skippedReductions.append(
                rungs.isEmpty
                    ? "program: the frame rate of \(rate) fps is already at the minimum of \(budget.floorRate) fps."
                    : "program: a frame rate below \(rate) fps would not lower the costs that exceed the budget."
            )
            return
        }
    }

    private static func faster(
        than preset: VideoEncodingSettings.Preset
    ) -> [VideoEncodingSettings.Preset] {
        switch preset {
        case .veryfast: [.superfast, .balanced, .ultrafast]
        case .superfast: [.balanced, .ultrafast]
        case .balanced: [.ultrafast]
        case .ultrafast: []
        }
    }

    // MARK: Reduction steps

    /// Applies the first candidate that lowers the cost sufficiently.
    ///
    /// - Parameters:
    ///   - rungs: The candidates for this step, least intrusive first.
    ///   - relief: The resources that justify this reduction.
    ///   - isAllowed: An additional condition that the cost must meet after the step.
    ///   - order: The reason why this step comes next in the reduction order, formatted as the end of a
    ///     sentence.
    /// - Returns: Whether a candidate was applied.
    /// - Throws: `ProfileError` if a candidate's profile can't be compiled.
    private mutating func step(
        to rungs: [Rung], relieving relief: MachineResources,
        when isAllowed: (HardwareCost) -> Bool = { _ in true },
        because order: String
    ) throws(ProfileError) -> Bool {
        for rung in rungs {
            let next = try SessionPlan(
                profile: rung.profile, devices: devices, encoders: encoders, lowered: rung.lowered)
            let nextCost = price(next)
            guard isEffective(nextCost, relieving: relief), isAllowed(nextCost) else { continue }
            steps.append(
                ReductionStep(
                    step: rung.step, reason: "\(cost.excess(over: budget.hardwareCost)): \(order).",
                    before: cost, after: nextCost))
            (profile, lowered, plan, cost) = (rung.profile, rung.lowered, next, nextCost)
            return true
        }
        return false
    }

    private func isEffective(_ next: HardwareCost, relieving relief: MachineResources) -> Bool {
        let limit = budget.hardwareCost
        guard next.unknown.count <= cost.unknown.count else { return false }
        let isHarmless = next.terms.allSatisfy {
            $0.used <= limit || $0.used <= cost.used(of: $0.resource) + 1e-9
        }
        return isHarmless
            && cost.terms.contains { term in
                let after = next.used(of: term.resource)
                return !relief.isDisjoint(with: MachineResources(ofResource: term.resource))
                    && term.used > limit
                    && (after <= limit || term.used - after >= Self.leastGain)
            }
    }
}

extension HardwareCost {
    /// Returns the share of one resource that the plan uses; 0 if the plan doesn't use the resource.
    func used(of resource: String) -> Double { terms.first { $0.resource == resource }?.used ?? 0 }

    /// Describes the resources whose use exceeds a limit:
    /// `cpu 1.32 and usb:1 1.1 are above the budget of 1.0`.
    package func excess(over limit: Double) -> String {
        let over = terms.filter { $0.used > limit && $0.resource != Self.diskSpace }.map { term in
            let isLimited = term.explanation.contains(Self.addressSpaceLimit)
            return "\(term.resource) \(Self.hundredths(term.used))"
                + (isLimited ? ", within \(Self.addressSpaceLimit)," : "")
        }
        if over.isEmpty, let space = terms.first(where: { $0.used > limit }) {
            return "the disk has too little free space (\(space.explanation.dropLast()))"
        }
        let most = over.count > 2 ? over.joined(separator: ", ") : over.joined(separator: " and ")
        return "\(most) \(over.count == 1 ? "is" : "are") above the budget of \(Self.hundredths(limit))"
    }

    /// Formats a cost with two decimal places, rounded up so that a cost above the limit never appears to be
    /// within the limit.
    package static func hundredths(_ value: Double) -> String { "\((value * 100 - 1e-6).rounded(.up) / 100)" }
}
