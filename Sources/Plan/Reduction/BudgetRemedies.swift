internal import MulticamMedia
internal import MulticamProfiles

/// Profile changes that would bring a plan within its budget if automatic reductions aren't sufficient. The
/// cost of each change is computed, and the changes that help are listed with their cost.
struct BudgetRemedies {
    private let profile: Profile
    private let devices: [String: PlannedDevice]
    private let encoders: [TriedEncoder]
    private let duration: Nanoseconds?
    private let price: (SessionPlan) -> HardwareCost

    init(
        profile: Profile, devices: [String: PlannedDevice], encoders: [TriedEncoder],
        duration: Nanoseconds?,
        price: @escaping (SessionPlan) -> HardwareCost
    ) {
        self.profile = profile
        self.devices = devices
        self.encoders = encoders
        self.duration = duration
        self.price = price
    }

    /// Beginning of the sentence about insufficient disk space.
    static let roomPrefix = "the disk has room for "

    /// Returns one sentence for each change that would bring the plan within its budget.
    ///
    /// - Parameter cost: The cost of the plan after all possible reductions.
    /// - Returns: One sentence for each remedy, least intrusive first; empty if no remedy helps.
    func sentences(for cost: HardwareCost) -> [String] {
        var sentences: [String] = []
        if cost.total <= 1 {
            sentences.append(
                "set `budget: { hardware: \(HardwareCost.hundredths(cost.total)) }` in the profile to allow this plan. The computer has enough capacity for it."
            )
        }
        if let duration, let space = cost.terms.first(where: { $0.resource == HardwareCost.diskSpace }),
            space.used > profile.budget.hardwareCost
        {
            let possible = Nanoseconds.seconds(
                Int64(rounding: duration.inSeconds * profile.budget.hardwareCost / space.used, .towardZero))
            sentences.append(
                "\(Self.roomPrefix)\(possible.displayText) of recording: record for less time, free up disk space, or choose another folder\(onCommandLine(" with `--output`"))."
            )
        }
        if profile.budget.policy == .refuse {
            sentences += fitting("set `budget: { policy: adapt }` in the profile") {
                $0.budget.policy = .adapt
            }
        }
        sentences += lowerFloors() + copiedTracks() + smallerProgram() + tracksOnly() + fewerCameras()
        return sentences
    }

    private func lowerFloors() -> [String] {
        let size = FrameSize(width: 320, height: 180)
        let rate: FrameRate = FrameRate(5)
        guard profile.budget.policy == .adapt, profile.budget.floorSize.pixelCount > size.pixelCount else {
            return []
        }
        return fitting("set `floors: { size: \(size), rate: \(rate) }` in the profile's budget") {
            ($0.budget.floorSize, $0.budget.floorRate) = (size, rate)
        }
    }

    private func copiedTracks() -> [String] {
        guard profile.tracks.cameras == .encode else { return [] }
        return fitting("set `tracks: { cameras: copy }` in the profile") { $0.tracks.cameras = .copy }
    }

    private func smallerProgram() -> [String] {
        guard let now = profile.program?.size else { return [] }
        for divisor in [3, 2] {
            let size = FrameSize(
                width: now.width * (divisor - 1) / divisor / 2 * 2,
                height: now.height * (divisor - 1) / divisor / 2 * 2)
            guard size.width >= 64, size.height >= 64 else { continue }
            let sentences = fitting("set the program size to \(size) instead of \(now)") {
                $0.program?.size = size
            }
            if !sentences.isEmpty { return sentences }
        }
        return []
    }

    /// Proposes recording only tracks, without the program, if the program can be rendered later from the
    /// tracks.
    private func tracksOnly() -> [String] {
        guard profile.program != nil, profile.tracks.cameras != .none else { return [] }
        return fitting("record without a program, and render it from the tracks later") {
            $0.program = nil
        }
    }

    /// Proposes removing one camera or, if one isn't enough, two.
    private func fewerCameras() -> [String] {
        let spare = profile.cameras.map(\.role).filter { $0 != profile.program?.main }.reversed()
        let possible = profile.program == nil ? Array(spare.dropLast()) : Array(spare)
        let single = possible.flatMap { role in
            fitting("record without camera \(role)") { $0.removeCameras([role]) }
        }
        guard single.isEmpty, possible.count > 1 else { return single }
        let pair = Array(possible.prefix(2))
        return fitting("record without cameras \(pair[1]) and \(pair[0])") { $0.removeCameras(pair) }
    }

    /// Computes whether the plan would fit the budget after a change to the profile.
    ///
    /// - Returns: A sentence that proposes the change if the plan then fits the budget, possibly after
    ///   automatic reductions; otherwise empty.
    private func fitting(_ words: String, _ change: (inout Profile) -> Void) -> [String] {
        var changed = profile
        change(&changed)
        do throws(ProfileError) {
            var ladder = try ReductionLadder(
                profile: changed, devices: devices, encoders: encoders, price: price)
            if changed.budget.policy == .adapt { try ladder.descend() }
            guard !ladder.isOverBudget else { return [] }
            let reduced = ladder.steps.isEmpty ? "" : " after reductions"
            return ["\(words): the cost would be \(HardwareCost.hundredths(ladder.cost.total))\(reduced)."]
        } catch {
            // A profile that can't be recorded, such as one that copies raw frames, isn't a remedy.
            return []
        }
    }
}

extension Profile {
    /// Removes cameras from the profile and from its program.
    fileprivate mutating func removeCameras(_ roles: [String]) {
        cameras.removeAll { roles.contains($0.role) }
        program?.insets.removeAll { roles.contains($0) }
    }
}
