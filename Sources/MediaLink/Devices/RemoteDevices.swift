public import Media

/// The cameras and microphones that other processes send to this one, by their names. Safe from any thread.
public final class RemoteDevices: Sendable {
    private struct Place<Source: Sendable> {
        let source: Source
        /// Whether a connection sends it now.
        var isTaken = true
    }

    private struct State {
        var cameras: [String: Place<RemoteCamera>] = [:]
        var microphones: [String: Place<RemoteMicrophone>] = [:]
    }

    private let state = ConditionLock(State())
    private let clock = MonotonicClock()

    /// The beginning of a selector that names such a device: `remote:phone`.
    public static let scheme = "remote:"
    /// Most devices of each kind that processes may announce.
    private static let mostDevices = 64

    /// Creates a list without devices.
    public init() {}

    /// Whether a selector names a device that another process sends.
    public static func handles(_ selector: String) -> Bool { selector.hasPrefix(scheme) }

    /// Waits for a camera. Blocks; not for Swift tasks.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`.
    ///   - limit: How long a process may take to announce it.
    /// - Returns: The camera, not started.
    /// - Throws: `DeviceError` when no process has announced it in time.
    public func camera(_ selector: String, within limit: Nanoseconds) throws(DeviceError) -> any CameraSource
    {
        let name = String(selector.dropFirst(Self.scheme.count))
        guard let place = state.wait(until: clock.now + limit, { $0.cameras[name] }) else {
            throw Self.missing(selector, "camera", limit)
        }
        return place.source
    }

    /// Waits for a microphone. Blocks; not for Swift tasks.
    ///
    /// - Parameters:
    ///   - selector: `remote:NAME`.
    ///   - limit: How long a process may take to announce it.
    /// - Returns: The microphone, not started.
    /// - Throws: `DeviceError` when no process has announced it in time.
    public func microphone(
        _ selector: String, within limit: Nanoseconds
    ) throws(DeviceError) -> any MicrophoneSource {
        let name = String(selector.dropFirst(Self.scheme.count))
        guard let place = state.wait(until: clock.now + limit, { $0.microphones[name] }) else {
            throw Self.missing(selector, "microphone", limit)
        }
        return place.source
    }

    static func missing(_ selector: String, _ kind: String, _ limit: Nanoseconds) -> DeviceError {
        DeviceError(
            device: selector.printable(), operation: "search",
            reason: .other(
                "no process has sent this \(kind) within \(Int(rounding: limit.inSeconds, .up)) s. Start the one that does, with the "
                    + "media socket of this process."))
    }

    // MARK: For connections

    /// Announces a camera, or goes on with the one of that name whose connection has ended.
    ///
    /// - Throws: `MediaLinkError` when another connection sends it, or it had another format before.
    func announce(
        cameraNamed name: String, _ format: VideoFormat, _ color: ColorDescription, delay: Nanoseconds
    ) throws(MediaLinkError) -> RemoteCamera {
        let result = state.broadcast { state -> Result<(RemoteCamera, Bool), MediaLinkError> in
            guard let known = state.cameras[name] else {
                guard state.cameras.count < Self.mostDevices else { return .failure(Self.tooMany) }
                let camera = RemoteCamera(name: name, format: format, color: color, delay: delay)
                state.cameras[name] = Place(source: camera)
                return .success((camera, false))
            }
            guard !known.isTaken else { return .failure(Self.taken(name, "camera")) }
            guard known.source.format == format, known.source.color == color else {
                return .failure(
                    MediaLinkError(
                        "the camera \(name.printable()) was announced as \(known.source.format) before: send that, or another name."
                    ))
            }
            state.cameras[name]?.isTaken = true
            return .success((known.source, true))
        }
        let (camera, isBack) = try result.get()
        if isBack { camera.comeBack(at: clock.now) }
        return camera
    }

    /// Announces a microphone, or goes on with the one of that name whose connection has ended.
    ///
    /// - Throws: `MediaLinkError` when another connection sends it, or it had another format before.
    func announce(
        microphoneNamed name: String, _ format: AudioFormat, delay: Nanoseconds
    ) throws(MediaLinkError) -> RemoteMicrophone {
        let result = state.broadcast { state -> Result<(RemoteMicrophone, Bool), MediaLinkError> in
            guard let known = state.microphones[name] else {
                guard state.microphones.count < Self.mostDevices else { return .failure(Self.tooMany) }
                let microphone = RemoteMicrophone(name: name, format: format, delay: delay)
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
            state.microphones[name]?.isTaken = true
            return .success((known.source, true))
        }
        let (microphone, isBack) = try result.get()
        if isBack { microphone.comeBack(at: clock.now) }
        return microphone
    }

    /// Notes that the connection that sent a camera has ended, or sent rubbish.
    func leave(_ camera: RemoteCamera, cause: String?) {
        let now = clock.now
        if let cause { camera.leave(at: now, cause: cause) } else { camera.leave(at: now) }
        state.withLock { state in
            for (name, place) in state.cameras where place.source === camera {
                state.cameras[name]?.isTaken = false
            }
        }
    }

    /// Notes that the connection that sent a microphone has ended, or sent rubbish.
    func leave(_ microphone: RemoteMicrophone, cause: String?) {
        let now = clock.now
        if let cause { microphone.leave(at: now, cause: cause) } else { microphone.leave(at: now) }
        state.withLock { state in
            for (name, place) in state.microphones where place.source === microphone {
                state.microphones[name]?.isTaken = false
            }
        }
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
            mediaType: medium, deviceType: .network, identity: DeviceIdentity(name: name), name: name,
            node: "",
            selector: scheme + name, formats: formats, audio: audio)
    }
}
