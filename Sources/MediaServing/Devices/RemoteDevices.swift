public import Media
internal import MediaLink
public import Setup

/// The cameras and microphones that other processes send to this one, by their names. Safe from any thread.
public final class RemoteDevices: RemoteSources {
    private struct Place<Source: Sendable> {
        let source: Source
        /// Whether a connection sends it now.
        var isTaken = true
        /// Whether a session may have it.
        var isHandedOut = false

        /// The source while a connection sends it, for a session.
        mutating func handOut() -> Source? {
            guard isTaken else { return nil }
            isHandedOut = true
            return source
        }
    }

    private struct State {
        var cameras: [String: Place<RemoteCamera>] = [:]
        var microphones: [String: Place<RemoteMicrophone>] = [:]
    }

    private let state = ConditionLock(State())
    /// The clock of waits.
    private let clock = MonotonicClock()
    /// The clock of sessions, on which devices leave and return.
    private let sessionClock: any SessionClock

    /// The beginning of a selector that names such a device: `remote:phone`.
    public static let scheme = "remote:"
    /// Most devices of each kind that processes send, or sessions have had.
    private static let mostDevices = 64

    private let cancellation: Cancellation

    /// Creates a list without devices.
    ///
    /// - Parameter cancellation: Ends all waits for devices.
    public convenience init(unless cancellation: Cancellation = Cancellation()) {
        self.init(clock: MonotonicClock(), unless: cancellation)
    }

    package init(clock: any SessionClock, unless cancellation: Cancellation = Cancellation()) {
        sessionClock = clock
        self.cancellation = cancellation
    }

    /// Whether a selector names a device that another process sends.
    public static func handles(_ selector: String) -> Bool { selector.hasPrefix(scheme) }

    /// Waits for a camera. Blocks; not for Swift tasks.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`, or `phone:NAME`.
    ///   - limit: How long a process may take to announce it.
    /// - Returns: The camera, not started.
    /// - Throws: `DeviceError` when no process has announced it in time, or a role of a session has it.
    public func camera(_ selector: String, within limit: Nanoseconds) throws(DeviceError) -> any CameraSource
    {
        try camera(selector, within: limit, outlook: { nil })
    }

    /// Waits for a camera that a process of multicam sends. Blocks; not for Swift tasks.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`, or the name.
    ///   - limit: How long it may take.
    ///   - outlook: Says what keeps the camera from being announced, and whether waiting is of no use; `nil` while nothing is known.
    /// - Returns: The camera, not started.
    /// - Throws: `DeviceError` when it has not been announced in time, or a role of a session has it.
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

    /// Waits for a microphone. Blocks; not for Swift tasks.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`, or `phone:NAME`.
    ///   - limit: How long a process may take to announce it.
    /// - Returns: The microphone, not started.
    /// - Throws: `DeviceError` when no process has announced it in time, or a role of a session has it.
    public func microphone(
        _ selector: String, within limit: Nanoseconds
    ) throws(DeviceError) -> any MicrophoneSource {
        try microphone(selector, within: limit, outlook: { nil })
    }

    /// Waits for a microphone that a process of multicam sends. Blocks; not for Swift tasks.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`, or the name.
    ///   - limit: How long it may take.
    ///   - outlook: Says what keeps it from being announced, and whether waiting is of no use; `nil` while nothing is known.
    /// - Returns: The microphone, not started.
    /// - Throws: `DeviceError` when it has not been announced in time, or a role of a session has it.
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

