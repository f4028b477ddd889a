internal import MulticamCapture
public import MulticamMedia

/// A live list of cameras and microphones that reports added, removed, and changed devices.
///
/// ```swift
/// let discovery = try await DiscoverySession(mediaType: .video, position: .front)
/// for await change in discovery.changes() { print(change) }
/// ```
///
/// A reconnected device is a new instance with the same identity. The session reports the removal of the old
/// instance and the addition of the new one.
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

        func notify(_ changes: [DeviceChange]) {
            guard !changes.isEmpty else { return }
            for change in changes { listeners.notify(change) }
            for observer in observers.values { observer(changes) }
        }

        /// The current devices and the current problem, represented as changes for a new listener.
        var presence: [DeviceChange] {
            roster.devices.map { .present($0) } + (problem.map { [.problem($0)] } ?? [])
        }
    }

    private let state: ConditionLock<State>
    private let monitor: DeviceMonitor
    private let notesMonitor: FolderMonitor?

    /// Monitors the connected devices until `stop` is called or the object is released.
    ///
    /// Returns when the list is complete. This takes milliseconds per camera, and up to a few seconds if a
    /// sound server doesn't respond.
    ///
    /// - Parameters:
    ///   - mediaType: Lists only cameras (`video`) or only microphones (`audio`). `nil` lists both.
    ///   - deviceTypes: Lists only these types, in this order. `nil` lists all types.
    ///   - position: Lists only devices that face in this direction. `unspecified` lists all devices.
    /// - Throws: `DeviceError` if the system doesn't report device changes.
    public convenience init(
        mediaType: CaptureDevice.MediaType? = nil, deviceTypes: [CaptureDevice.DeviceType]? = nil,
        position: CaptureDevice.Position = .unspecified
    ) async throws(DeviceError) {
        try self.init(
            monitoring: DeviceRoster.Filter(
                mediaType: mediaType, deviceTypes: deviceTypes, position: position))
        await MediaThread.perform(named: "discovery") { self.waitUntilComplete() }
    }

    /// Monitors the connected devices that a filter selects. The list isn't complete yet.
    ///
    /// - Throws: `DeviceError` if the system doesn't report device changes.
    convenience init(monitoring filter: DeviceRoster.Filter) throws(DeviceError) {
        let file = DeviceStore.file
        try self.init(
            filter, catalog: CameraCatalog(), server: nil,
            memory: { file?.read().content ?? DeviceStore() }, memoryFolder: file?.folder)
    }

    /// Blocks until all connected devices are listed.
    func waitUntilComplete() {
        state.wait { $0.hasCameras && $0.hasMicrophones ? true : nil }
    }

    /// Monitors the devices of a camera catalog and a sound server. The list isn't complete yet.
    ///
    /// - Parameters:
    ///   - filter: Selects the devices to list.
    ///   - catalog: The catalog that lists the cameras.
    ///   - server: The address of the sound server. `nil` uses the user's default server.
    ///   - memory: Reads the user's notes. Called on a thread that may block, whenever cameras or notes
    ///     change.
    ///   - memoryFolder: The folder that contains the notes file. `nil` disables the monitoring of this file.
    /// - Throws: `DeviceError` if the system doesn't report device changes.
    init(
        _ filter: DeviceRoster.Filter, catalog: CameraCatalog, server: String?,
        memory: @escaping @Sendable () -> DeviceStore, memoryFolder: String? = nil
    ) throws(DeviceError) {
        // Cameras and microphones are monitored regardless of the filter, because a camera's companion is a microphone
        // and vice versa.
        let state = ConditionLock(State(roster: DeviceRoster(filter)))
        self.state = state
        monitor = try DeviceMonitor(
            catalog: catalog, server: server,
            cameras: { cameras in
                let memory = memory()
                state.broadcast { state in
                    state.hasCameras = true
                    state.notify(state.roster.update(cameras: cameras, memory: memory))
                }
            },
            microphones: { result in
                state.broadcast { state in
                    state.hasMicrophones = true
                    switch result {
                    case .success(let microphones):
                        state.problem = nil
                        state.notify(state.roster.update(microphones: microphones))
                    case .failure(let error):
                        state.problem = error
                        state.notify(state.roster.update(microphones: []) + [.problem(error)])
                    }
                }
            })
        // Notes written by other processes are applied here as well.
        notesMonitor = memoryFolder.flatMap { folder in
            FolderMonitor(folder, prefix: DeviceStore.fileName) {
                let memory = memory()
                state.broadcast { state in state.notify(state.roster.update(memory: memory)) }
            }
        }
    }

    deinit {
        stop()
    }

    /// The connected devices. Devices are sorted by the requested device types, if any. Within a type, cameras are
    /// sorted by node number, followed by microphones in the sound server's order.
    public var devices: [CaptureDevice] { state.withLock { $0.roster.devices } }

    /// The reason why microphones can't be listed now, or `nil` if they can.
    public var problem: DeviceError? { state.withLock { $0.problem } }

    /// Returns a stream of the connected devices (`present`) and all later changes. `stop` ends the stream; an open
    /// stream keeps the session alive.
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

    /// Calls `observer` with the connected devices before returning, and then with each set of simultaneous changes.
    ///
    /// - Parameter observer: Called with the session's lock held. The observer must not call the session or block.
    /// - Returns: The number to pass to `removeObserver`. The value is `nil` after `stop`.
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
    func removeObserver(_ number: Int) {
        state.withLock { _ = $0.observers.removeValue(forKey: number) }
    }

    /// Stops monitoring and ends all streams of changes. The list keeps its last state.
    public func stop() {
        monitor.stop()
        notesMonitor?.stop()
        let listeners = state.withLock { state in
            state.isStopped = true
            state.observers = [:]
            return state.listeners.removeAll()
        }
        for listener in listeners { listener.finish() }
    }
}

