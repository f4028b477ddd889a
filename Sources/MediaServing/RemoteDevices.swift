package import MulticamMedia
internal import MulticamMediaLink
internal import MulticamSetup

/// Registry, by name, of the cameras and microphones whose media other processes send to this process.
/// Thread-safe.
package final class RemoteDevices: RemoteDeviceFinder {
    private struct Place<Source: Sendable> {
        let source: Source
        /// Whether a connection is currently sending the device's media.
        var isConnected = true
        /// Whether the device has been handed to a session.
        var isHandedOut = false

        /// Returns the source for use by a session if a connection is currently sending its media; otherwise
        /// returns `nil`.
        mutating func handOut() -> Source? {
            guard isConnected else { return nil }
            isHandedOut = true
            return source
        }
    }

    private struct State {
        var cameras: [String: Place<RemoteCamera>] = [:]
        var microphones: [String: Place<RemoteMicrophone>] = [:]
    }

    private let state = ConditionLock(State())
    /// Clock that measures timeouts.
    private let clock = MonotonicClock()
    /// The sessions' clock, which provides the times when devices disconnect and reconnect.
    private let sessionClock: any SessionClock

    /// Prefix of the selectors of remote devices, as in `remote:phone`.
    package static let scheme = "remote:"
    /// Maximum number of cameras, and maximum number of microphones, that are connected or in use by
    /// sessions.
    private static let mostDevices = 64

    private let cancellation: Cancellation

    /// Creates an empty registry.
    ///
    /// - Parameter cancellation: A cancellation that ends all waits for devices.
    package convenience init(unless cancellation: Cancellation = Cancellation()) {
        self.init(clock: MonotonicClock(), unless: cancellation)
    }

    package init(clock: any SessionClock, unless cancellation: Cancellation = Cancellation()) {
        sessionClock = clock
        self.cancellation = cancellation
    }

    /// Whether a selector refers to a device whose media another process sends.
    package static func handles(_ selector: String) -> Bool { selector.hasPrefix(scheme) }

    /// Waits for a camera. Blocks the calling thread; don't call this method from a Swift task.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`, or `phone:NAME`.
    ///   - limit: Maximum time for a process to announce the camera.
    /// - Returns: The camera, which hasn't been started.
    /// - Throws: `DeviceError` if no process announces the camera in time, or if the device is already in use
    ///   by a role of a session.
    package func camera(_ selector: String, within limit: Nanoseconds) throws(DeviceError) -> any CameraSource
    {
        try camera(selector, within: limit, outlook: { nil })
    }

    /// Waits for a camera whose frames are sent by a multicam process. Blocks the calling thread; don't call
    /// this method from a Swift task.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`, or the name.
    ///   - limit: Maximum time to wait.
    ///   - outlook: Returns the reason why the camera hasn't been announced, and whether waiting is
    ///     pointless; `nil` while the reason is unknown.
    /// - Returns: The camera, which hasn't been started.
    /// - Throws: `DeviceError` if the camera isn't announced in time, or if the device is already in use by a
    ///   role of a session.
    package func camera(
        _ selector: String, within limit: Nanoseconds, outlook: () -> SourceOutlook?
    ) throws(DeviceError) -> any CameraSource {
        guard
            let camera = wait(
                within: limit, unless: { outlook()?.isFinal ?? false },
                { $0.cameras[Self.name(in: selector)]?.handOut() })
        else {
            throw Self.missing(selector, "camera", limit, outlook())
        }
        guard !camera.isInUse else { throw Self.inUse(selector, "camera") }
        return camera
    }

    /// Waits for a microphone. Blocks the calling thread; don't call this method from a Swift task.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`, or `phone:NAME`.
    ///   - limit: Maximum time for a process to announce the microphone.
    /// - Returns: The microphone, which hasn't been started.
    /// - Throws: `DeviceError` if no process announces the microphone in time, or if the device is already in
    ///   use by a role of a session.
    package func microphone(
        _ selector: String, within limit: Nanoseconds
    ) throws(DeviceError) -> any MicrophoneSource {
        try microphone(selector, within: limit, outlook: { nil })
    }

    /// Waits for a microphone whose audio is sent by a multicam process. Blocks the calling thread; don't
    /// call this method from a Swift task.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`, or the name.
    ///   - limit: Maximum time to wait.
    ///   - outlook: Returns the reason why the microphone hasn't been announced, and whether waiting is
    ///     pointless; `nil` while the reason is unknown.
    /// - Returns: The microphone, which hasn't been started.
    /// - Throws: `DeviceError` if the microphone isn't announced in time, or if the device is already in use
    ///   by a role of a session.
    package func microphone(
        _ selector: String, within limit: Nanoseconds, outlook: () -> SourceOutlook?
    ) throws(DeviceError) -> any MicrophoneSource {
        guard
            let microphone = wait(
                within: limit, unless: { outlook()?.isFinal ?? false },
                { $0.microphones[Self.name(in: selector)]?.handOut() })
        else {
            throw Self.missing(selector, "microphone", limit, outlook())
        }
        guard !microphone.isInUse else { throw Self.inUse(selector, "microphone") }
        return microphone
    }

    private static func name(in selector: String) -> String {
        handles(selector) ? String(selector.dropFirst(scheme.count)) : selector
    }

    /// Waits in short steps, so that the wait can be canceled.
    private func wait<Source>(
        within limit: Nanoseconds, unless isFutile: () -> Bool, _ find: (inout State) -> Source?
    ) -> Source? {
        let deadline = clock.now + limit
        while true {
            let step = min(clock.now + .milliseconds(100), deadline)
            if let source = state.wait(until: step, { find(&$0) }) { return source }
            if clock.now >= deadline || cancellation.isCancelled || isFutile() { return nil }
        }
    }

    private static func missing(
        _ selector: String, _ kind: String, _ limit: Nanoseconds, _ outlook: SourceOutlook?
    ) -> DeviceError {
        if let outlook {
            return DeviceError(device: selector, operation: "connecting", reason: .other(outlook.text))
        }
        if PhoneSelector.handles(selector) {
            return DeviceError(
                device: selector.printable(), operation: "connecting",
                reason: .other(
                    "no phone with this name provided a \(kind) within \(Int(rounding: limit.inSeconds, .up)) s. Choose “Add a phone” in the "
                        + "control room, and open the link on the phone."))
        }
        return DeviceError(
            device: selector.printable(), operation: "connecting",
            reason: .other(
                "no process provided this \(kind) within \(Int(rounding: limit.inSeconds, .up)) s. Start the program that provides the \(kind), and connect it to the "
                    + "media socket of this session."))
    }

    private static func inUse(_ selector: String, _ kind: String) -> DeviceError {
        DeviceError(
            device: selector.printable(), operation: "opening",
            reason: .other(
                "this \(kind) is already used by another role in this session. To use it for both roles, have the sending process announce it under a second name."
            ))
    }

    /// Number of devices whose media is currently sent by a connection.
    var presentCount: Int {
        state.withLock { state in
            state.cameras.values.count(where: \.isConnected)
                + state.microphones.values.count(where: \.isConnected)
        }
    }

    // MARK: Connections

    /// Registers a camera that a process announces, or reconnects the disconnected camera with the same name.
    ///
    /// - Throws: `MediaLinkError` if another connection is already sending the device's media, or if the
    ///   device previously had a different format.
    func announce(
        cameraNamed name: String, _ format: VideoFormat, _ color: ColorDescription, delay: Nanoseconds,
        dated origin: TimeOrigin = .mapped
    ) throws(MediaLinkError) -> RemoteCamera {
        let result = state.broadcast { state -> Result<(RemoteCamera, Bool), MediaLinkError> in
            guard let known = state.cameras[name] else {
                guard state.cameras.count < Self.mostDevices else { return .failure(Self.tooMany) }
                let camera = RemoteCamera(name: name, format: format, color: color, delay: delay)
                camera.setTimeOrigin(origin)
                state.cameras[name] = Place(source: camera)
                return .success((camera, false))
            }
            guard !known.isConnected else { return .failure(Self.nameInUse(name, "camera")) }
            guard known.source.accepts(format, color) else {
                return .failure(
                    MediaLinkError(
                        "the camera \(name.printable()) was previously announced as \(known.source.format). Send this format, or use another name."
                    ))
            }
            known.source.setTimeOrigin(origin)
            state.cameras[name]?.isConnected = true
            return .success((known.source, true))
        }
        let (camera, isBack) = try result.get()
        if isBack { camera.reconnect(at: sessionClock.now) }
        return camera
    }

    /// Registers a microphone that a process announces, or reconnects the disconnected microphone with the
    /// same name.
    ///
    /// - Throws: `MediaLinkError` if another connection is already sending the device's media, or if the
    ///   device previously had a different format.
    func announce(
        microphoneNamed name: String, _ format: AudioFormat, delay: Nanoseconds,
        dated origin: TimeOrigin = .mapped
    ) throws(MediaLinkError) -> RemoteMicrophone {
        let result = state.broadcast { state -> Result<(RemoteMicrophone, Bool), MediaLinkError> in
            guard let known = state.microphones[name] else {
                guard state.microphones.count < Self.mostDevices else { return .failure(Self.tooMany) }
                let microphone = RemoteMicrophone(name: name, format: format, delay: delay)
                microphone.setTimeOrigin(origin)
                state.microphones[name] = Place(source: microphone)
                return .success((microphone, false))
            }
            guard !known.isConnected else { return .failure(Self.nameInUse(name, "microphone")) }
            guard known.source.format == format else {
                return .failure(
                    MediaLinkError(
                        "the microphone \(name.printable()) was previously announced with a different rate or channel count. Send the same format, or use another name."
                    ))
            }
            known.source.setTimeOrigin(origin)
            state.microphones[name]?.isConnected = true
            return .success((known.source, true))
        }
        let (microphone, isBack) = try result.get()
        if isBack { microphone.reconnect(at: sessionClock.now) }
        return microphone
    }

    /// Passes a remark about a camera to the session that uses the camera.
    func reportRemark(_ text: String, on camera: RemoteCamera) {
        camera.reportRemark(text, at: sessionClock.now)
    }

    /// Handles the end of a camera's connection, or its removal after invalid data.
    func disconnect(_ camera: RemoteCamera, cause: String?) {
        let now = sessionClock.now
        if let cause { camera.disconnect(at: now, cause: cause) } else { camera.disconnect(at: now) }
        state.withLock { Self.release(camera, in: &$0.cameras) }
    }

    /// Handles the end of a microphone's connection, or its removal after invalid data.
    func disconnect(_ microphone: RemoteMicrophone, cause: String?) {
        let now = sessionClock.now
        if let cause { microphone.disconnect(at: now, cause: cause) } else { microphone.disconnect(at: now) }
        state.withLock { Self.release(microphone, in: &$0.microphones) }
    }

    /// Marks the source's entry as disconnected if a session uses the source; otherwise removes the entry.
    private static func release<Source: AnyObject>(_ source: Source, in places: inout [String: Place<Source>])
    {
        guard let (name, place) = places.first(where: { $0.value.source === source }) else { return }
        if place.isHandedOut { places[name]?.isConnected = false } else { places[name] = nil }
    }

    private static let tooMany = MediaLinkError(
        "the limit of \(mostDevices) announced devices has been reached.")

    private static func nameInUse(_ name: String, _ kind: String) -> MediaLinkError {
        MediaLinkError(
            "the \(kind) \(name.printable()) is already being sent over another connection. Use another name."
        )
    }

    static func device(
        _ name: String, _ medium: CaptureDevice.MediaType, formats: [OfferedFormat] = [],
        audio: AudioFormat? = nil
    ) -> CaptureDevice {
        CaptureDevice(
            mediaType: medium, deviceType: SourceAddress.isScreen(name) ? .screen : .network,
            identity: DeviceIdentity(name: name), name: name,
            node: "",
            selector: SourceAddress.isRelayed(name) ? name : scheme + name, formats: formats, audio: audio
        )
    }
}

/// The reason why a device hasn't been announced yet.
package struct SourceOutlook: Sendable {
    /// The reason in one sentence, which contains no secrets.
    package let text: String
    /// Whether waiting is pointless, for example because of a wrong password, path, or format.
    package let isFinal: Bool

    /// Creates an outlook. Each parameter sets the property with the same name.
    package init(text: String, isFinal: Bool) { (self.text, self.isFinal) = (text, isFinal) }
}
