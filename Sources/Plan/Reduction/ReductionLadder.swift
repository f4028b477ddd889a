internal import Media
internal import Profiles

/// The steps by which a plan is reduced until it is within its budget, in the order that `PlanReduction` states.
struct ReductionLadder {
    /// A candidate for the next step, with everything that it changes.
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
    /// The formats that the profile asks for, by role.
    private let asked: [String: CameraFormatChoice]
    private var lowered: [String: CameraFormatChoice] = [:]
    private(set) var plan: SessionPlan
    private(set) var cost: HardwareCost
    private(set) var steps: [ReductionStep] = []
    private(set) var passedOver: [String] = []

    /// The least gain that a step must bring, as people read hundredths, unless it makes something fit.
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
                isCopied: profile.tracks.cameras == .copy,
                source: profile.source)
        }
        self.asked = asked
    }

    /// Whether the plan costs more than its budget allows.
    var isOver: Bool { cost.total > budget.hardwareCost }

    /// Gives up one thing after another, in the order of `Concession.beforeStart`, until the plan fits or nothing is left.
    mutating func descend() throws(ProfileError) {
        let lastFirst = Array(plan.cameras.map(\.role).reversed())
        for concession in Concession.beforeStart {
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
            case .previews, .programPause, .trackRate, .camera: break
            }
        }
    }

    private var rule: ReliefRule { ReliefRule(plan, isRunning: false) }

    /// The resources that the plan needs more of than its budget allows.
    private var shortage: Relief {
        cost.terms.filter { $0.used > budget.hardwareCost }.reduce(into: []) {
            $0.formUnion(Relief(ofResource: $1.resource))
        }
    }

    // MARK: Cameras

    private func choice(_ role: String) -> CameraFormatChoice? { lowered[role] ?? asked[role] }

    private func rungs(_ role: String) -> CameraRungs? {
        devices[role].map {
            CameraRungs(
                offers: $0.offers, floorSize: budget.floorSize, floorRate: budget.floorRate,
                keepsShape: plan.camera(role)?.framing.area != nil)
        }
    }

    /// Changes raw frames to JPEGs where a USB bus is the scarcest: they take a tenth of it, and processor time instead.
    private mutating func compress(_ role: String) throws(ProfileError) {
        guard isOver, let scarcest = cost.terms.first?.resource, scarcest.hasPrefix("usb:"),
            let choice = choice(role), !choice.format.pixel.isCompressed
        else { return }
        guard processorHasRoom(cost) else {
            passedOver.append(
                "\(role): its frames stay \(choice.format.pixel.rawValue), since the processors have no room to decode JPEGs."
            )
            return
        }
        let wanted = profile.cameras.first { $0.role == role }?.rate ?? choice.format.rate
        guard let format = rungs(role)?.asJPEG(choice.format, wanted: wanted) else {
            passedOver.append(
                "\(role): it offers no JPEGs of \(choice.format.size) at \(choice.format.rate) in place of "
                    + "\(choice.format.pixel.rawValue).")
            return
        }
        let rung = lowering(
            role, to: format, step: "\(role) format \(choice.format.pixel.rawValue) → mjpeg")
        let isMade = try step(
            to: [rung], relieving: rule.relief(of: .rawFrames), when: processorHasRoom,
            because:
                "JPEGs take about a tenth of the bus that raw frames do, at the same size and rate, and the "
                + "processors have room to decode them")
        if !isMade {
            passedOver.append("\(role): JPEGs in place of \(choice.format.pixel.rawValue) would not help.")
        }
    }

    private func processorHasRoom(_ cost: HardwareCost) -> Bool {
        !cost.terms.contains {
            ($0.resource == "cpu" || $0.resource.hasPrefix("thread:")) && $0.used > budget.hardwareCost
        }
    }

    /// Lowers the size of a camera that is only an inset, as long as the inset shows as much as before.
    private mutating func lowerSurplus(of role: String) throws(ProfileError) {
        while isOver {
            guard let choice = choice(role), let rungs = rungs(role),
                let layer = plan.program?.layers.first(where: { $0.role == role })
            else { return }
            let shown = layer.rotation.swapsSides ? layer.rectangle.size.turned : layer.rectangle.size
            let enough = rungs.smaller(than: choice.format, shapedLike: choice.format.size).filter {
                $0.size.width >= shown.width && $0.size.height >= shown.height
                    && CameraRungs.isAlike($0.size, choice.format.size)
            }
            let isMade = try step(
                to: enough.map {
                    lowering(role, to: $0, step: "\(role) size \(choice.format.size) → \($0.size)")
                }, relieving: rule.relief(of: .surplusSize, role: role),
                because: "\(role) is only shown as an inset of \(layer.rectangle.size), which needs no more")
            guard isMade else { return }
        }
    }

    private mutating func lowerSize(of role: String) throws(ProfileError) {
        while isOver {
            guard let choice = choice(role), let shape = asked[role]?.format.size, let rungs = rungs(role)
            else { return }
            let relief = rule.relief(of: .cameraSize, role: role)
            guard !relief.isDisjoint(with: shortage) else {
                passedOver.append(
                    "\(role): its frames are copied into its track, which takes next to no processor time, so the track stays as it is."
                )
                return
            }
            let smaller = rungs.smaller(than: choice.format, shapedLike: shape)
            let isMade = try step(
                to: smaller.map {
                    lowering(role, to: $0, step: "\(role) size \(choice.format.size) → \($0.size)")
                }, relieving: relief, because: "\(place(role)); sizes are given up before rates")
            guard !isMade else { continue }
            passedOver.append(
                smaller.isEmpty
                    ? "\(role): it offers no size smaller than \(choice.format.size) that is not below the floor of "
                        + "\(budget.floorSize)"
                        + (rungs.keepsShape ? " and has the shape that its crop needs." : ".")
                    : "\(role): smaller than \(choice.format.size) would lower nothing that is above the budget."
            )
            return
        }
    }

    private mutating func lowerRate(of role: String) throws(ProfileError) {
        while isOver {
            guard let choice = choice(role), let rungs = rungs(role) else { return }
            let relief = rule.relief(of: .cameraRate, role: role)
            guard !relief.isDisjoint(with: shortage) else { return }
            let slower = rungs.slower(than: choice.format)
            let isMade = try step(
                to: slower.map {
                    lowering(role, to: $0, step: "\(role) rate \(choice.format.rate) → \($0.rate)")
                }, relieving: relief, because: "\(place(role)); no size can be given up any more")
            guard !isMade else { continue }
            passedOver.append(
                slower.isEmpty
                    ? "\(role): it offers no rate lower than \(choice.format.rate) that is not below the floor of "
                        + "\(budget.floorRate)."
                    : "\(role): slower than \(choice.format.rate) would lower nothing that is above the budget."
            )
            return
        }
    }

    /// Where a camera stands in the order of reductions, in words.
    private func place(_ role: String) -> String {
        let roles = plan.cameras.map(\.role)
        if roles.count == 1 { return "\(role) is the only camera" }
        if roles.first == role {
            return "\(role) is the first of the profile's cameras, so it is reduced last"
        }
        return roles.last == role
            ? "\(role) is the last of the profile's cameras, so it is reduced first"
            : "\(role) comes next in the profile's order, from the last camera up"
    }

    private func lowering(_ role: String, to format: VideoFormat, step: String) -> Rung {
        var rung = Rung(step: step, profile: profile, lowered: lowered)
        let before = asked[role]?.format ?? format
        rung.lowered[role] = CameraFormatChoice(
            format: format, reason: "\(format): reduced from \(before), to stay within the budget.",
            trackRate: trackRate(of: role, at: format))
        return rung
    }

    /// The rate of a track whose camera is lowered: no faster than the camera, as repeats would be of no use. No frame of a
    /// copied stream can be left out.
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
        while isOver, let program = profile.program {
            let rungs = Self.faster(than: program.video.preset).map { preset in
                var rung = Rung(
                    step: "program preset \(program.video.preset.rawValue) → \(preset.rawValue)",
                    profile: profile, lowered: lowered)
                rung.profile.program?.video.preset = preset
                return rung
            }
            let isMade = try step(
                to: rungs, relieving: rule.relief(of: .preset),
                because: "less effort costs only a larger file or finer detail")
            guard !isMade else { continue }
            passedOver.append(
                rungs.isEmpty
                    ? "program: its preset is the fastest already."
                    : "program: a faster preset would lower nothing that is above the budget.")
            return
        }
    }

    private mutating func lowerTracksEffort() throws(ProfileError) {
        guard profile.tracks.cameras == .encode else { return }
        while isOver {
            let now = profile.tracks.video.preset
            let rungs = Self.faster(than: now).map { preset in
                var rung = Rung(
                    step: "tracks preset \(now.rawValue) → \(preset.rawValue)", profile: profile,
                    lowered: lowered)
                rung.profile.tracks.video.preset = preset
                return rung
            }
            let isMade = try step(
                to: rungs, relieving: rule.relief(of: .preset),
                because: "less effort costs only larger files or finer detail")
            guard !isMade else { continue }
            passedOver.append(
                rungs.isEmpty
                    ? "tracks: their preset is the fastest already."
                    : "tracks: a faster preset would lower nothing that is above the budget.")
            return
        }
    }

    /// Decodes the program's JPEGs at half size, only where that saves something: a large JPEG for a small place is decoded at a
    /// part of its size anyway.
    private mutating func decodeCoarsely() throws(ProfileError) {
        guard isOver, let program = profile.program, !program.isCoarse else { return }
        var rung = Rung(step: "program decoding full → half size", profile: profile, lowered: lowered)
        rung.profile.program?.isCoarse = true
        _ = try step(
            to: [rung], relieving: rule.relief(of: .decoding),
            because: "a program that is less sharp still shows everything in time")
    }

    private mutating func lowerProgramRate() throws(ProfileError) {
        while isOver, let rate = profile.program?.rate {
            let rungs = CameraRungs.steps(below: rate, floor: budget.floorRate).map { lower in
                var rung = Rung(
                    step: "program rate \(rate) → \(lower)", profile: profile, lowered: lowered)
                rung.profile.program?.rate = lower
                return rung
            }
            let isMade = try step(
                to: rungs, relieving: rule.relief(of: .programRate),
                because: rule.canRemakeProgram
                    ? "the program can be made again from the tracks, which stay as they are"
                    : "the program still shows all of its cameras")
            guard !isMade else { continue }
            passedOver.append(
                rungs.isEmpty
                    ? "program: its rate of \(rate) is not above the floor of \(budget.floorRate)."
                    : "program: slower than \(rate) would lower nothing that is above the budget.")
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

    // MARK: A step

    /// Takes the first rung that helps.
    ///
    /// - Parameters:
    ///   - rungs: The candidates, the gentlest first.
    ///   - relief: The resources for whose sake this may be given up.
    ///   - isAllowed: A further condition on the cost that a candidate leads to.
    ///   - order: The reason why this comes next, as the end of a sentence.
    /// - Returns: Whether one of them helped.
    /// - Throws: `ProfileError` when a candidate's profile cannot be compiled.
    private mutating func step(
        to rungs: [Rung], relieving relief: Relief, when isAllowed: (HardwareCost) -> Bool = { _ in true },
        because order: String
    ) throws(ProfileError) -> Bool {
        for rung in rungs {
            let next = try SessionPlan(
                profile: rung.profile, devices: devices, encoders: encoders, lowered: rung.lowered)
            let nextCost = price(next)
            guard helps(nextCost, relieving: relief), isAllowed(nextCost) else { continue }
            steps.append(
                ReductionStep(
                    step: rung.step, reason: "\(cost.excess(over: budget.hardwareCost)): \(order).",
                    before: cost, after: nextCost))
            (profile, lowered, plan, cost) = (rung.profile, rung.lowered, next, nextCost)
            return true
        }
        return false
    }

    private func helps(_ next: HardwareCost, relieving relief: Relief) -> Bool {
        let limit = budget.hardwareCost
        guard next.unknown.count <= cost.unknown.count else { return false }
        let isHarmless = next.terms.allSatisfy {
            $0.used <= limit || $0.used <= cost.used(of: $0.resource) + 1e-9
        }
        return isHarmless
            && cost.terms.contains { term in
                let after = next.used(of: term.resource)
                return !relief.isDisjoint(with: Relief(ofResource: term.resource)) && term.used > limit
                    && (after <= limit || term.used - after >= Self.leastGain)
            }
    }
}

extension HardwareCost {
    /// The share of one resource that is used; 0 where it is not needed.
    func used(of resource: String) -> Double { terms.first { $0.resource == resource }?.used ?? 0 }

    /// The resources above a limit, as the beginning of a sentence: `cpu 1.32 and usb:1 1.1 are above the budget of 1.0`.
    public func excess(over limit: Double) -> String {
        let over = terms.filter { $0.used > limit && $0.resource != Self.diskSpace }.map {
            "\($0.resource) \(Self.hundredths($0.used))"
        }
        if over.isEmpty, let space = terms.first(where: { $0.used > limit }) {
            return "the disk has too little room (\(space.explanation.dropLast()))"
        }
        let most = over.count > 2 ? over.joined(separator: ", ") : over.joined(separator: " and ")
        return "\(most) \(over.count == 1 ? "is" : "are") above the budget of \(Self.hundredths(limit))"
    }

    /// A number with two decimal places, rounded up, so that a cost above a limit does not look as if it were not.
    public static func hundredths(_ value: Double) -> String { "\((value * 100 - 1e-6).rounded(.up) / 100)" }
}
