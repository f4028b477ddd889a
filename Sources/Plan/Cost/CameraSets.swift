public import MulticamMedia
package import MulticamProfiles

/// The sets of cameras that can run together on a machine, with their formats.
///
/// Each camera has its own track, which stores compressed camera frames unchanged and encodes raw frames. A
/// set fits if the total cost of its cameras in their lowest formats is within the limit. Only maximal sets
/// are listed: no further camera can be added to a maximal set.
///
/// The search is bounded. A set that fits omits at least one camera of each conflicting group, so the search
/// removes only the cameras of such a group, one at a time, and evaluates each combination once. If the
/// search exceeds `mostTrials` combinations or `mostSets` sets, the result is marked as incomplete. For
/// example, sixteen identical cameras on one bus reach this limit after a few hundred combinations.
public struct CameraSets: Sendable, Equatable {
    /// A camera in a set.
    public struct Member: Sendable, Equatable {
        /// Name of the camera: a role or a device node.
        public let name: String
        /// Best format that the camera can use together with the other cameras of the set.
        public let format: VideoFormat
        /// The resource that prevents a better format; `nil` if the camera already uses its best format.
        public let limit: String?
        /// Whether the camera's USB bandwidth is an assumption because the camera hasn't streamed yet.
        package let isAssumed: Bool
    }

    /// Cameras that can run together.
    public struct Group: Sendable, Equatable {
        /// The cameras, in input order.
        public let members: [Member]
        /// Combined hardware cost of the cameras in these formats.
        public let cost: HardwareCost
    }

    /// Two cameras that can't run at the same time.
    package struct Exclusion: Sendable, Equatable {
        /// Name of the first camera.
        package let first: String
        /// Name of the second camera.
        package let second: String
        /// The resource that would be most overloaded if both cameras ran.
        package let resource: String
        /// Share of the resource that the two cameras need together; 1 is the whole resource.
        package let cost: Double
    }

    /// A camera that can't run even without other cameras.
    package struct UnusableCamera: Sendable, Equatable {
        /// Name of the camera: a role or a device node.
        package let name: String
        /// Sentence that explains why the camera can't run.
        package let reason: String
    }

    /// Maximal sets of cameras, largest first.
    public let groups: [Group]
    /// Pairs of cameras that can run separately but not at the same time.
    package let exclusions: [Exclusion]
    /// Cameras that can't run even without other cameras.
    package let unusableCameras: [UnusableCamera]
    /// Whether `groups` contains all maximal sets.
    package let isComplete: Bool

    /// Maximum number of cameras that the search considers. Further cameras are ignored.
    package static let mostCameras = 60
    /// Maximum number of combinations that are tried.
    static let mostTrials = 5000
    /// Maximum number of sets that are listed. Longer lists wouldn't be useful.
    static let mostSets = 32

    /// Finds the sets of cameras that can run together.
    ///
    /// - Parameters:
    ///   - cameras: The cameras in order of priority. Only the first `mostCameras` are considered.
    ///   - machine: The machine that would run the cameras.
    ///   - limit: The maximum hardware cost of a set.
    package init(of cameras: [SetCamera], on machine: MachineModel, limit: Double = 1) {
        let cameras = cameras.prefix(Self.mostCameras)
        var search = CameraSetSearch(
            cameras: Array(cameras.filter { !$0.formats.isEmpty }), machine: machine, limit: limit)
        let (sets, isComplete) = search.maximalSets()
        self.isComplete = isComplete && sets.count <= Self.mostSets
        groups = sets.prefix(Self.mostSets).map { search.group($0) }
        exclusions = search.exclusions()
        let formatless = cameras.filter(\.formats.isEmpty).map {
            UnusableCamera(name: $0.name, reason: "the camera does not offer a format that can be recorded.")
        }
        unusableCameras = formatless + search.unusableCameras()
    }
}

