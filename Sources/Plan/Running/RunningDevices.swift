package import MulticamMedia
internal import MulticamProfiles

/// The state of a running session's devices, which determines the changes that are possible.
package struct RunningDevices: Sendable, Equatable {
    /// Formats that each camera can change to, by role. If a role isn't listed, the camera's format can't
    /// change.
    var offers: [String: [OfferedFormat]] = [:]
    /// Formats that were requested from cameras since the session started, by role. All other cameras deliver
    /// the format in the plan.
    package var formats: [String: VideoFormat] = [:]
    /// Roles of devices that are switched off.
    package var disabled: Set<String> = []
    /// Roles of devices that were removed from the session.
    package var removed: Set<String> = []
    /// Names of encoded streams (`program` or a role) whose hardware encoder was replaced by x264 during this
    /// recording.
    var softwareFallbacks: Set<String> = []
    /// Names of stopped tracks.
    var endedTracks: Set<String> = []
    /// Longest frame interval at which a camera's frames still arrive before their ticks are decided, by
    /// role. Roles without a known interval are omitted.
    package var slowestIntervals: [String: Nanoseconds] = [:]

    /// Creates the state of a session's devices.
    package init(
        offers: [String: [OfferedFormat]] = [:], formats: [String: VideoFormat] = [:],
        disabled: Set<String> = [], removed: Set<String> = [], endedTracks: Set<String> = [],
        slowestIntervals: [String: Nanoseconds] = [:]
    ) {
        self.offers = offers
        self.formats = formats
        self.disabled = disabled
        self.removed = removed
        self.endedTracks = endedTracks
        self.slowestIntervals = slowestIntervals
    }
}

/// A device command or file operation that is required to apply a change to the running plan.
///
/// `RunningPlan` returns device orders, and the recorder executes them.
package enum DeviceOperation: Sendable {
    /// Switch a camera to this format, or stop the camera if the format is `nil`.
    case setFormat(role: String, VideoFormat?)
    /// Mute a microphone in all tracks and mixes (`false`), or unmute it (`true`).
    case setMicrophoneEnabled(role: String, Bool)
    /// Stop the track with this name.
    case stopTrack(name: String)
    /// Start a camera track as soon as the track's file and encoder are available.
    case startTrack(PlannedCameraTrack)
    /// Start a microphone track as soon as the track's file is available.
    case startAudio(PlannedMicrophoneTrack)
}

/// Changes to cameras and their tracks.
extension RunningPlan {
    mutating func setCameraEnabled(_ role: String, _ isEnabled: Bool) throws(SessionChangeError)
        -> [DeviceOperation]
    {
        try checkChangeable(role)
        guard devices.disabled.contains(role) == isEnabled else {
            throw SessionChangeError(.unchanged, "camera \(role) is already \(isEnabled ? "on" : "off").")
        }
        if isEnabled { devices.disabled.remove(role) } else { devices.disabled.insert(role) }
        return [.setFormat(role: role, isEnabled ? format(of: role) : nil)]
    }

    /// Changes a camera's frame size and frame rate. A camera with a copied track keeps its pixel format.
    mutating func reformat(
        _ role: String, _ size: FrameSize, _ rate: FrameRate?
    ) throws(SessionChangeError) -> [DeviceOperation] {
        try checkChangeable(role)
        guard let present = format(of: role) else { return [] }
        let offers = devices.offers[role] ?? []
        let kinds = availablePixelFormats(of: role, current: present.pixel)
        let ofSize = offers.filter { $0.size == size && kinds.contains($0.pixel) }
        guard let offer = ofSize.first(where: { $0.pixel == present.pixel }) ?? ofSize.first,
            let offered = offer.rate(for: rate ?? present.rate)
        else {
            let sizes = offers.filter { kinds.contains($0.pixel) }.map(\.size.description)
            throw SessionChangeError(
                .unsupported,
                "camera \(role) does not offer \(size) as \(ProfileValue.list(kinds.map(\.rawValue))). It offers \(ProfileValue.list(unique(sizes)))."
            )
        }
        if let rate, offered.perSecond < rate.perSecond * 0.998 || offered.perSecond > rate.perSecond * 1.002
        {
            throw SessionChangeError(
                .unsupported,
                "camera \(role) does not offer \(rate) fps at \(size). The nearest rate is \(offered) fps."
            )
        }
        if let slowest = devices.slowestIntervals[role], offered.interval > slowest {
            let least = (1e10 / Double(slowest.count)).rounded(.up) / 10
            throw SessionChangeError(
                .unsupported,
                "camera \(role) at \(offered) fps is too slow for the alignment delay of this recording, which requires at least \(least) fps. Choose a higher rate, or start a new recording with this rate."
            )
        }
        let format = VideoFormat(pixel: offer.pixel, size: size, rate: offered)
        guard format != present else {
            throw SessionChangeError(.unchanged, "camera \(role) already delivers \(format).")
        }
        devices.formats[role] = format
        return devices.disabled.contains(role) ? [] : [.setFormat(role: role, format)]
    }