    /// Waits in short steps, so that it can be cancelled.
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
            return DeviceError(device: selector, operation: "connection", reason: .other(outlook.text))
        }
        if PhoneSelector.handles(selector) {
            return DeviceError(
                device: selector.printable(), operation: "search",
                reason: .other(
                    "no phone of this name has sent a \(kind) within \(Int(rounding: limit.inSeconds, .up)) s. Open “Add a phone” in the "
                        + "control room, and its link on the phone."))
        }
        return DeviceError(
            device: selector.printable(), operation: "search",
            reason: .other(
                "no process has sent this \(kind) within \(Int(rounding: limit.inSeconds, .up)) s. Start the one that does, with the "
                    + "media socket of this process."))
    }

    private static func inUse(_ selector: String, _ kind: String) -> DeviceError {
        DeviceError(
            device: selector.printable(), operation: "open",
            reason: .other(
                "a role of this session has this \(kind) already: let its process send it under another name, too."
            ))
    }

    /// Number of devices that connections send now.
    var presentCount: Int {
        state.withLock { state in
            state.cameras.values.count(where: \.isTaken) + state.microphones.values.count(where: \.isTaken)
        }
    }

    // MARK: For connections

    /// Announces a camera, or goes on with the one of that name whose connection has ended.
    ///
    /// - Throws: `MediaLinkError` when another connection sends it, or it had another format before.
    func announce(
        cameraNamed name: String, _ format: VideoFormat, _ color: ColorDescription, delay: Nanoseconds,
        dated origin: TimeOrigin = .mapped
    ) throws(MediaLinkError) -> RemoteCamera {
        let result = state.broadcast { state -> Result<(RemoteCamera, Bool), MediaLinkError> in
            guard let known = state.cameras[name] else {
                guard state.cameras.count < Self.mostDevices else { return .failure(Self.tooMany) }
                let camera = RemoteCamera(name: name, format: format, color: color, delay: delay)
                camera.date(by: origin)
                state.cameras[name] = Place(source: camera)
                return .success((camera, false))
            }
            guard !known.isTaken else { return .failure(Self.taken(name, "camera")) }
            guard known.source.takes(format, color) else {
                return .failure(
                    MediaLinkError(
                        "the camera \(name.printable()) was announced as \(known.source.format) before: send that, or another name."
                    ))
            }
            known.source.date(by: origin)
            state.cameras[name]?.isTaken = true
            return .success((known.source, true))
        }
        let (camera, isBack) = try result.get()
        if isBack { camera.comeBack(at: sessionClock.now) }
        return camera
    }

    /// Announces a microphone, or goes on with the one of that name whose connection has ended.
    ///
    /// - Throws: `MediaLinkError` when another connection sends it, or it had another format before.
    func announce(
        microphoneNamed name: String, _ format: AudioFormat, delay: Nanoseconds,
        dated origin: TimeOrigin = .mapped
    ) throws(MediaLinkError) -> RemoteMicrophone {
        let result = state.broadcast { state -> Result<(RemoteMicrophone, Bool), MediaLinkError> in
            guard let known = state.microphones[name] else {
                guard state.microphones.count < Self.mostDevices else { return .failure(Self.tooMany) }
                let microphone = RemoteMicrophone(name: name, format: format, delay: delay)
                microphone.date(by: origin)
                state.microphones[name] = Place(source: microphone)
                return .success((microphone, false))
            }
            guard !known.isTaken else { return .failure(Self.taken(name, "microphone")) }
            guard known.source.format == format else {
                return .failure(
                    MediaLinkError(
                        "the microphone \(name.printable()) was announced with another rate or other channels before: send those, or another name."
                    ))
            }
            known.source.date(by: origin)
            state.microphones[name]?.isTaken = true
            return .success((known.source, true))
        }
        let (microphone, isBack) = try result.get()
        if isBack { microphone.comeBack(at: sessionClock.now) }
        return microphone
    }

    /// Notes what a person should know of a camera.
    func remark(_ text: String, on camera: RemoteCamera) { camera.remark(text, at: sessionClock.now) }

    /// Notes that the connection that sent a camera has ended, or sent rubbish.
    func leave(_ camera: RemoteCamera, cause: String?) {
        let now = sessionClock.now
        if let cause { camera.leave(at: now, cause: cause) } else { camera.leave(at: now) }
        state.withLock { Self.leave(camera, in: &$0.cameras) }
    }

    /// Notes that the connection that sent a microphone has ended, or sent rubbish.
    func leave(_ microphone: RemoteMicrophone, cause: String?) {
        let now = sessionClock.now
        if let cause { microphone.leave(at: now, cause: cause) } else { microphone.leave(at: now) }
        state.withLock { Self.leave(microphone, in: &$0.microphones) }
    }

    /// Keeps the place of a source that a session may have; others are forgotten.
    private static func leave<Source: AnyObject>(_ source: Source, in places: inout [String: Place<Source>]) {
        guard let (name, place) = places.first(where: { $0.value.source === source }) else { return }
        if place.isHandedOut { places[name]?.isTaken = false } else { places[name] = nil }
    }

    private static let tooMany = MediaLinkError(
        "\(mostDevices) devices are announced already, which is the most.")

    private static func taken(_ name: String, _ kind: String) -> MediaLinkError {
        MediaLinkError("the \(kind) \(name.printable()) is sent by another connection: use another name.")
    }

    static func device(
        _ name: String, _ medium: CaptureDevice.MediaType, formats: [OfferedFormat] = [],
        audio: AudioFormat? = nil
    ) -> CaptureDevice {
        CaptureDevice(
            mediaType: medium, deviceType: SourceAddress.isScreen(name) ? .screen : .network,
            identity: DeviceIdentity(name: name), name: name,
            node: "",
            selector: SourceAddress.isBroughtHere(name) ? name : scheme + name, formats: formats, audio: audio
        )
    }
}
