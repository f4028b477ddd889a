internal import Media
internal import Profiles

/// The changes that a person could make to a plan or its machine, one thing at a time.
struct RemedySearch {
    struct State {
        var plan: SessionPlan
        var machine: MachineModel
    }

    struct Change {
        let effort: Remedy.Effort
        let action: String
        /// The profile's fields that make the change; empty where none does.
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

    /// Moves of a camera to another controller or else to another port: one free socket of each kind is enough.
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
                next.put(moved, for: planned.role)
                next.machine.usb.freePorts.removeAll { $0.name == port.name && port.accounting == .xhci }
                let where_ =
                    port.controller == now.controller
                    ? "another port (\(port.place))"
                    : camera.isSynthetic
                        ? "another controller (another `bus` in its selector)"
                        : "another controller (\(port.place), \(port.controller.printable()))"
                return Change(effort: .move, action: "move \(planned.role) to \(where_)", state: next)
            }
        }
    }

    /// Another synthetic bus, of which there are as many as one likes.
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
            let holder = claim.holder.map { "close \($0), which uses" } ?? "stop the program that uses"
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
                .compress, "take \(camera.role) as mjpeg instead of \(camera.format.pixel.rawValue)", camera,
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
                .size, "take \(camera.role) at \(size)", camera, to: format, ["size": "\(size)"], state)
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
                .rate, "take \(camera.role) at \(rate) frames a second", camera, to: format,
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

    /// The offered format of a size with the present rate, or the nearest rate above it.
    private func nearest(to format: VideoFormat, of role: String, as pixel: PixelFormat, size: FrameSize)
        -> VideoFormat?
    {
        let rates: [FrameRate]
        switch offers[role] {
        case .listed(let formats):
            rates = formats.filter { $0.pixel == pixel && $0.size == size }.compactMap {
                $0.rate(for: format.rate)
            }
        case .whatever(let own, let ownSize, _):
            rates = (own ?? pixel) == pixel && (ownSize ?? size) == size ? [format.rate] : []
        case nil: rates = []
        }
        return rates.filter { CameraFormatChoice.reaches($0, format.rate) }.min()
            .map { VideoFormat(pixel: pixel, size: size, rate: $0) }
    }

    private func sizes(of camera: PlannedCamera) -> [FrameSize] {
        switch offers[camera.role] {
        case .listed(let formats): formats.filter { $0.pixel == camera.format.pixel }.map(\.size)
        case .whatever(_, nil, _):
            [(1280, 720), (960, 540), (640, 480)].map { FrameSize(width: $0, height: $1) }
        case .whatever, nil: []
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
        case .whatever(_, _, nil): Self.usualRates
        case .whatever, nil: []
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
                    effort: .preset, action: "encode the program as \(faster.rawValue)",
                    edits: ["program.video.preset": faster.rawValue], state: next))
        }
        // All tracks are encoded with one preset.
        let tracks = state.plan.cameraTracks.indices.filter { state.plan.cameraTracks[$0].mode == .encode }
        if let first = tracks.first,
            let faster = Self.faster(than: state.plan.cameraTracks[first].settings.preset)
        {
            var next = state
            for track in tracks { next.plan.cameraTracks[track].settings.preset = faster }
            changes.append(
                Change(
                    effort: .preset, action: "encode the tracks as \(faster.rawValue)",
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

    /// Copied instead of encoded tracks, for all cameras together as a profile copies all or none.
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
                effort: .copy, action: "copy the cameras' tracks instead of encoding them",
                edits: ["tracks.cameras": "copy"], state: next)
        ]
    }
}

extension RemedySearch.State {
    func usb(of camera: PlannedCamera) -> USBCamera? { camera.usb ?? machine.usb.camera(camera.identity) }

    /// Connects a camera of the plan to another place on USB.
    mutating func put(_ moved: USBCamera, for role: String) {
        guard let index = plan.cameras.firstIndex(where: { $0.role == role }) else { return }
        if plan.cameras[index].usb != nil { plan.cameras[index].usb = moved }
        machine.usb.cameras = machine.usb.cameras.map { $0.identity == moved.identity ? moved : $0 }
    }
}
