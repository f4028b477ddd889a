package import MulticamMedia
package import MulticamProfiles

/// Changes that would lower the cost of a plan. The cost of every candidate change is computed. The remedies
/// are a pure function of the plan, the machine, and the formats that the cameras offer.
package struct PlanRemedies: Sendable, Equatable {
    /// Changes that each lower the cost by themselves, in order of effort. Changes with equal effort are
    /// ordered by their effect, largest first.
    package let remedies: [Remedy]
    /// A combination of changes that is sufficient or comes closest if no single change is sufficient;
    /// otherwise `nil`.
    package let combination: Remedy?

    /// Minimum cost reduction of a remedy. A smaller reduction wouldn't be visible in the displayed figures.
    private static let leastGain = 0.02
    /// Maximum number of changes in a proposed combination. Users are unlikely to make more changes to start
    /// a recording.
    private static let maxCombinedChanges = 4

    /// Computes the cost of possible changes to a plan and its machine.
    ///
    /// - Parameters:
    ///   - plan: The plan, which may cost too much.
    ///   - machine: The machine that the plan would run on.
    ///   - offers: The formats that the plan's cameras offer, by role. For a camera whose role is missing, no
    ///     other format is proposed.
    ///   - duration: The length of the recording; `nil` to ignore free disk space.
    ///   - limit: The allowed cost of the plan. If the cost is within the limit, only moves to other USB
    ///     ports are proposed, and only if a move frees at least half of the scarcest resource.
    ///   - floors: The minimum size and rate to propose.
    package init(
        for plan: SessionPlan, on machine: MachineModel, offers: [String: PlannedDevice.Offers] = [:],
        duration: Nanoseconds? = nil, limit: Double = 1, floors: BudgetSettings = BudgetSettings()
    ) {
        let search = RemedySearch(offers: offers, floors: floors)
        func cost(_ state: RemedySearch.State) -> Double {
            HardwareCost(of: state.plan, on: state.machine, duration: duration).total
        }
        let start = RemedySearch.State(plan: plan, machine: machine)
        let before = cost(start)
        func tried(_ state: RemedySearch.State, from now: Double) -> [(Remedy, RemedySearch.State)] {
            search.changes(of: state).map { change in
                (
                    Remedy(
                        effort: change.effort, action: change.action, edits: change.edits, before: now,
                        after: cost(change.state)),
                    change.state
                )
            }.filter { $0.0.after <= now - Self.leastGain }
        }
        let singles = tried(start, from: before).map(\.0)
        guard before > limit else {
            remedies = Self.best(singles.filter { $0.effort == .move && $0.after <= before / 2 })
            combination = nil
            return
        }
        remedies = Self.best(singles)
        guard !singles.isEmpty, singles.allSatisfy({ $0.after > limit }) else {
            combination = nil
            return
        }
        // Adds the best change repeatedly, as long as it lowers the cost.
        var (state, now, actions) = (start, before, [Remedy]())
        while now > limit, actions.count < Self.maxCombinedChanges {
            // If several changes are equally good, the first is used.
            let next = tried(state, from: now).min { Self.isBetter($0.0, $1.0) }
            guard let next else { break }
            actions.append(next.0)
            (state, now) = (next.1, next.0.after)
        }
        combination =
            actions.count < 2
            ? nil
            : Remedy(
                effort: actions.map(\.effort).max() ?? .rate,
                action: actions.map(\.action).joined(separator: ", and "),
                edits: actions.contains(where: \.edits.isEmpty)
                    ? [:] : actions.reduce(into: [:]) { edits, action in edits.merge(action.edits) { $1 } },
                before: before, after: now)
    }

    /// Whether a remedy is listed before another. Costs that are displayed as the same figure count as equal.
    private static func isBetter(_ one: Remedy, _ other: Remedy) -> Bool {
        func figure(_ remedy: Remedy) -> Double { (remedy.after * 100).rounded() }
        return (one.effort, figure(one)) < (other.effort, figure(other))
    }

    /// Returns the remedies in order. Remedies with equal effort and effect stay in the order in which they
    /// were tried. The plan's last camera is tried first.
    private static func best(_ remedies: [Remedy]) -> [Remedy] {
        remedies.enumerated().sorted { one, other in
            if isBetter(one.element, other.element) { return true }
            return !isBetter(other.element, one.element) && one.offset < other.offset
        }.map(\.element)
    }
}

