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
        var listeners = StreamListeners<DeviceChange>()
        var observers: [Int: @Sendable ([DeviceChange]) -> Void] = [:]
        var lastObserver = 0
        var isStopped = false

        func tell(_ changes: [DeviceChange]) {
            guard !changes.isEmpty else { return }
            for change in changes { listeners.tell(change) }
            for observer in observers.values { observer(changes) }
        }

        /// What there is, as if it were told anew.
        var presence: [DeviceChange] {
            roster.devices.map { .present($0) } + (problem.map { [.problem($0)] } ?? [])
        }
    }

    private let state: ConditionLock<State>
    private let monitor: DeviceMonitor
    private let remarks: FolderMonitor?

    /// Looks for devices now and from now on, until `stop` or until nobody holds it any more.
    ///
    /// Returns when the list is complete: after milliseconds a camera, and at most some seconds for a sound server that does
    /// not answer. Not in a Swift task that must not wait.
    ///
    /// - Parameters:
    ///   - mediaType: Only cameras (`video`) or only microphones (`audio`); both when `nil`.
    ///   - deviceTypes: Only those, listed in this order; all when `nil`.
    ///   - position: Only those that look there; all when `unspecified`.
    /// - Throws: When the system lets us hear of nothing.
    public convenience init(
        mediaType: CaptureDevice.MediaType? = nil, deviceTypes: [CaptureDevice.DeviceType]? = nil,
        position: CaptureDevice.Position = .unspecified
    ) throws(DeviceError) {
        let file = DeviceMemory.file
        try self.init(
            DeviceRoster.Filter(mediaType: mediaType, deviceTypes: deviceTypes, position: position),
            catalog: CameraCatalog(), server: nil, memory: { file?.read().content ?? DeviceMemory() },
            memoryFolder: file?.folder)
    }

    /// - Parameters:
    ///   - filter: Which devices are of interest.
    ///   - catalog: Where cameras are looked for.
    ///   - server: The sound server; `nil` for the user's own.
    ///   - memory: Asked anew for each change of cameras or of itself, on a thread that may wait.
    ///   - memoryFolder: Where its file is; `nil` where it has none.
    /// - Throws: As above.
    init(
        _ filter: DeviceRoster.Filter, catalog: CameraCatalog, server: String?,
        memory: @escaping @Sendable () -> DeviceMemory, memoryFolder: String? = nil
    ) throws(DeviceError) {
        // Companions are of the other kind, so both are looked for whatever the filter says.
        let state = ConditionLock(State(roster: DeviceRoster(filter)))
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
        // What is said of a camera by another program meanwhile.
        remarks = memoryFolder.flatMap { folder in
            FolderMonitor(folder, prefix: DeviceMemory.fileName) {
                let memory = memory()
                state.broadcast { state in state.tell(state.roster.update(memory: memory)) }
            }
        }
        state.wait { $0.hasCameras && $0.hasMicrophones ? true : nil }
    }

    deinit {
        stop()
    }

    /// What is there now: in the order of the device types that were asked for, if any; of a type, cameras by their nodes'
    /// numbers, then microphones in the sound server's order.
    public var devices: [CaptureDevice] { state.withLock { $0.roster.devices } }

    /// Why a kind of device cannot be listed for now.
    public var problem: DeviceError? { state.withLock { $0.problem } }

    /// First what is there (`present`), then each change as it happens. Ends with `stop`; as long as somebody listens, the
    /// session goes on.
    public func changes() -> AsyncStream<DeviceChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: DeviceChange.self)
        let number = state.withLock { state -> Int? in
            guard !state.isStopped else { return nil }
            for change in state.presence { continuation.yield(change) }
            return state.listeners.add(continuation)
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        // Holds this session until then.
        continuation.onTermination = { _ in self.state.withLock { $0.listeners.remove(number) } }
        return stream
    }

    /// Calls `observer` with what is there, before this returns, and then with each set of changes that happen at once.
    ///
    /// - Parameter observer: Called under the session's lock: it must not call the session, nor wait.
    /// - Returns: The number for `ignore`; `nil` after `stop`.
    func observe(_ observer: @escaping @Sendable ([DeviceChange]) -> Void) -> Int? {
        state.withLock { state in
            guard !state.isStopped else { return nil }
            observer(state.presence)
            state.lastObserver += 1
            state.observers[state.lastObserver] = observer
            return state.lastObserver
        }
    }

    /// Ends what `observe` began.
    func ignore(_ number: Int) {
        state.withLock { _ = $0.observers.removeValue(forKey: number) }
    }

    /// Ends looking at once, and all streams of changes. The list stays as it is.
    public func stop() {
        monitor.stop()
        remarks?.stop()
        let listeners = state.withLock { state in
            state.isStopped = true
            state.observers = [:]
            return state.listeners.removeAll()
        }
        for listener in listeners { listener.finish() }
    }
}
