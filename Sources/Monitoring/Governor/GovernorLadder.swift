package import Media
package import Plan
package import Profiles

/// The measures by which a running session can be relieved: those that its plan and its cameras' offers allow, by `ReliefRule`.
package struct GovernorLadder {
    /// The formats that each camera can be changed to while it runs, by role; cameras that cannot be changed have none.
    package typealias Offers = [String: [OfferedFormat]]

    private let plan: SessionPlan
    private let offers: Offers
    private let floors: BudgetSettings
    private let hasPreviews: Bool

    /// Creates the ladder of a running session.
    ///
    /// - Parameters:
    ///   - plan: The plan that runs.
    ///   - offers: The formats of the cameras that can be changed, by role.
    ///   - floors: The size and rate below which nothing is lowered.
    ///   - hasPreviews: Whether a program takes frames only to show them.
    package init(_ plan: SessionPlan, offers: Offers, floors: BudgetSettings, hasPreviews: Bool) {
        self.plan = plan
        self.offers = offers
        self.floors = floors
        self.hasPreviews = hasPreviews
    }

    /// The measures in the order of `Concession.whileRunning`, the last camera of the plan before the others.
    package var measures: [GovernorMeasure] {
        let rule = ReliefRule(plan, isRunning: true)
        return Concession.whileRunning.flatMap { concession in
            actions(of: concession).map { role, action in
                GovernorMeasure(action, relieves: rule.relief(of: concession, role: role))
            }
        }.filter { !$0.relieves.isEmpty }
    }

    /// The ways to make one kind of concession, each with the role of its camera.
    private func actions(of concession: Concession) -> [(role: String?, action: GovernorMeasure.Action)] {
        let cameras = plan.cameras.reversed().filter { !isCopiedStream($0) }
        return switch concession {
        case .preset: presets.map { (nil, $0) }
        case .previews: hasPreviews ? [(nil, .previews)] : []
        case .decoding: decodesJPEG ? [(nil, .coarseDecoding)] : []
        case .programRate: programRates.map { (nil, $0) }
        case .programPause: plan.program == nil ? [] : [(nil, .programPause)]
        case .trackRate: trackRates.map { (nil, $0) }
        case .cameraRate: cameras.flatMap { camera in rates(of: camera).map { (camera.role, $0) } }
        case .cameraSize: cameras.flatMap { camera in sizes(of: camera).map { (camera.role, $0) } }
        // The first camera is what the recording is about.
        case .camera:
            cameras.map(\.role).filter { $0 != plan.cameras.first?.role && offers[$0] != nil }
                .map { ($0, .cameraOff(role: $0)) }
        // A camera that is restarted leaves a gap, which is seen: its sizes come with those of the others.
        case .surplusSize, .rawFrames: []
        }
    }

    // MARK: Without a restart

    /// Faster presets for the streams that x264 encodes; hardware knows no presets.
    private var presets: [GovernorMeasure.Action] {
        let tracks = encodedTracks.map { ($0.role, $0.settings) }
        let program = plan.program.map { [(SessionPlan.programOwner, $0.settings)] } ?? []
        return (tracks + program).filter { $0.1.preset != .ultrafast && $0.1.hardware == nil }.map {
            .preset(stream: $0.0, from: $0.1.preset, to: .ultrafast)
        }
    }

    private var programRates: [GovernorMeasure.Action] {
        guard let program = plan.program else { return [] }
        return steps(from: program.settings.rate).map {
            .rate(stream: SessionPlan.programOwner, from: $0.from, to: $0.to)
        }
    }

    private var trackRates: [GovernorMeasure.Action] {
        encodedTracks.flatMap { track in
            steps(from: track.rate).map { .rate(stream: track.role, from: $0.from, to: $0.to) }
        }
    }

    private var encodedTracks: [PlannedCameraTrack] {
        plan.cameraTracks.reversed().filter { $0.mode == .encode }
    }

    private var decodesJPEG: Bool {
        plan.cameras.contains { camera in
            guard camera.format.pixel == .mjpeg, plan.decodes(camera.role) else { return false }
            // A program that begins with coarse decoding has no finer one to give up.
            return plan.program?.isCoarse != true || encodedTracks.contains { $0.role == camera.role }
        }
    }

    // MARK: With a restart of one camera

    private func rates(of camera: PlannedCamera) -> [GovernorMeasure.Action] {
        let offered = offers[camera.role, default: []].filter {
            $0.pixel == camera.format.pixel && $0.size == camera.format.size
        }
        return steps(from: camera.format.rate) { rate in
            offered.contains { $0.offers(rate) }
        }.map { .cameraRate(role: camera.role, from: $0.from, to: $0.to) }
    }

    private func sizes(of camera: PlannedCamera) -> [GovernorMeasure.Action] {
        // A crop is counted in pixels of the planned size.
        guard camera.crop == nil else { return [] }
        // At the rate that the camera has come down to by then, or another that is not below the floor.
        let lowest =
            rates(of: camera).compactMap { action in
                if case .cameraRate(_, _, let rate) = action { rate } else { nil }
            }.last ?? camera.format.rate
        let offered = offers[camera.role, default: []].filter { offer in
            guard offer.pixel == camera.format.pixel, let rate = offer.rate(for: lowest) else { return false }
            return CameraFormatChoice.reaches(rate, lowest)
                && CameraFormatChoice.reaches(camera.format.rate, rate)
        }.map(\.size)
        var actions: [GovernorMeasure.Action] = []
        var current = camera.format.size
        while let next = smaller(than: current, among: offered) {
            actions.append(.cameraSize(role: camera.role, from: current, to: next))
            current = next
        }
        return actions
    }

    /// The largest offered size that has at most three fifths of the pixels, of the same shape if there is one; not below the
    /// floor.
    private func smaller(than size: FrameSize, among offered: [FrameSize]) -> FrameSize? {
        let possible = offered.filter { other in
            other.pixelCount * 5 <= size.pixelCount * 3 && other.width >= floors.floorSize.width
                && other.height >= floors.floorSize.height
        }
        let sameShape = possible.filter {
            abs($0.width * size.height - size.width * $0.height) <= size.height
        }
        return (sameShape.isEmpty ? possible : sameShape).max { $0.pixelCount < $1.pixelCount }
    }

    /// Whether a camera's H.264 goes into a file as it is: such frames depend on parameters that the file has from its beginning.
    private func isCopiedStream(_ camera: PlannedCamera) -> Bool {
        camera.format.pixel == .h264
            && plan.cameraTracks.contains { $0.role == camera.role && $0.mode == .copy }
    }

    // MARK: Rates

    private static let usualRates: [FrameRate] = [60, 50, 40, 30, 25, 24, 20, 15, 12, 10, 8, 6, 5].map {
        FrameRate($0)
    }

    /// Lower rates in steps of about two thirds, at usual rates, down to the floor.
    private func steps(
        from rate: FrameRate, where isPossible: (FrameRate) -> Bool = { _ in true }
    ) -> [(from: FrameRate, to: FrameRate)] {
        var steps: [(from: FrameRate, to: FrameRate)] = []
        var current = rate
        let possible = Set(Self.usualRates + [floors.floorRate]).filter {
            $0 >= floors.floorRate && isPossible($0)
        }
        while true {
            let lower = possible.filter { $0.perSecond < current.perSecond * 0.98 }
            let twoThirds = lower.filter { $0.perSecond * 3 <= current.perSecond * 2.01 }
            guard let next = twoThirds.max() ?? lower.min() else { return steps }
            steps.append((current, next))
            current = next
        }
    }
}

extension OfferedFormat {
    /// Whether the format can run at a rate, within the rounding of drivers.
    func offers(_ rate: FrameRate) -> Bool {
        switch rates {
        case .listed(let rates): rates.contains { abs($0.perSecond / rate.perSecond - 1) < 0.002 }
        case .any(let lowest, let highest): lowest <= rate && rate <= highest
        }
    }
}