/// The list of connected devices. This value type computes the changes that an update causes.
struct DeviceRoster {
    /// Selects the devices to list.
    struct Filter: Equatable {
        var mediaType: CaptureDevice.MediaType?
        /// The device types to list, in this order. `nil` lists all types.
        var deviceTypes: [CaptureDevice.DeviceType]?
        /// The camera position to list. `unspecified` lists all positions.
        var position = CaptureDevice.Position.unspecified

        func matches(_ device: CaptureDevice) -> Bool {
            (mediaType == nil || device.mediaType == mediaType)
                && (deviceTypes?.contains(device.deviceType) ?? true)
                && (position == .unspecified || device.position == position)
        }

        /// Returns the primary sort key of a device. Devices with the same key keep the order in which they were
        /// discovered.
        func rank(_ device: CaptureDevice) -> Int { deviceTypes?.firstIndex(of: device.deviceType) ?? 0 }
    }

    private struct Entry {
        let instance: UInt64
        let device: CaptureDevice
    }

    private let filter: Filter
    /// The cameras as the system reports them.
    private var found: [LocatedDevice] = []
    /// The cameras with the user's notes applied.
    private var cameras: [LocatedDevice] = []
    private var microphones: [LocatedDevice] = []
    private var entries: [Entry] = []

    init(_ filter: Filter) {
        self.filter = filter
    }

    /// The devices that pass the filter. Devices are sorted by the filter's device types, if any. Within a type,
    /// cameras are sorted by node number, followed by microphones in the sound server's order.
    var devices: [CaptureDevice] { entries.map(\.device) }

    /// Replaces the list of cameras.
    ///
    /// - Parameters:
    ///   - cameras: All connected cameras.
    ///   - memory: The user's notes on cameras.
    /// - Returns: Removed devices, then added and changed devices, each in list order.
    mutating func update(cameras: [LocatedDevice], memory: DeviceStore) -> [DeviceChange] {
        found = cameras
        let annotated = memory.applied(to: cameras.map(\.device))
        self.cameras = zip(cameras, annotated).map {
            LocatedDevice(device: $1, usbDevice: $0.usbDevice, instance: $0.instance)
        }
        return refresh()
    }

    /// Applies the user's changed notes to the current cameras.
    mutating func update(memory: DeviceStore) -> [DeviceChange] { update(cameras: found, memory: memory) }

    mutating func update(microphones: [LocatedDevice]) -> [DeviceChange] {
        self.microphones = microphones
        return refresh()
    }

    private mutating func refresh() -> [DeviceChange] {
        let joined = Companions.joined(cameras: cameras, microphones: microphones)
        let instances = (cameras + microphones).map(\.instance)
        let passing = zip(instances, joined.cameras + joined.microphones)
            .map { Entry(instance: $0, device: $1) }.filter { filter.matches($0.device) }
        let now = passing.enumerated()
            .sorted {
                (filter.rank($0.element.device), $0.offset) < (filter.rank($1.element.device), $1.offset)
            }
            .map(\.element)
        let before = entries
        entries = now
        func counterpart(of entry: Entry, in others: [Entry]) -> Entry? {
            others.first { $0.instance == entry.instance && $0.device.mediaType == entry.device.mediaType }
        }
        let departed = before.filter { counterpart(of: $0, in: now) == nil }.map {
            DeviceChange.disconnected($0.device)
        }
        let others = now.compactMap { entry -> DeviceChange? in
            guard let earlier = counterpart(of: entry, in: before) else { return .connected(entry.device) }
            return earlier.device == entry.device ? nil : .changed(entry.device, before: earlier.device)
        }
        return departed + others
    }
}
