internal import Media

/// The search behind `CameraSets`; a set of cameras is a number whose bits are their indices.
struct CameraSetSearch {
    private let cameras: [SetCamera]
    private let machine: MachineModel
    private let limit: Double
    /// Whether each tried set of cameras fits in the cameras' least formats.
    private var known: [UInt64: Bool] = [:]

    init(cameras: [SetCamera], machine: MachineModel, limit: Double) {
        precondition(cameras.count < 64, "a set of cameras has at most 63")
        self.cameras = cameras
        self.machine = machine
        self.limit = limit
    }

    // MARK: Sets

    /// Searches from the set of all cameras down, by leaving out one camera of those that do not fit together.
    ///
    /// - Returns: The maximal sets, the largest first, and whether there are no others.
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
            // Every set that fits lacks one of these cameras.
            for index in indices(of: conflict(in: set)) {
                let smaller = set & ~Self.bit(index)
                if smaller != 0, seen.insert(smaller).inserted { waiting.append(smaller) }
            }
        }
        // Sets of the same size are ordered by their first cameras.
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

    /// Cameras of a set that do not fit together, while without any one of them the others do.
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

    /// Raises the formats of a set's cameras in turn, the one with the least first, until none can be raised.
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
                    isAssumed: demand(choice.0, choice.1)?.basis == .assumed)
            }, cost: cost(formats))
    }

    /// The key by which cameras are raised: pixels per second; among equal ones the first camera comes first.
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

    // MARK: Who excludes whom

    /// Pairs of cameras that each fit alone but not together.
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

    mutating func outsiders() -> [CameraSets.Outsider] {
        cameras.indices.filter { !fits(Self.bit($0)) }.compactMap { index in
            let camera = cameras[index]
            return cost([(camera, least(camera))]).terms.first.map { term in
                CameraSets.Outsider(
                    name: camera.name,
                    reason:
                        "even alone as \(least(camera)) it needs too much of \(term.resource): \(term.explanation)"
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
