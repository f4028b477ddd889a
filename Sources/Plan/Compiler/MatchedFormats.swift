internal import Media
internal import Profiles

/// The best sizes and rates that cameras have in common, for cameras that are to match in size or rate.
struct MatchedFormats {
    /// The profile's cameras, with the sizes and rates that they share.
    private(set) var cameras: [CameraRole]
    private var notes: [String] = []

    init(_ profile: Profile, _ devices: [String: PlannedDevice]) {
        cameras = profile.cameras
        let leaders = Set(cameras.compactMap { $0.match?.camera })
        for leader in cameras.map(\.role) where leaders.contains(leader) {
            match(followersOf: leader, .size, devices)
            match(followersOf: leader, .rate, devices)
        }
    }

    /// Returns one sentence for people for each matched group, and forgets them.
    mutating func takeNotes() -> [String] {
        defer { notes = [] }
        return notes
    }

    private mutating func match(
        followersOf leader: String, _ trait: CameraMatch.Trait, _ devices: [String: PlannedDevice]
    ) {
        let roles = cameras.filter {
            $0.role == leader || ($0.match?.camera == leader && $0.match?.traits.contains(trait) ?? false)
        }
        guard roles.count > 1, let asked = roles.first(where: { $0.role == leader }) else { return }
        let offers = roles.map { role in Self.formats(of: role, devices[role.role]) }
        let names = roles.map(\.role).joined(separator: ", ")
        if trait == .size {
            guard let size = Self.size(asked.size ?? CameraFormatChoice.usualSize, among: offers) else {
                notes.append("\(names): they have no size in common, so each keeps its own.")
                return
            }
            if let size {
                for role in roles { set(role.role) { $0.size = size } }
                notes.append("\(names): \(size) is the best size that all of them have.")
            } else {
                for role in roles { set(role.role) { $0.size = asked.size ?? $0.size } }
            }
        } else {
            let wanted = asked.rate ?? CameraFormatChoice.usualRate
            let highest = zip(roles, offers).compactMap { role, formats -> FrameRate? in
                let ofSize = formats?.filter { format in role.size.map { $0 == format.size } ?? true }
                return ofSize.flatMap { $0.compactMap(\.highestRate).max() }
            }
            let rate = ([wanted] + highest).min() ?? wanted
            for role in roles { set(role.role) { $0.rate = CameraFormatChoice.nominal(rate) } }
            notes.append(
                "\(names): \(CameraFormatChoice.nominal(rate)) is the best rate that all of them have.")
        }
    }

    private mutating func set(_ role: String, _ change: (inout CameraRole) -> Void) {
        if let index = cameras.firstIndex(where: { $0.role == role }) { change(&cameras[index]) }
    }

    /// The formats that a camera offers in the pixel format of its role; `nil` for a synthetic one that delivers any format.
    private static func formats(of role: CameraRole, _ device: PlannedDevice?) -> [OfferedFormat]? {
        guard case .listed(let formats) = device?.offers else { return nil }
        return formats.filter { format in role.format.pixel.map { $0 == format.pixel } ?? true }
    }

    /// The largest size that all cameras offer and that is not above the wanted one; where all are above it, the smallest.
    ///
    /// - Returns: `nil` where they have no size in common; `.some(nil)` where all of them deliver any size.
    private static func size(_ wanted: FrameSize, among offers: [[OfferedFormat]?]) -> FrameSize?? {
        let listed = offers.compactMap { $0.map { Set($0.map(\.size)) } }
        guard let first = listed.first else { return .some(nil) }
        let common = listed.dropFirst().reduce(first) { $0.intersection($1) }
        func isBefore(_ one: FrameSize, _ other: FrameSize) -> Bool {
            (one.pixelCount, one.width) < (other.pixelCount, other.width)
        }
        let below = common.filter { $0.width <= wanted.width && $0.height <= wanted.height }
        guard let best = below.max(by: isBefore) ?? common.min(by: isBefore) else { return nil }
        return .some(best)
    }
}