/// A camera that may be part of a set: its name and its possible formats.
package struct SetCamera: Sendable, Equatable {
    /// Name of the camera: a role, or a device node if the camera doesn't have a role.
    package var name: String
    /// Selector of the camera: `/dev/video0`, `virtual:clap`.
    package var selector: String
    /// The camera's identity.
    package var identity: DeviceIdentity
    /// Formats that the camera can use, lowest first. The track stores compressed frames unchanged and
    /// encodes raw frames.
    package var formats: [VideoFormat]
    /// Bandwidth that a synthetic camera on a synthetic USB bus reserves; `nil` for all other cameras.
    package var usb: USBCamera?

    /// Creates a camera with formats in the given order, lowest first.
    package init(
        name: String, selector: String, identity: DeviceIdentity, formats: [VideoFormat],
        usb: USBCamera? = nil
    ) {
        self.name = name
        self.selector = selector
        self.identity = identity
        self.formats = formats
        self.usb = usb
    }

    /// Creates a camera with a useful subset of its formats.
    ///
    /// - Parameters:
    ///   - name: A role or a device node.
    ///   - device: The device that was found.
    ///   - pixel: The only pixel format to consider; `nil` for any.
    ///   - least: The minimum size and frame rate. Formats below the minimum are excluded if the camera has
    ///     other formats.
    package init(
        name: String, device: PlannedDevice, pixel: PixelFormat? = nil,
        least: BudgetSettings = BudgetSettings()
    ) {
        let offered: [OfferedFormat]
        switch device.offers {
        case .listed(let formats): offered = formats
        case .any(let own, let size, let rate):
            let sizes = size.map { [$0] } ?? Self.usualSizes
            offered = sizes.map {
                OfferedFormat(
                    pixel: own ?? pixel ?? .mjpeg, size: $0,
                    rates: .listed(rate.map { [$0] } ?? Self.usualRates))
            }
        }
        let wanted = offered.filter { pixel == nil || $0.pixel == pixel }
        // Compressed formats are preferred if available, because they are recorded unchanged and use a tenth of the bus
        // bandwidth.
        let compressed = wanted.filter(\.pixel.isCompressed)
        let all = (compressed.isEmpty ? wanted : compressed).flatMap(Self.formats)
        let fitting = all.filter {
            $0.size.pixelCount >= least.floorSize.pixelCount
                && $0.rate.perSecond >= least.floorRate.perSecond * 0.998
        }
        self.init(
            name: name, selector: device.selector, identity: device.device.identity,
            formats: Self.sorted(fitting.isEmpty ? all : fitting), usb: device.usb)
    }

    private static let usualSizes = [(640, 480), (1280, 720), (1920, 1080)].map {
        FrameSize(width: $0, height: $1)
    }
    private static let usualRates: [FrameRate] = [FrameRate(15), FrameRate(30)]

    private static func formats(of offer: OfferedFormat) -> [VideoFormat] {
        let rates: [FrameRate] =
            switch offer.rates {
            case .listed(let rates): rates
            case .any(let lowest, let highest):
                ([lowest, highest] + usualRates.filter { $0 > lowest && $0 < highest })
            }
        return rates.map { VideoFormat(pixel: offer.pixel, size: offer.size, rate: $0) }
    }

    /// Returns the formats in ascending order, with one format for each size and rate. MJPEG is preferred to
    /// H.264, because H.264 frames depend on each other.
    private static func sorted(_ formats: [VideoFormat]) -> [VideoFormat] {
        let order: [PixelFormat] = [.mjpeg, .h264, .yuyv, .nv12]
        func rank(_ format: VideoFormat) -> Int { order.firstIndex(of: format.pixel) ?? order.count }
        var seen: Set<VideoFormat> = []
        return formats.sorted {
            ($0.size.pixelCount, $0.rate.perSecond, rank($0)) < (
                $1.size.pixelCount, $1.rate.perSecond, rank($1)
            )
        }.filter { format in
            seen.insert(VideoFormat(pixel: .mjpeg, size: format.size, rate: format.rate)).inserted
        }
    }
}

/// The search algorithm of `CameraSets`. A set of cameras is represented by a bit mask of camera indices.
struct CameraSetSearch {
    private let cameras: [SetCamera]
    private let machine: MachineModel
    private let limit: Double
    /// For each tested set, whether the set fits if all its cameras use their lowest formats.
    private var known: [UInt64: Bool] = [:]

    init(cameras: [SetCamera], machine: MachineModel, limit: Double) {
        precondition(cameras.count < 64, "a set can contain at most 63 cameras")
        self.cameras = cameras
        self.machine = machine
        self.limit = limit
    }

    // MARK: Maximal sets

    /// Starts the search with the set of all cameras and removes one camera of a conflicting group at a time.
    ///
    /// - Returns: The maximal sets, largest first, and whether the list is complete.
    mutating func maximalSets() -> (sets: [UInt64], isComplete: Bool) {
        let all = (UInt64(1) << UInt64(cameras.count)) - 1
        var waiting = all == 0 ? [] : [all]
        var seen: Set<UInt64> = [all]
        var maximal: [UInt64] = []
        var isComplete = true
        while let set = waiting.popLast() {
            guard known.count < CameraSets.mostTrials, maximal.count <= CameraSets.mostSets else {
                isComplete = false
                break
            }
            if fits(set) {
                if isMaximal(set) { maximal.append(set) }
                continue
            }
            // Every set that fits omits at least one of the conflicting cameras.
            for index in indices(of: conflict(in: set)) {
                let smaller = set & ~Self.bit(index)
                if smaller != 0, seen.insert(smaller).inserted { waiting.append(smaller) }
            }
        }
        // Sets with the same number of cameras are ordered by the indices of their cameras.
        return (
            maximal.sorted {
                ($1.nonzeroBitCount, indices(of: $0)[0], $0) < ($0.nonzeroBitCount, indices(of: $1)[0], $1)
            }, isComplete
        )
    }

    private mutating func isMaximal(_ set: UInt64) -> Bool {
        for index in cameras.indices where set & Self.bit(index) == 0 {
            if fits(set | Self.bit(index)) { return false }
        }
        return true
    }

