internal import Capture
public import Media

/// A live list of cameras and microphones that reports arrivals, departures and changes.
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

        /// The present devices and problem, as changes for a new listener.
        var presence: [DeviceChange] {
            roster.devices.map { .present($0) } + (problem.map { [.problem($0)] } ?? [])
        }
    }

    private let state: ConditionLock<State>
    private let monitor: DeviceMonitor
    private let remarks: FolderMonitor?

    /// Watches the connected devices until `stop` or until the object is released.
    ///
    /// Returns when the list is complete: after milliseconds per camera, and at most some seconds for a sound server that does
    /// not answer. Do not call it in a Swift task.
    ///
    /// - Parameters:
    ///   - mediaType: Lists only cameras (`video`) or only microphones (`audio`); both when `nil`.
    ///   - deviceTypes: Lists only these types, in this order; all when `nil`.
    ///   - position: Lists only devices that face there; all when `unspecified`.
    /// - Throws: `DeviceError` when the system does not report changes of devices.
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

    /// Watches the devices of given sources.
    ///
    /// - Parameters:
    ///   - filter: Selects the devices to list.
    ///   - catalog: Lists the cameras.
    ///   - server: The address of the sound server; `nil` for the user's own.
    ///   - memory: Reads the user's remarks; called on a thread that may wait, at each change of cameras or remarks.
    ///   - memoryFolder: The folder of the remarks' file; `nil` when there is none.
    /// - Throws: `DeviceError` when the system does not report changes of devices.
    init(
        _ filter: DeviceRoster.Filter, catalog: CameraCatalog, server: String?,
        memory: @escaping @Sendable () -> DeviceMemory, memoryFolder: String? = nil
    ) throws(DeviceError) {
        // A camera's companion is a microphone and vice versa, so both are watched whatever the filter says.
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
        // Remarks that another program writes count here too.
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

    /// The devices connected now: by the order of the device types asked for, if any; within a type, cameras by node number, then
    /// microphones in the sound server's order.
    public var devices: [CaptureDevice] { state.withLock { $0.roster.devices } }

    /// Why microphones cannot be listed at present; `nil` when they can.
    public var problem: DeviceError? { state.withLock { $0.problem } }

    /// Delivers the connected devices (`present`), then each change. Ends with `stop`; an open stream keeps the session alive.
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
        // The closure keeps this session alive until the stream ends.
        continuation.onTermination = { _ in self.state.withLock { $0.listeners.remove(number) } }
        return stream
    }

    /// Calls `observer` with the connected devices before it returns, then with each set of simultaneous changes.
    ///
    /// - Parameter observer: Called under the session's lock: it must neither call the session nor wait.
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

    /// Removes an observer.
    func ignore(_ number: Int) {
        state.withLock { _ = $0.observers.removeValue(forKey: number) }
    }

    /// Stops watching, and ends all streams of changes. The list keeps its last state.
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
