package import MulticamMedia
package import MulticamPlan
package import MulticamProfiles

/// The measures that can reduce the load of a running session. The measures depend on the session's plan, the formats
/// that its cameras support, and `ReductionRule`.
package struct GovernorLadder {
    /// The formats that each camera can be switched to while it is running, by role. The list of formats is
    /// empty for cameras that can't be switched.
    package typealias Offers = [String: [OfferedFormat]]

    private let plan: SessionPlan
    private let offers: Offers
    private let floors: BudgetSettings
    private let hasPreviews: Bool

    /// Creates the ladder of a running session.
    ///
    /// - Parameters:
    ///   - plan: The current plan.
    ///   - offers: The formats of the cameras that can be switched, by role.
    ///   - floors: Minimum frame size and frame rate.
    ///   - hasPreviews: Whether any app receives frames only for display.
    package init(_ plan: SessionPlan, offers: Offers, floors: BudgetSettings, hasPreviews: Bool) {
        self.plan = plan
        self.offers = offers
        self.floors = floors
        self.hasPreviews = hasPreviews
    }

    /// The measures in the order of `ReductionKind.whileRunning`. Within a kind of measure, the last camera in
    /// the plan comes first.
    package var measures: [GovernorMeasure] {
        let rule = ReductionRule(plan, isRunning: true)
        return ReductionKind.whileRunning.flatMap { concession in
            actions(of: concession).map { role, action in
                GovernorMeasure(action, relieves: rule.savedResources(of: concession, role: role))
            }
        }.filter { !$0.relieves.isEmpty }
    }

    /// Returns the possible actions for one kind of reduction, each with its camera's role.
    private func actions(of concession: ReductionKind) -> [(role: String?, action: GovernorMeasure.Action)] {
        let cameras = plan.cameras.reversed().filter { !isCopiedStream($0) }
        return switch concession {
        case .preset: presets.map { (nil, $0) }
        case .previews: hasPreviews ? [(nil, .previews)] : []
        case .analysis: plan.analyzesFrames ? [(nil, .analysis)] : []
        case .decoding: decodesJPEG ? [(nil, .coarseDecoding)] : []
        case .programRate: programRates.map { (nil, $0) }
        case .programPause: plan.program == nil ? [] : [(nil, .programPause)]
        case .trackRate: trackRates.map { (nil, $0) }
        case .cameraRate: cameras.flatMap { camera in rates(of: camera).map { (camera.role, $0) } }
        case .cameraSize: cameras.flatMap { camera in sizes(of: camera).map { (camera.role, $0) } }
        // The first camera is the most important one of the recording, so it's never switched off.
        case .camera:
            cameras.map(\.role).filter { $0 != plan.cameras.first?.role && offers[$0] != nil }
                .map { ($0, .cameraOff(role: $0)) }
        // Frame sizes aren't reduced in a separate step for these concessions, because each restart of a
        // camera leaves a visible gap.
        case .surplusSize, .rawFrames: []
        }
    }

    // MARK: Steps without a restart

    /// Faster presets for streams encoded with x264. Hardware encoders don't have presets.
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
            // If the program already uses coarse decoding, the measure only helps cameras with an encoded
            // track.
            return plan.program?.isCoarse != true || encodedTracks.contains { $0.role == camera.role }
        }
    }

    // MARK: Steps that restart a camera

    private func rates(of camera: PlannedCamera) -> [GovernorMeasure.Action] {
        let offered = offers[camera.role, default: []].filter {
            $0.pixel == camera.format.pixel && $0.size == camera.format.size
        }
        return steps(from: camera.format.rate) { rate in
            offered.contains { $0.offers(rate) }
        }.map { .cameraRate(role: camera.role, from: $0.from, to: $0.to) }
    }

    private func sizes(of camera: PlannedCamera) -> [GovernorMeasure.Action] {
        // The size of a cropped camera can't change, because the crop is defined in pixels of the planned size.
        guard camera.crop == nil else { return [] }
        // Prefer the rate to which the camera will already have been reduced at this point; otherwise use
        // another rate that isn't below the minimum.
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

    /// Returns the largest supported size with at most three fifths of the pixels, preferably with the same aspect
    /// ratio, and not below the minimum size.
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

    /// Returns whether a camera's H.264 stream is written to a file without re-encoding. Frames of a copied
    /// stream depend on parameters that are stored at the start of the file.
    private func isCopiedStream(_ camera: PlannedCamera) -> Bool {
        camera.format.pixel == .h264
            && plan.cameraTracks.contains { $0.role == camera.role && $0.mode == .copy }
    }

    // MARK: Rates

    private static let commonRates: [FrameRate] = [60, 50, 40, 30, 25, 24, 20, 15, 12, 10, 8, 6, 5].map {
        FrameRate($0)
    }

    /// Returns reduced frame rates, each about two thirds of the previous one, down to the minimum rate. Only
    /// common frame rates are returned.
    private func steps(
        from rate: FrameRate, where isPossible: (FrameRate) -> Bool = { _ in true }
    ) -> [(from: FrameRate, to: FrameRate)] {
        var steps: [(from: FrameRate, to: FrameRate)] = []
        var current = rate
        let possible = Set(Self.commonRates + [floors.floorRate]).filter {
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
    /// Returns whether the format supports a frame rate, with a tolerance for rounding by drivers.
    func offers(_ rate: FrameRate) -> Bool {
        switch rates {
        case .listed(let rates): rates.contains { abs($0.perSecond / rate.perSecond - 1) < 0.002 }
        case .any(let lowest, let highest): lowest <= rate && rate <= highest
        }
    }
}
