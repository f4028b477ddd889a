internal import Media
internal import Profiles

/// Changes of the profile that would bring a plan within its budget when no reduction does: each is tried, and told with its
/// cost.
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

    /// How the sentence about too little disk begins.
    static let roomPrefix = "the disk has room for "

    /// The remedies that help, in words.
    ///
    /// - Parameter cost: The cost of the plan after all that could be given up.
    /// - Returns: One sentence for each, the gentlest first; empty where none helps.
    func sentences(for cost: HardwareCost) -> [String] {
        var sentences: [String] = []
        if cost.total <= 1 {
            sentences.append(
                "`budget: { hardware: \(HardwareCost.hundredths(cost.total)) }` in the profile allows it: the computer has that much."
            )
        }
        if let duration, let space = cost.terms.first(where: { $0.resource == HardwareCost.diskSpace }),
            space.used > profile.budget.hardwareCost
        {
            let possible = Nanoseconds.seconds(
                Int64(rounding: duration.inSeconds * profile.budget.hardwareCost / space.used, .towardZero))
            sentences.append(
                "\(Self.roomPrefix)\(possible.words): record for no longer, make room, or name another folder with `--output`."
            )
        }
        if profile.budget.policy == .refuse {
            sentences += fitting("`budget: { policy: adapt }` in the profile") { $0.budget.policy = .adapt }
        }
        sentences += lowerFloors() + copiedTracks() + smallerProgram() + tracksAlone() + fewerCameras()
        return sentences
    }

    private func lowerFloors() -> [String] {
        let size = FrameSize(width: 320, height: 180)
        let rate: FrameRate = FrameRate(5)
        guard profile.budget.policy == .adapt, profile.budget.floorSize.pixelCount > size.pixelCount else {
            return []
        }
        return fitting("`floors: { size: \(size), rate: \(rate) }` in the profile's budget") {
            ($0.budget.floorSize, $0.budget.floorRate) = (size, rate)
        }
    }

    private func copiedTracks() -> [String] {
        guard profile.tracks.cameras == .encode else { return [] }
        return fitting("`tracks: { cameras: copy }` in the profile") { $0.tracks.cameras = .copy }
    }

    private func smallerProgram() -> [String] {
        guard let now = profile.program?.size else { return [] }
        for divisor in [3, 2] {
            let size = FrameSize(
                width: now.width * (divisor - 1) / divisor / 2 * 2,
                height: now.height * (divisor - 1) / divisor / 2 * 2)
            guard size.width >= 64, size.height >= 64 else { continue }
            let sentences = fitting("a program of \(size) in place of \(now)") { $0.program?.size = size }
            if !sentences.isEmpty { return sentences }
        }
        return []
    }

    /// Leaves out the program where it can be made again from the tracks.
    private func tracksAlone() -> [String] {
        guard profile.program != nil, profile.tracks.cameras != .none else { return [] }
        return fitting("the tracks without a program, which can be made from them later") { $0.program = nil }
    }

    /// Leaves out one camera or, where that is not enough, two.
    private func fewerCameras() -> [String] {
        let spare = profile.cameras.map(\.role).filter { $0 != profile.program?.main }.reversed()
        let possible = profile.program == nil ? Array(spare.dropLast()) : Array(spare)
        let single = possible.flatMap { role in fitting("without the camera \(role)") { $0.leaveOut([role]) }
        }
        guard single.isEmpty, possible.count > 1 else { return single }
        let pair = Array(possible.prefix(2))
        return fitting("without the cameras \(pair[1]) and \(pair[0])") { $0.leaveOut(pair) }
    }

    /// Tries a change of the profile.
    ///
    /// - Returns: A sentence if the changed profile fits, after reductions where it allows them.
    private func fitting(_ words: String, _ change: (inout Profile) -> Void) -> [String] {
        var changed = profile
        change(&changed)
        do throws(ProfileError) {
            var ladder = try ReductionLadder(
                profile: changed, devices: devices, encoders: encoders, price: price)
            if changed.budget.policy == .adapt { try ladder.descend() }
            guard !ladder.isOver else { return [] }
            let reduced = ladder.steps.isEmpty ? "" : ", after reductions"
            return ["\(words): the cost would be \(HardwareCost.hundredths(ladder.cost.total))\(reduced)."]
        } catch {
            // A profile that cannot be recorded, such as one with copies of raw frames, is no remedy.
            return []
        }
    }
}

extension Profile {
    /// Removes some cameras from the profile, also from its program.
    fileprivate mutating func leaveOut(_ roles: [String]) {
        cameras.removeAll { roles.contains($0.role) }
        program?.insets.removeAll { roles.contains($0) }
    }
}