    /// Records that a camera rejected a format and still uses the format `kept`. If another format was
    /// requested in the meantime, nothing is recorded.
    package mutating func recordRejectedFormat(
        _ refused: VideoFormat, of role: String, keeping kept: VideoFormat
    ) {
        if format(of: role) == refused { devices.formats[role] = kept }
    }

    /// Returns the format that is requested from a camera while the camera is switched on.
    func format(of role: String) -> VideoFormat? {
        devices.formats[role] ?? plan.cameras.first { $0.role == role }?.format
    }

    private func availablePixelFormats(of role: String, current: PixelFormat) -> [PixelFormat] {
        let isCopied = runningTracks(of: role).contains { $0.mode == .copy }
        guard current != .h264, !isCopied else { return [current] }
        return [current]
            + (devices.offers[role] ?? []).map(\.pixel).filter { $0 != current && $0 != .h264 }.reduce(
                into: []) {
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
                .unsupported,
                "camera \(role) cannot be changed while it is being recorded, because it is not a hardware camera."
            )
        }
        guard
            !runningTracks(of: role).contains(where: { $0.mode == .copy }) || format(of: role)?.pixel != .h264
        else {
            throw SessionChangeError(
                .unsupported,
                "camera \(role) cannot be changed while its H.264 stream is being copied. Stop its track first: `stop-track \(role)`."
            )
        }
    }

    // MARK: Tracks

    /// Returns a camera's tracks that haven't ended.
    func runningTracks(of role: String) -> [PlannedCameraTrack] {
        plan.cameraTracks.filter { $0.role == role && !devices.endedTracks.contains($0.name) }
    }

    mutating func stopTrack(of role: String) throws(SessionChangeError) -> [DeviceOperation] {
        try checkPresence(ofCamera: role)
        guard let track = runningTracks(of: role).last else {
            throw SessionChangeError(.unchanged, "camera \(role) does not have a running track.")
        }
        let others = plan.cameraTracks.filter { $0.file == track.file && $0.name != track.name }
        let microphones = plan.microphoneTracks.filter { $0.file == track.file }
        guard others.isEmpty, microphones.isEmpty else {
            throw SessionChangeError(
                .unsupported,
                "track \(track.name) cannot be stopped, because it shares its file with other tracks. To stop individual tracks, record with `tracks: { files: one-each }`."
            )
        }
        devices.endedTracks.insert(track.name)
        return [.stopTrack(name: track.name)]
    }

    mutating func startTrack(of role: String) throws(SessionChangeError) -> [DeviceOperation] {
        try checkPresence(ofCamera: role)
        guard runningTracks(of: role).isEmpty else {
            throw SessionChangeError(
                .unchanged, "camera \(role) already has a running track. Stop it first: `stop-track \(role)`."
            )
        }
        guard var track = plan.cameraTracks.last(where: { $0.role == role }) else {
            throw SessionChangeError(
                .unsupported,
                "camera \(role) does not have a track in this profile. Enable camera tracks in `tracks`."
            )
        }
        guard track.mode == .encode || format(of: role)?.pixel != .h264 else {
            throw SessionChangeError(
                .unsupported,
                "a copied H.264 track of camera \(role) can only start at the beginning of the recording. Use mjpeg for this camera."
            )
        }
        guard !devices.disabled.contains(role) else {
            throw SessionChangeError(
                .notRunning, "camera \(role) is off. Turn it on first: `enable \(role)`.")
        }
        track.name = nextName(of: role)
        track.file = "cameras/\(track.name).mov"
        if track.mode == .copy, let format = format(of: role) { track.settings.size = format.size }
        plan.cameraTracks.append(track)
        return [.startTrack(track)]
    }

    /// Returns a name for the next track of a device: `desk.2`.
    func nextName(of role: String) -> String {
        let names = plan.cameraTracks.map(\.name) + plan.microphoneTracks.map(\.name)
        var number = 2
        while names.contains("\(role).\(number)") { number += 1 }
        return "\(role).\(number)"
    }

    // MARK: Cameras

    mutating func remove(_ role: String) throws(SessionChangeError) -> [DeviceOperation] {
        try checkPresence(ofCamera: role)
        var orders: [DeviceOperation] = []
        if !runningTracks(of: role).isEmpty { orders += try stopTrack(of: role) }
        if var program = plan.program {
            var arrangement = program.arrangement
            let others = arrangement.shown.filter { $0 != role }
            guard !others.isEmpty || !arrangement.shown.contains(role) else {
                throw SessionChangeError(
                    .unsupported,
                    "camera \(role) is the only camera in the program. Show another camera first, or stop the recording."
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
        if devices.offers[role] != nil { orders.append(.setFormat(role: role, nil)) }
        return orders
    }

    /// Adds a camera to the session. The program can then show the camera.
    ///
    /// - Parameters:
    ///   - camera: The camera, with a role that hasn't been used in this recording.
    ///   - track: The track that records the device; `nil` if the device isn't recorded.
    ///   - offers: The formats that the camera can change to; `nil` if its format can't change.
    /// - Throws: `SessionChangeError` if the role is or was in use in this recording, or if the track would
    ///   have to copy H.264. If this method throws, the plan is unchanged.
    package mutating func add(
        _ camera: PlannedCamera, _ track: PlannedCameraTrack?, offers: [OfferedFormat]?
    ) throws(SessionChangeError) {
        try checkUnused(role: camera.role, for: "camera")
        guard track?.mode != .copy || camera.format.pixel != .h264 else {
            throw SessionChangeError(
                .unsupported,
                "camera \(camera.role) delivers H.264, and a copied H.264 track can only start at the beginning of the recording. Use a profile with encoded tracks, or start a new recording with this camera."
            )
        }
        plan.cameras.append(camera)
        if let track { plan.cameraTracks.append(track) }
        devices.offers[camera.role] = offers
        showable.insert(camera.role)
    }

    /// Checks that no device or track uses a role's name or has used it in this recording.
    func checkUnused(role: String, for device: String) throws(SessionChangeError) {
        let devices = plan.cameras.map(\.role) + plan.microphones.map(\.role)
        let tracks = plan.cameraTracks.map(\.name) + plan.microphoneTracks.map(\.name)
        guard !(devices + tracks).contains(role), role != SessionPlan.programOwner else {
            throw SessionChangeError(
                .inUse,
                "the role “\(role.printable())” has already been used in this recording. Choose another role for the \(device)."
            )
        }
    }

    /// Restores the initial devices and tracks after a recording. The program keeps its last arrangement,
    /// except for cameras that aren't among the initial devices.
    package mutating func reset(to first: SessionPlan, devices: RunningDevices) {
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
        // A replacement camera stays in use after the recording, and the next recording is planned with the
        // format of this camera. A replacement that didn't take effect during the recording is discarded.
        for index in plan.cameras.indices {
            let role = plan.cameras[index].role
            if let format = devices.formats[role] {
                plan.setFormat(format, ofCamera: index)
            } else if let camera = first.cameras.first(where: { $0.role == role }) {
                plan.cameras[index].copyDeviceProperties(of: camera)
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
            // If all cameras of the arrangement are hidden now because the visible ones were removed, the
            // main camera is shown.
            if arrangement.shown.isEmpty { arrangement.hidden.remove(arrangement.main) }
            program.arrange(arrangement, cameras: plan.cameras)
            plan.program = program
        }
        self.devices = devices
        self.devices.formats = [:]
    }
}

/// Changes that replace a role's camera.
extension RunningPlan {
    /// Returns the format that a role's replacement camera should deliver if possible, which is the current
    /// camera's format. If a track copies the camera's frames, the replacement must deliver the same kind of
    /// frames.
    ///
    /// - Parameter role: The role whose camera is replaced.
    /// - Returns: The current format, and whether the replacement must deliver the same kind of frames.
    /// - Throws: `SessionChangeError` if the camera doesn't exist or is off.
    package func formatToReplace(of role: String) throws(SessionChangeError) -> (
        format: VideoFormat, isCopied: Bool
    ) {
        try checkPresence(ofCamera: role)
        guard let format = format(of: role) else {
            preconditionFailure("a camera that is present must be in the plan")
        }
        guard !devices.disabled.contains(role) else {
            throw SessionChangeError(
                .notRunning, "camera \(role) is off. Turn it on first: `enable \(role)`.")
        }
        return (format, runningTracks(of: role).contains { $0.mode == .copy })
    }

    /// Replaces the camera of a role. Tracks, the program, and its layout continue.
    ///
    /// - Parameters:
    ///   - camera: The replacement, with the same role, in the format that it was opened with.
    ///   - offers: The formats that the camera can change to; `nil` if its format can't change.
    /// - Throws: `SessionChangeError` if the role doesn't have a camera, or if the replacement isn't
    ///   compatible with the role's tracks. If this method throws, the plan is unchanged.
    package mutating func replaceCamera(
        with camera: PlannedCamera, offers: [OfferedFormat]?
    ) throws(SessionChangeError) {
        let role = camera.role
        let (present, isCopied) = try formatToReplace(of: role)
        guard !isCopied || camera.format.pixel == present.pixel else {
            throw SessionChangeError(
                .unsupported,
                "the track of camera \(role) is a copy of \(present.pixel.rawValue) frames, but “\(camera.identity.name.printable())” delivers \(camera.format.pixel.rawValue). Choose a camera that delivers \(present.pixel.rawValue), or stop the track first: `stop-track \(role)`."
            )
        }
        guard let index = plan.cameras.firstIndex(where: { $0.role == role }) else { return }
        plan.cameras[index].copyDeviceProperties(of: camera)
        devices.formats[role] = camera.format
        devices.offers[role] = offers
    }
}

extension PlannedCamera {
    /// Copies the properties of a replacement camera that depend on the physical camera: identity, latency,
    /// and controls. The role's crop and zoom aren't changed.
    mutating func copyDeviceProperties(of camera: PlannedCamera) {
        (selector, identity, usb) = (camera.selector, camera.identity, camera.usb)
        (latency, latencySource, controls) = (camera.latency, camera.latencySource, camera.controls)
    }
}

/// Changes to microphones and their tracks.
extension RunningPlan {
    func isMicrophone(_ role: String) -> Bool { plan.microphones.contains { $0.role == role } }

    func checkPresence(ofMicrophone role: String) throws(SessionChangeError) {
        let present = plan.microphones.map(\.role).filter { !devices.removed.contains($0) }
        guard !present.contains(role) else { return }
        throw SessionChangeError(
            .notFound,
            present.isEmpty
                ? "this session does not have a microphone."
                : "this session does not have a microphone “\(role.printable())”. Choose \(list(present)).")
    }

    mutating func setMicrophoneEnabled(_ role: String, _ isHeard: Bool) throws(SessionChangeError)
        -> [DeviceOperation]
    {
        try checkPresence(ofMicrophone: role)
        guard devices.disabled.contains(role) == isHeard else {
            throw SessionChangeError(.unchanged, "microphone \(role) is already \(isHeard ? "on" : "off").")
        }
        if isHeard { devices.disabled.remove(role) } else { devices.disabled.insert(role) }
        return [.setMicrophoneEnabled(role: role, isHeard)]
    }

    /// Returns a microphone's track that hasn't ended.
    private func runningTrack(of role: String) -> PlannedMicrophoneTrack? {
        plan.microphoneTracks.last { $0.role == role && !devices.endedTracks.contains($0.name) }
    }

    mutating func stopAudio(of role: String) throws(SessionChangeError) -> [DeviceOperation] {
        try checkPresence(ofMicrophone: role)
        guard let track = runningTrack(of: role) else {
            throw SessionChangeError(.unchanged, "microphone \(role) does not have a running track.")
        }
        guard track.isWave else {
            throw SessionChangeError(
                .unsupported,
                "track \(track.name) cannot be stopped, because it shares its file with other tracks. To stop individual tracks, record with `tracks: { files: one-each }`."
            )
        }
        devices.endedTracks.insert(track.name)
        return [.stopTrack(name: track.name)]
    }

    mutating func startAudio(of role: String) throws(SessionChangeError) -> [DeviceOperation] {
        try checkPresence(ofMicrophone: role)
        guard runningTrack(of: role) == nil else {
            throw SessionChangeError(
                .unchanged,
                "microphone \(role) already has a running track. Stop it first: `stop-track \(role)`.")
        }
        guard plan.microphoneTracks.contains(where: { $0.role == role }) else {
            throw SessionChangeError(
                .unsupported,
                "microphone \(role) does not have a track in this profile. Enable microphone tracks in `tracks`."
            )
        }
        let name = nextName(of: role)
        let track = PlannedMicrophoneTrack(name: name, role: role, file: PlannedMicrophoneTrack.wave(name))
        plan.microphoneTracks.append(track)
        return [.startAudio(track)]
    }

    mutating func remove(microphone role: String) throws(SessionChangeError) -> [DeviceOperation] {
        try checkPresence(ofMicrophone: role)
        var orders: [DeviceOperation] = []
        if runningTrack(of: role) != nil { orders += try stopAudio(of: role) }
        plan.program?.mix.removeAll { $0 == role }
        devices.removed.insert(role)
        return orders + [.setMicrophoneEnabled(role: role, false)]
    }

    /// Adds a microphone to the session. The microphone can then be added to the program's audio.
    ///
    /// - Parameters:
    ///   - microphone: The microphone, with a role that hasn't been used in this recording.
    ///   - track: The track that records the device; `nil` if the device isn't recorded.
    /// - Throws: `SessionChangeError` if the role is or was in use in this recording. If this method throws,
    ///   the plan is unchanged.
    package mutating func add(
        _ microphone: PlannedMicrophone, _ track: PlannedMicrophoneTrack?
    ) throws(SessionChangeError) {
        try checkUnused(role: microphone.role, for: "microphone")
        plan.microphones.append(microphone)
        if let track { plan.microphoneTracks.append(track) }
    }
}
