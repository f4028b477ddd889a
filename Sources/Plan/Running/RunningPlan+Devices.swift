package import Media
internal import Profiles

/// Changes of cameras and of their tracks.
extension RunningPlan {
    mutating func setEnabled(_ role: String, _ isEnabled: Bool) throws(SessionChangeError) -> [DeviceOrder] {
        try checkChangeable(role)
        guard devices.disabled.contains(role) == isEnabled else {
            throw SessionChangeError("camera \(role) is \(isEnabled ? "on" : "off") already.")
        }
        if isEnabled { devices.disabled.remove(role) } else { devices.disabled.insert(role) }
        return [.deliver(role: role, isEnabled ? format(of: role) : nil)]
    }

    /// Changes the size and rate of a camera. A camera whose frames are copied keeps its pixel format.
    mutating func reformat(
        _ role: String, _ size: FrameSize, _ rate: FrameRate?
    ) throws(SessionChangeError) -> [DeviceOrder] {
        try checkChangeable(role)
        guard let present = format(of: role) else { return [] }
        let offers = devices.offers[role] ?? []
        let kinds = kinds(of: role, now: present.pixel)
        let ofSize = offers.filter { $0.size == size && kinds.contains($0.pixel) }
        guard let offer = ofSize.first(where: { $0.pixel == present.pixel }) ?? ofSize.first,
            let offered = offer.rate(for: rate ?? present.rate)
        else {
            let sizes = offers.filter { kinds.contains($0.pixel) }.map(\.size.description)
            throw SessionChangeError(
                "camera \(role) does not offer \(size) as \(ProfileValue.list(kinds.map(\.rawValue))): it has \(ProfileValue.list(unique(sizes)))."
            )
        }
        if let rate, offered.perSecond < rate.perSecond * 0.998 || offered.perSecond > rate.perSecond * 1.002
        {
            throw SessionChangeError(
                "camera \(role) does not offer \(rate) frames a second of \(size); the nearest is \(offered)."
            )
        }
        if let slowest = devices.slowestIntervals[role], offered.interval > slowest {
            let least = (1e10 / Double(slowest.count)).rounded(.up) / 10
            throw SessionChangeError(
                "camera \(role) would deliver \(offered) frames a second, too late for this recording, whose alignment delay has "
                    + "room for \(least) and more: name a higher rate, or begin a recording with this one.")
        }
        let format = VideoFormat(pixel: offer.pixel, size: size, rate: offered)
        guard format != present else {
            throw SessionChangeError("camera \(role) delivers \(format) already.")
        }
        devices.formats[role] = format
        return devices.disabled.contains(role) ? [] : [.deliver(role: role, format)]
    }

    /// Notes that a camera refused a format and keeps another, unless it was asked for something else since.
    package mutating func note(_ refused: VideoFormat, of role: String, goesOnIn kept: VideoFormat) {
        if format(of: role) == refused { devices.formats[role] = kept }
    }

    /// The format that a camera is asked to deliver while it is switched on.
    func format(of role: String) -> VideoFormat? {
        devices.formats[role] ?? plan.cameras.first { $0.role == role }?.format
    }

    private func kinds(of role: String, now: PixelFormat) -> [PixelFormat] {
        let isCopied = runningTracks(of: role).contains { $0.mode == .copy }
        guard now != .h264, !isCopied else { return [now] }
        return [now]
            + (devices.offers[role] ?? []).map(\.pixel).filter { $0 != now && $0 != .h264 }.reduce(into: []) {
                if !$0.contains($1) { $0.append($1) }
            }
    }