    /// Returns a minimal conflict: cameras of a set that don't fit together, but fit if any one of them is removed.
    private mutating func conflict(in set: UInt64) -> UInt64 {
        var conflict: UInt64 = 0
        for index in indices(of: set) where fits(conflict) { conflict |= Self.bit(index) }
        for index in indices(of: conflict) {
            let smaller = conflict & ~Self.bit(index)
            if smaller != 0, !fits(smaller) { conflict = smaller }
        }
        return conflict
    }

    private static func bit(_ index: Int) -> UInt64 { 1 << UInt64(index) }

    private func indices(of set: UInt64) -> [Int] {
        cameras.indices.filter { set & Self.bit($0) != 0 }
    }

    private mutating func fits(_ set: UInt64) -> Bool {
        if set == 0 { return true }
        if let answer = known[set] { return answer }
        let answer = cost(indices(of: set).map { (cameras[$0], least(cameras[$0])) }).total <= limit
        known[set] = answer
        return answer
    }

    private func least(_ camera: SetCamera) -> VideoFormat { camera.formats[0] }

    // MARK: Formats

    /// Raises the formats of a set's cameras in turn, starting with the camera that has the lowest format, until none
    /// can be raised.
    func group(_ set: UInt64) -> CameraSets.Group {
        let members = indices(of: set).map { cameras[$0] }
        var levels = [Int](repeating: 0, count: members.count)
        var limits = [String?](repeating: nil, count: members.count)
        var open = Set(members.indices)
        func chosen(_ levels: [Int]) -> [(SetCamera, VideoFormat)] {
            zip(members, levels).map { ($0, $0.formats[$1]) }
        }
        while let index = open.min(by: { worth(members[$0], levels[$0]) < worth(members[$1], levels[$1]) }) {
            var isRaised = false
            for level in members[index].formats.indices.dropFirst(levels[index] + 1) {
                var trial = levels
                trial[index] = level
                let cost = cost(chosen(trial))
                if cost.total <= limit {
                    (levels, limits[index], isRaised) = (trial, nil, true)
                    break
                }
                limits[index] = cost.terms.first?.resource
            }
            if !isRaised { open.remove(index) }
        }
        let formats = chosen(levels)
        return CameraSets.Group(
            members: zip(formats, limits).map { choice, limit in
                CameraSets.Member(
                    name: choice.0.name, format: choice.1, limit: limit,
                    isAssumed: demand(choice.0, choice.1)?.basis == .estimated)
            }, cost: cost(formats))
    }

    /// Returns the sort key that determines which camera's format is raised next: pixels per second, then
    /// position in the list.
    private func worth(_ camera: SetCamera, _ level: Int) -> (Double, Int) {
        let format = camera.formats[level]
        return (
            Double(format.size.pixelCount) * format.rate.perSecond,
            cameras.firstIndex { $0.name == camera.name } ?? 0
        )
    }

    private func demand(_ camera: SetCamera, _ format: VideoFormat) -> USBDemand? {
        (camera.usb ?? machine.usb.camera(camera.identity))?.demand(in: format)
    }

    // MARK: Exclusions

    /// Returns the pairs of cameras that each fit separately but not together.
    mutating func exclusions() -> [CameraSets.Exclusion] {
        var result: [CameraSets.Exclusion] = []
        for first in cameras.indices where fits(Self.bit(first)) {
            for second in cameras.indices.dropFirst(first + 1) where fits(Self.bit(second)) {
                guard !fits(Self.bit(first) | Self.bit(second)) else { continue }
                let cost = cost([first, second].map { (cameras[$0], least(cameras[$0])) })
                guard let term = cost.terms.first else { continue }
                result.append(
                    CameraSets.Exclusion(
                        first: cameras[first].name, second: cameras[second].name, resource: term.resource,
                        cost: term.used))
            }
        }
        return result
    }

    mutating func unusableCameras() -> [CameraSets.UnusableCamera] {
        cameras.indices.filter { !fits(Self.bit($0)) }.compactMap { index in
            let camera = cameras[index]
            return cost([(camera, least(camera))]).terms.first.map { term in
                CameraSets.UnusableCamera(
                    name: camera.name,
                    reason:
                        "the camera exceeds the limit of \(term.resource) even without other cameras (\(least(camera))): \(term.explanation)"
                )
            }
        }
    }

    // MARK: Cost

    private func cost(_ choices: [(camera: SetCamera, format: VideoFormat)]) -> HardwareCost {
        let tracks = choices.map { choice in
            PlannedCameraTrack(
                role: choice.camera.name, mode: choice.format.pixel.isCompressed ? .copy : .encode,
                file: "", rate: choice.format.rate,
                settings: VideoEncodingSettings(
                    size: choice.format.size, rate: choice.format.rate, preset: .balanced, quality: 23,
                    color: nil), rotation: .none)
        }
        let planned = choices.map { choice in
            PlannedCamera(
                role: choice.camera.name, selector: choice.camera.selector, identity: choice.camera.identity,
                format: choice.format, usb: choice.camera.usb)
        }
        return HardwareCost(
            of: SessionPlan(
                profile: "", cameras: planned, microphones: [], program: nil, cameraTracks: tracks,
                microphoneTracks: []), on: machine)
    }
}
