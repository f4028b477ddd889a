internal import Capture
public import Media

/// A live list of cameras and microphones: tells what came and went.
///
///     let discovery = try DiscoverySession(mediaType: .video, position: .front)
///     for await change in discovery.changes() { print(change) }
///
/// A device that returns is a new instance with the same identity: it departs and arrives.
public final class DiscoverySession: Sendable {
    private struct State {
        var roster: DeviceRoster
        var problem: DeviceError?
        var hasCameras = false
        var hasMicrophones = false
        var listeners: [Int: AsyncStream<DeviceChange>.Continuation] = [:]
        var lastListener = 0
        var isStopped = false

        func tell(_ changes: [DeviceChange]) {
            for change in changes { for listener in listeners.values { listener.yield(change) } }
        }
    }

    private let state: Monitor<State>
    private let monitor: DeviceMonitor

    /// Looks for devices now and from now on, until `stop` or until nobody holds it any more.
    ///
    /// Returns when the list is complete: after milliseconds a camera, and at most some seconds for a sound server that does
    /// not answer. Not in a Swift task that must not wait.
    ///
    /// - Parameters:
    ///   - mediaType: Only cameras (`video`) or only microphones (`audio`); both when `nil`.
    ///   - deviceTypes: Only those; all when `nil`.
    ///   - position: Only those that look there; all when `unspecified`.
    /// - Throws: When the system lets us hear of nothing.
    public convenience init(
        mediaType: CaptureDevice.MediaType? = nil, deviceTypes: Set<CaptureDevice.DeviceType>? = nil,
        position: CaptureDevice.Position = .unspecified
    ) throws(DeviceError) {
        let file = SessionSetup.memoryFile
        try self.init(
            DeviceRoster.Filter(mediaType: mediaType, deviceTypes: deviceTypes, position: position),
            catalog: CameraCatalog(), server: nil, memory: { file?.read().content ?? DeviceMemory() })
    }

    /// - Parameters:
    ///   - filter: Which devices are of interest.
    ///   - catalog: Where cameras are looked for.
    ///   - server: The sound server; `nil` for the user's own.
    ///   - memory: Asked anew for each change of cameras, on a thread that may wait.
    /// - Throws: As above.
    init(
        _ filter: DeviceRoster.Filter, catalog: CameraCatalog, server: String?,
        memory: @escaping @Sendable () -> DeviceMemory
    ) throws(DeviceError) {
        // Companions are of the other kind, so both are looked for whatever the filter says.
        let state = Monitor(State(roster: DeviceRoster(filter)))
        self.state = state
        monitor = try DeviceMonitor(
            catalog: catalog, server: server,
            cameras: { cameras in
                let memory = memory()
                state.broadcast { state in
                    state.hasCameras = true
                    state.tell(state.roster.update(cameras: cameras, memory: memory))
                }
            },
            microphones: { result in
                state.broadcast { state in
                    state.hasMicrophones = true
                    switch result {
                    case .success(let microphones):
                        state.problem = nil
                        state.tell(state.roster.update(microphones: microphones))
                    case .failure(let error):
                        state.problem = error
                        state.tell(state.roster.update(microphones: []) + [.problem(error)])
                    }
                }
            })
        state.wait { $0.hasCameras && $0.hasMicrophones ? true : nil }
    }

    deinit {
        stop()
    }

    /// What is there now: cameras by their nodes' numbers, then microphones in the sound server's order.
    public var devices: [CaptureDevice] { state.withLock { $0.roster.devices } }

    /// Why a kind of device cannot be listed for now.
    public var problem: DeviceError? { state.withLock { $0.problem } }

    /// First what is there (`present`), then each change as it happens. Ends with `stop`; as long as somebody listens, the
    /// session goes on.
    public func changes() -> AsyncStream<DeviceChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: DeviceChange.self)
        let number = state.withLock { state -> Int? in
            guard !state.isStopped else { return nil }
            for device in state.roster.devices { continuation.yield(.present(device)) }
            if let problem = state.problem { continuation.yield(.problem(problem)) }
            state.lastListener += 1
            state.listeners[state.lastListener] = continuation
            return state.lastListener
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        // Holds this session until then.
        continuation.onTermination = { _ in
            self.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    /// Ends looking at once, and all streams of changes. The list stays as it is.
    public func stop() {
        monitor.stop()
        let listeners = state.withLock { state in
            defer { state.listeners = [:] }
            state.isStopped = true
            return state.listeners.values
        }
        for listener in listeners { listener.finish() }
    }
}