    private func unique(_ words: [String]) -> [String] {
        words.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private func checkChangeable(_ role: String) throws(SessionChangeError) {
        try checkPresence(ofCamera: role)
        guard devices.offers[role] != nil else {
            throw SessionChangeError(
                "camera \(role) cannot go on otherwise while it is recorded: it is none of hardware.")
        }
        guard
            !runningTracks(of: role).contains(where: { $0.mode == .copy }) || format(of: role)?.pixel != .h264
        else {
            throw SessionChangeError(
                "camera \(role) is recorded as its own H.264, which has to go on as it began. End its track first: `end \(role)`."
            )
        }
    }

    // MARK: Tracks

    /// A camera's tracks that have not ended.
    func runningTracks(of role: String) -> [PlannedCameraTrack] {
        plan.cameraTracks.filter { $0.role == role && !devices.endedTracks.contains($0.name) }
    }

    mutating func endTrack(of role: String) throws(SessionChangeError) -> [DeviceOrder] {
        try checkPresence(ofCamera: role)
        guard let track = runningTracks(of: role).last else {
            throw SessionChangeError("camera \(role) has no track of its own that could be ended.")
        }
        let others = plan.cameraTracks.filter { $0.file == track.file && $0.name != track.name }
        let microphones = plan.microphoneTracks.filter { $0.file == track.file }
        guard others.isEmpty, microphones.isEmpty else {
            throw SessionChangeError(
                "track \(track.name) shares its file with others, which go on: record with `tracks: { files: one-each }` to end one."
            )
        }
        devices.endedTracks.insert(track.name)
        return [.endTrack(name: track.name)]
    }

    mutating func beginTrack(of role: String) throws(SessionChangeError) -> [DeviceOrder] {
        try checkPresence(ofCamera: role)
        guard runningTracks(of: role).isEmpty else {
            throw SessionChangeError(
                "camera \(role) has a track of its own already. End that first: `end \(role)`.")
        }
        guard var track = plan.cameraTracks.last(where: { $0.role == role }) else {
            throw SessionChangeError(
                "camera \(role) has no track of its own in this profile, so it is not known how to record one: name it in `tracks`."
            )
        }
        guard track.mode == .encode || format(of: role)?.pixel != .h264 else {
            throw SessionChangeError(
                "camera \(role)'s own H.264 is copied from the recording's beginning or not at all: record it as mjpeg."
            )
        }
        guard !devices.disabled.contains(role) else {
            throw SessionChangeError("camera \(role) is off: switch it on first with `enable \(role)`.")
        }
        track.name = nextName(of: role)
        track.file = "cameras/\(track.name).mov"
        if track.mode == .copy, let format = format(of: role) { track.settings.size = format.size }
        plan.cameraTracks.append(track)
        return [.beginTrack(track)]
    }

    /// The name of a device's next track: `desk.2`.
    func nextName(of role: String) -> String {
        let names = plan.cameraTracks.map(\.name) + plan.microphoneTracks.map(\.name)
        var number = 2
        while names.contains("\(role).\(number)") { number += 1 }
        return "\(role).\(number)"
    }

    // MARK: Cameras

    mutating func remove(_ role: String) throws(SessionChangeError) -> [DeviceOrder] {
        try checkPresence(ofCamera: role)
        var orders: [DeviceOrder] = []
        if !runningTracks(of: role).isEmpty { orders += try endTrack(of: role) }
        if var program = plan.program {
            var arrangement = program.arrangement
            let others = arrangement.shown.filter { $0 != role }
            guard !others.isEmpty || !arrangement.shown.contains(role) else {
                throw SessionChangeError(
                    "camera \(role) is the only one that the program shows: show another one first, or end the recording."
                )
            }
            if arrangement.main == role, let next = others.first { arrangement.main = next }
            let main = arrangement.main
            arrangement.insets.removeAll { $0 == role || $0 == main }
            arrangement.hidden.remove(role)
            program.arrange(arrangement, cameras: plan.cameras)
            plan.program = program
        }
        devices.removed.insert(role)
        if devices.offers[role] != nil { orders.append(.deliver(role: role, nil)) }
        return orders
    }

    /// Adds a camera to the session. The program can show it from then on.
    ///
    /// - Parameters:
    ///   - camera: The camera, with a role that no device has had in this recording.
    ///   - track: Its own track; `nil` for none.
    ///   - offers: The formats that it can change to; `nil` where it cannot change.
    /// - Throws: `SessionChangeError` when the role is or was in use, or H.264 would have to be copied; nothing changes then.
    package mutating func admit(
        _ camera: PlannedCamera, _ track: PlannedCameraTrack?, offers: [OfferedFormat]?
    ) throws(SessionChangeError) {
        try checkFreedom(of: camera.role, for: "camera")
        guard track?.mode != .copy || camera.format.pixel != .h264 else {
            throw SessionChangeError(
                "camera \(camera.role) delivers H.264, which is copied from a recording's beginning or not at all: record a profile whose "
                    + "tracks are encoded, or begin a recording with it.")
        }
        plan.cameras.append(camera)
        if let track { plan.cameraTracks.append(track) }
        devices.offers[camera.role] = offers
        showable.insert(camera.role)
    }

    /// Checks that no device and no track has, or had, a name.
    func checkFreedom(of role: String, for device: String) throws(SessionChangeError) {
        let devices = plan.cameras.map(\.role) + plan.microphones.map(\.role)
        let tracks = plan.cameraTracks.map(\.name) + plan.microphoneTracks.map(\.name)
        guard !(devices + tracks).contains(role), role != SessionPlan.programOwner else {
            throw SessionChangeError(
                "there is or was a “\(role.printable())” in this recording: give the \(device) a role of its own."
            )
        }
    }

    /// Returns to the first devices and tracks after a recording, and keeps the program's last arrangement as far as it can be
    /// shown with them.
    package mutating func renew(_ first: SessionPlan, devices: RunningDevices) {
        let known = Set(first.cameras.map(\.role))
        let heard = Set(first.microphones.map(\.role))
        let kept = plan
        plan.cameras.removeAll { !known.contains($0.role) }
        plan.microphones.removeAll { !heard.contains($0.role) }
        plan.microphoneTracks = first.microphoneTracks
        plan.program?.mix.removeAll { !heard.contains($0) }
        plan.cameraTracks = first.cameraTracks.map { track in
            kept.cameraTracks.first { $0.name == track.name } ?? track
        }
        showable.formIntersection(known)
        // A camera that was exchanged stays, and the next recording is planned with its format. An exchange that the recording did
        // not come to leaves nothing behind.
        for index in plan.cameras.indices {
            let role = plan.cameras[index].role
            if let format = devices.formats[role] {
                plan.deliver(format, byCamera: index)
            } else if let camera = first.cameras.first(where: { $0.role == role }) {
                plan.cameras[index].takePlace(of: camera)
            }
        }
        if var program = plan.program {
            var arrangement = program.arrangement
            arrangement.insets.removeAll { !known.contains($0) }
            if !known.contains(arrangement.main) {
                arrangement.main =
                    arrangement.insets.first ?? first.program?.arrangement.main ?? arrangement.main
                let main = arrangement.main
                arrangement.insets.removeAll { $0 == main }
            }
            // Cameras that were shown in place of hidden ones may be gone.
            if arrangement.shown.isEmpty { arrangement.hidden.remove(arrangement.main) }
            program.arrange(arrangement, cameras: plan.cameras)
            plan.program = program
        }
        self.devices = devices
        self.devices.formats = [:]
    }
}