/// A change that the user could make to lower a plan's cost, with the resulting cost.
package struct Remedy: Sendable, Equatable {
    /// The kind of effort that a remedy requires from the user, least effort first.
    package enum Effort: String, Sendable, Comparable, CaseIterable {
        /// Move a cable to another port.
        case move
        /// Use another pixel format.
        case compress
        /// Use a faster encoder preset, which results in a larger file or less fine detail.
        case preset
        /// Store the camera's frames unchanged instead of encoding them.
        case copy
        /// Close another program that uses a camera.
        case stopOther = "stop-other"
        /// Use a lower resolution.
        case size
        /// Use a lower frame rate.
        case rate

        /// Orders kinds of effort from the least to the most.
        package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// Effort that the change requires from the user.
    package let effort: Effort
    /// Description of the change: `move face to another controller (bus 3 of 0000:00:1d.0)`.
    package let action: String
    /// The change as profile fields and values, by path: `["cameras.face.format": "mjpeg"]`. Empty if the profile can't
    /// express the change because the user must move a cable or close a program.
    package let edits: [String: String]
    /// Hardware cost without the change.
    package let before: Double
    /// Hardware cost with the change.
    package let after: Double

    /// The change with its effect: `move face to another controller (bus 3 of 0000:00:1d.0): cost 1.3 → 0.7`.
    package var sentence: String {
        "\(action): cost \(Self.twoDecimals(before)) → \(Self.twoDecimals(after))"
    }

    /// Formats a cost with at most two decimal places.
    private static func twoDecimals(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}

/// Searches for changes that the user could make to a plan or its machine, one change at a time.
struct RemedySearch {
    struct State {
        var plan: SessionPlan
        var machine: MachineModel
    }

    struct Change {
        let effort: Remedy.Effort
        let action: String
        /// New values of profile fields, by path; empty if the profile can't express the change.
        var edits: [String: String] = [:]
        var state: State
    }

    let offers: [String: PlannedDevice.Offers]
    let floors: BudgetSettings

    func changes(of state: State) -> [Change] {
        moves(state) + compressed(state) + presets(state) + copies(state) + stops(state) + smaller(state)
            + slower(state)
    }

    // MARK: USB

    /// Returns the changes that move a camera to a port of another USB controller or to another port of the
    /// same controller. Only one free port of each kind is tried.
    private func moves(_ state: State) -> [Change] {
        state.plan.cameras.reversed().flatMap { planned -> [Change] in
            guard let camera = state.usb(of: planned), let now = camera.domains.first else { return [] }
            let used = Set(state.plan.cameras.flatMap { state.usb(of: $0)?.domains ?? [] }.map(\.name))
            let free = camera.isSynthetic ? [Self.bus(like: now, besides: used)] : state.machine.usb.freePorts
            let fitting = free.filter { port in
                (camera.speed >= .superSpeed ? port.speed >= camera.speed : port.speed == .high)
                    && port.name != now.name && !(port.accounting == .xhci && used.contains(port.name))
            }
            let elsewhere = fitting.first { $0.controller != now.controller }
            let nearby = fitting.first { $0.controller == now.controller }
            return [elsewhere, nearby].compactMap { $0 }.map { port in
                var next = state
                var moved = camera
                moved.domains = [port]
                next.setUSBCamera(moved, for: planned.role)
                next.machine.usb.freePorts.removeAll { $0.name == port.name && port.accounting == .xhci }
                let where_ =
                    port.controller == now.controller
                    ? "another port (\(port.place))"
                    : camera.isSynthetic
                        ? "another controller (change `bus` in its selector)"
                        : "another controller (\(port.place), \(port.controller.printable()))"
                return Change(effort: .move, action: "move \(planned.role) to \(where_)", state: next)
            }
        }
    }

    /// Returns a synthetic USB bus with an unused name. The number of synthetic buses is unlimited.
    private static func bus(like bus: USBDomain, besides used: Set<String>) -> USBDomain {
        var name = bus.name
        while used.contains(name) { name += "'" }
        return USBDomain(
            name: name, place: "another synthetic bus", controller: name, speed: bus.speed,
            accounting: bus.accounting)
    }

    private func stops(_ state: State) -> [Change] {
        let own = Set(state.plan.cameras.map(\.identity))
        let others = state.machine.usb.claims.filter { claim in
            claim.camera.map { !own.contains($0) } ?? false
        }
        return others.map { claim in
            var next = state
            next.machine.usb.claims.removeAll { $0 == claim }
            let holder = claim.holder.map { "close \($0), which uses" } ?? "close the program that uses"
            return Change(effort: .stopOther, action: "\(holder) \(claim.device)", state: next)
        }
    }

    // MARK: Formats

    private func compressed(_ state: State) -> [Change] {
        state.plan.cameras.reversed().compactMap { camera in
            guard camera.format.pixel.isRaw,
                let format = nearest(to: camera.format, of: camera.role, as: .mjpeg, size: camera.format.size)
            else { return nil }
            return change(
                .compress, "use mjpeg instead of \(camera.format.pixel.rawValue) for \(camera.role)", camera,
                to: format, ["format": PixelFormat.mjpeg.rawValue], state)
        }
    }

    private func smaller(_ state: State) -> [Change] {
        state.plan.cameras.reversed().compactMap { camera in
            guard camera.crop == nil else { return nil }
            let sizes = sizes(of: camera).filter {
                $0.pixelCount < camera.format.size.pixelCount
                    && $0.pixelCount >= floors.floorSize.pixelCount
            }
            guard let size = sizes.max(by: { $0.pixelCount < $1.pixelCount }),
                let format = nearest(to: camera.format, of: camera.role, as: camera.format.pixel, size: size)
            else { return nil }
            return change(
                .size, "use \(size) for \(camera.role)", camera, to: format, ["size": "\(size)"], state)
        }
    }

    private func slower(_ state: State) -> [Change] {
        state.plan.cameras.reversed().compactMap { camera in
            let now = camera.format
            let rates = rates(of: camera).filter {
                $0.perSecond < now.rate.perSecond * 0.998 && $0 >= floors.floorRate
            }
            guard let rate = rates.max() else { return nil }
            let format = VideoFormat(pixel: now.pixel, size: now.size, rate: rate)
            return change(
                .rate, "use \(rate) fps for \(camera.role)", camera, to: format,
                ["rate": "\(rate)"], state)
        }
    }

    private func change(
        _ effort: Remedy.Effort, _ action: String, _ camera: PlannedCamera, to format: VideoFormat,
        _ fields: [String: String], _ state: State
    ) -> Change? {
        guard let index = state.plan.cameras.firstIndex(of: camera) else { return nil }
        var next = state
        next.plan.cameras[index].format = format
        for track in next.plan.cameraTracks.indices where next.plan.cameraTracks[track].role == camera.role {
            next.plan.cameraTracks[track].settings.size = FrameSize(
                width: format.size.width / 2 * 2, height: format.size.height / 2 * 2)
            guard format.rate < camera.format.rate else { continue }
            let rate = min(format.rate, next.plan.cameraTracks[track].rate)
            next.plan.cameraTracks[track].rate = rate
            next.plan.cameraTracks[track].settings.rate = rate
        }
        let edits = Dictionary(uniqueKeysWithValues: fields.map { ("cameras.\(camera.role).\($0)", $1) })
        return Change(effort: effort, action: action, edits: edits, state: next)
    }

    /// Returns the offered format with the given pixel format and size, at the current frame rate or the
    /// nearest higher rate.
    private func nearest(to format: VideoFormat, of role: String, as pixel: PixelFormat, size: FrameSize)
        -> VideoFormat?
    {
        let rates: [FrameRate]
        switch offers[role] {
        case .listed(let formats):
            rates = formats.filter { $0.pixel == pixel && $0.size == size }.compactMap {
                $0.rate(for: format.rate)
            }
        case .any(let own, let ownSize, _):
            rates = (own ?? pixel) == pixel && (ownSize ?? size) == size ? [format.rate] : []
        case nil: rates = []
        }
        return rates.filter { CameraFormatChoice.reaches($0, format.rate) }.min()
            .map { VideoFormat(pixel: pixel, size: size, rate: $0) }
    }

    private func sizes(of camera: PlannedCamera) -> [FrameSize] {
        switch offers[camera.role] {
        case .listed(let formats): formats.filter { $0.pixel == camera.format.pixel }.map(\.size)
        case .any(_, nil, _):
            [(1280, 720), (960, 540), (640, 480)].map { FrameSize(width: $0, height: $1) }
        case .any, nil: []
        }
    }

    private func rates(of camera: PlannedCamera) -> [FrameRate] {
        switch offers[camera.role] {
        case .listed(let formats):
            formats.filter { $0.pixel == camera.format.pixel && $0.size == camera.format.size }.flatMap {
                offer in
                switch offer.rates {
                case .listed(let rates): rates
                case .any(let lowest, let highest):
                    Self.usualRates.filter { $0 >= lowest && $0 <= highest }
                }
            }
        case .any(_, _, nil): Self.usualRates
        case .any, nil: []
        }
    }

    private static let usualRates: [FrameRate] = [FrameRate(30), FrameRate(24), FrameRate(20), FrameRate(15)]

    // MARK: Encoders

    private func presets(_ state: State) -> [Change] {
        var changes: [Change] = []
        if let faster = state.plan.program.flatMap({ Self.faster(than: $0.settings.preset) }) {
            var next = state
            next.plan.program?.settings.preset = faster
            changes.append(
                Change(
                    effort: .preset, action: "use preset \(faster.rawValue) for the program",
                    edits: ["program.video.preset": faster.rawValue], state: next))
        }
        // The profile sets a single encoder preset for all tracks.
        let tracks = state.plan.cameraTracks.indices.filter { state.plan.cameraTracks[$0].mode == .encode }
        if let first = tracks.first,
            let faster = Self.faster(than: state.plan.cameraTracks[first].settings.preset)
        {
            var next = state
            for track in tracks { next.plan.cameraTracks[track].settings.preset = faster }
            changes.append(
                Change(
                    effort: .preset, action: "use preset \(faster.rawValue) for the tracks",
                    edits: ["tracks.video.preset": faster.rawValue], state: next))
        }
        return changes
    }

    private static func faster(
        than preset: VideoEncodingSettings.Preset
    ) -> VideoEncodingSettings.Preset? {
        switch preset {
        case .veryfast: .superfast
        case .superfast: .balanced
        case .balanced: .ultrafast
        case .ultrafast: nil
        }
    }

    /// Returns the change from encoded to copied tracks for all cameras together, because a profile copies
    /// the frames of either all cameras or none.
    private func copies(_ state: State) -> [Change] {
        let tracks = state.plan.cameraTracks.indices.filter { state.plan.cameraTracks[$0].mode == .encode }
        let isPossible = tracks.allSatisfy { track in
            state.plan.camera(state.plan.cameraTracks[track].role)?.format.pixel.isCompressed ?? false
        }
        guard !tracks.isEmpty, isPossible else { return [] }
        var next = state
        for track in tracks { next.plan.cameraTracks[track].mode = .copy }
        return [
            Change(
                effort: .copy, action: "copy the camera tracks instead of encoding them",
                edits: ["tracks.cameras": "copy"], state: next)
        ]
    }
}

extension RemedySearch.State {
    func usb(of camera: PlannedCamera) -> USBCamera? { camera.usb ?? machine.usb.camera(camera.identity) }

    /// Connects a camera of the plan to another USB port.
    mutating func setUSBCamera(_ moved: USBCamera, for role: String) {
        guard let index = plan.cameras.firstIndex(where: { $0.role == role }) else { return }
        if plan.cameras[index].usb != nil { plan.cameras[index].usb = moved }
        machine.usb.cameras = machine.usb.cameras.map { $0.identity == moved.identity ? moved : $0 }
    }
}
