internal import MulticamCapture
public import MulticamMedia
public import MulticamPlan

/// Determines which camera and microphone an app should use: the devices that its user prefers, and the best devices
/// available now.
///
/// ```swift
/// let choice = try await DeviceChoice(application: application)
/// for await camera in choice.systemPreferredCameras() { … }
/// ```
///
/// The user's choices are stored separately for each application, and persist across launches and reboots. All methods
/// are thread-safe.
public final class DeviceChoice: Sendable {
    /// The list of available devices.
    public let discovery: DiscoverySession
    private let application: ApplicationIdentifier
    private let file: StateFile<ChoiceStore>?
    /// Threads that monitor one device (`states`) wait on this lock, and every state change wakes them.
    let state: ConditionLock<ChoiceState>
    private let monitor: FolderMonitor?
    private let observation: Int?

    /// Monitors the connected devices until `stop` is called or the object is released. Returns when the
    /// device list is complete, like `DiscoverySession.init`.
    ///
    /// - Parameters:
    ///   - application: The application that the user's stored choices belong to.
    ///   - defaultPosition: Preferred camera position if the user hasn't chosen a camera.
    /// - Throws: `DeviceError` if the system doesn't report device changes.
    public convenience init(
        application: ApplicationIdentifier, defaultPosition: CaptureDevice.Position = .front
    ) async throws(DeviceError) {
        let discovery = try await DiscoverySession()
        let file = ChoiceStore.file
        let stored = await MediaThread.perform(named: "choices") { file?.read().content ?? ChoiceStore() }
        self.init(
            application: application, defaultPosition: defaultPosition, discovery: discovery, file: file,
            stored: stored)
    }

    /// Monitors the connected devices. Blocks until the device list is complete.
    ///
    /// - Throws: `DeviceError` if the system doesn't report device changes.
    convenience init(blockingFor application: ApplicationIdentifier) throws(DeviceError) {
        let discovery = try DiscoverySession(monitoring: DeviceRoster.Filter())
        discovery.waitUntilComplete()
        let file = ChoiceStore.file
        self.init(
            application: application, defaultPosition: .front, discovery: discovery, file: file,
            stored: file?.read().content ?? ChoiceStore())
    }

    /// Monitors the devices of a discovery session.
    ///
    /// - Parameters:
    ///   - application: The application that the user's stored choices belong to.
    ///   - defaultPosition: Preferred camera position if the user hasn't chosen a camera.
    ///   - discovery: Lists all cameras and microphones.
    ///   - file: The file that stores choices, or `nil` if there is no state folder.
    ///   - memory: The content of the file.
    init(
        application: ApplicationIdentifier, defaultPosition: CaptureDevice.Position,
        discovery: DiscoverySession, file: StateFile<ChoiceStore>?, stored memory: ChoiceStore
    ) {
        self.discovery = discovery
        self.application = application
        self.file = file
        let state = ConditionLock(
            ChoiceState(
                cameras: CameraPreference(
                    history: memory[application].cameras, streamed: memory.streamed,
                    defaultPosition: defaultPosition),
                microphones: MicrophoneRoute(history: memory[application].microphones)))
        self.state = state
        observation = discovery.observe { changes in
            state.broadcast { $0.handle(changes) }
        }
        // Choices that other processes have stored are also applied.
        monitor = file.flatMap { file in
            FolderMonitor(file.folder, prefix: ChoiceStore.fileName) {
                Self.adopt(file, of: application, into: state)
            }
        }
    }

    deinit {
        stop()
    }

    // MARK: Cameras

    /// The first camera in the user's history that is connected, or `nil` if no chosen camera is connected.
    public var userPreferredCamera: CaptureDevice? { state.withLock { $0.cameras.userPreferred } }

    /// Stores the user's choice of a camera. The choice takes effect immediately. Call this only when the user makes a
    /// choice, never for an automatic change.
    ///
    /// - Parameter camera: The chosen camera. A `nil` value is ignored.
    /// - Returns: A warning for the user if earlier choices couldn't be read, or if the environment doesn't
    ///   define a state folder.
    /// - Throws: `StateFileError` if the choice can't be written. If writing fails, the choice still remains
    ///   in effect until the process exits.
    @discardableResult
    public func setUserPreferredCamera(_ camera: CaptureDevice?) async throws(StateFileError) -> String? {
        guard let camera else { return nil }
        return try await MediaThread.perform(named: "choices") { [self] () throws(StateFileError) in
            try storeChoice(of: camera)
        }
    }

    /// Stores the user's choice of a camera. Blocks on disk I/O; see `setUserPreferredCamera`.
    func storeChoice(of camera: CaptureDevice) throws(StateFileError) -> String? {
        try store { state in
            state.choose(camera: camera.identity)
            return state.cameras.cameras
        } writing: { histories, present in
            histories.cameras.choose(camera.identity, among: present)
        }
    }

    /// Proposes an initial camera. Only the first proposal of this application has an effect. The proposed camera ranks
    /// below every camera that the user has chosen.
    ///
    /// - Returns: A warning for the user if earlier choices couldn't be read, or if the environment doesn't
    ///   define a state folder.
    /// - Throws: `StateFileError` if the proposal can't be written. If writing fails, the proposal still
    ///   remains in effect until the process exits.
    @discardableResult
    public func proposeCamera(_ camera: CaptureDevice) async throws(StateFileError) -> String? {
        try await MediaThread.perform(named: "choices") {
            [self, name = application.name] () throws(StateFileError) in
            try store { state in
                state.propose(camera: camera.identity, by: name)
                return state.cameras.cameras
            } writing: { histories, present in
                histories.cameras.propose(camera.identity, by: name, among: present)
            }
        }
    }

    /// The best camera to use now, and the reason; `nil` if no camera is available.
    public var systemPreferredCamera: PreferredDevice? { state.withLock { $0.cameras.systemPreferred } }

    /// The input of a `CameraSelection`: the connected cameras and the user's preferences.
    package var cameraPreference: CameraPreference { state.withLock { $0.cameras } }

    /// Returns a stream of the best camera to use now, followed by all later changes. A slow reader receives only the
    /// latest value. `stop` ends the stream.
    public func systemPreferredCameras() -> AsyncStream<PreferredDevice?> {
        stream(\.systemListeners, beginningWith: \.system)
    }

    /// Returns a stream of the user's preferred camera, followed by all later changes. A slow reader receives only the
    /// latest value. `stop` ends the stream.
    public func userPreferredCameras() -> AsyncStream<CaptureDevice?> {
        stream(\.userListeners, beginningWith: \.user)
    }

    // MARK: Microphones

    /// The user's preferred microphone, or `nil` if it isn't connected.
    public var preferredMicrophone: CaptureDevice? { state.withLock { $0.microphones.userPreferred } }

    /// Stores the user's choice of a microphone. The choice takes effect immediately.
    ///
    /// - Parameter microphone: The chosen microphone. A `nil` value is ignored.
    /// - Returns: A warning for the user if earlier choices couldn't be read, or if the environment doesn't
    ///   define a state folder.
    /// - Throws: `StateFileError` if the choice can't be written. If writing fails, the choice still remains
    ///   in effect until the process exits.
    @discardableResult
    public func setPreferredMicrophone(
        _ microphone: CaptureDevice?
    ) async throws(StateFileError) -> String? {
        guard let microphone else { return nil }
        return try await MediaThread.perform(named: "choices") { [self] () throws(StateFileError) in
            try store { state in
                state.choose(microphone: microphone.identity)
                return state.microphones.microphones
            } writing: { histories, present in
                histories.microphones.choose(microphone.identity, among: present)
            }
        }
    }

    /// The microphone that `default` refers to, and the reason. This microphone doesn't change during a recording.
    public var defaultMicrophone: PreferredDevice? { state.withLock { $0.microphones.current } }

    /// Returns a stream of the microphone that `default` refers to, followed by all later changes. A slow reader
    /// receives only the latest value. `stop` ends the stream.
    public func defaultMicrophones() -> AsyncStream<PreferredDevice?> {
        stream(\.routeListeners, beginningWith: \.route)
    }

    // MARK: Recordings

    /// Locks `default` to its current microphone until `recordingEnded` is called.
    package func recordingBegan() {
        state.broadcast { $0.recordingBegan() }
    }

    /// Unlocks `default`, so that it refers to the best microphone again.
    package func recordingEnded() {
        state.broadcast { $0.recordingEnded() }
    }

    // MARK: Events

    /// Returns a stream of all connected devices and the current preferences, followed by all later changes. `stop`
    /// ends the stream.
    package func events() -> AsyncStream<ChoiceEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: ChoiceEvent.self)
        let number = state.withLock { state -> Int? in
            guard !state.isStopped else { return nil }
            for device in state.cameras.cameras + state.microphones.microphones {
                continuation.yield(.device(.present(device)))
            }
            if let problem = state.problem { continuation.yield(.device(.problem(problem))) }
            continuation.yield(.camera(state.system))
            continuation.yield(.microphone(state.route))
            return state.eventListeners.add(continuation)
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { _ in self.state.withLock { $0.eventListeners.remove(number) } }
        return stream
    }

    /// Stops monitoring and ends all streams. The preferences keep their last values.
    public func stop() {
        if let observation { discovery.removeObserver(observation) }
        discovery.stop()
        monitor?.stop()
        let (system, user, route, events) = state.broadcast { state in
            state.isStopped = true
            return (
                state.systemListeners.removeAll(), state.userListeners.removeAll(),
                state.routeListeners.removeAll(), state.eventListeners.removeAll()
            )
        }
        for listener in system + route { listener.finish() }
        for listener in user { listener.finish() }
        for listener in events { listener.finish() }
    }

    // MARK: Implementation

    private func stream<Element: Sendable>(
        _ listeners: any WritableKeyPath<ChoiceState, StreamListeners<Element>> & Sendable,
        beginningWith current: KeyPath<ChoiceState, Element>
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state -> Int? in
            guard !state.isStopped else { return nil }
            continuation.yield(state[keyPath: current])
            return state[keyPath: listeners].add(continuation)
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        // The closure keeps this object alive until the stream ends.
        continuation.onTermination = { _ in self.state.withLock { $0[keyPath: listeners].remove(number) } }
        return stream
    }

    /// Applies a choice in memory, then writes it to the state file.
    ///
    /// - Parameters:
    ///   - choose: Applies the choice, and returns all connected devices of its kind.
    ///   - writing: Adds the choice to the stored content.
    /// - Returns: A warning for the user if earlier choices couldn't be read, or if the environment doesn't
    ///   define a state folder.
    /// - Throws: `StateFileError` if the choice can't be written.
    private func store(
        _ choose: (inout ChoiceState) -> [CaptureDevice],
        writing: (inout ChoiceStore.Histories, [CaptureDevice]) -> Void
    ) throws(StateFileError) -> String? {
        guard let file else {
            _ = state.broadcast(choose)
            return
                "neither XDG_STATE_HOME nor HOME is set, so the choice is remembered only until the program ends."
        }
        let present = state.broadcast { state in
            state.writeBegan()
            return choose(&state)
        }
        let warning: String?
        do throws(StateFileError) {
            warning = try file.update { memory in writing(&memory[application], present) }
        } catch {
            // The file doesn't contain this choice, so the file isn't read until another process writes to
            // it.
            state.withLock { $0.writeEnded() }
            throw error
        }
        state.withLock { $0.writeEnded() }
        Self.adopt(file, of: application, into: state)
        return warning
    }

    private static func adopt(
        _ file: StateFile<ChoiceStore>, of application: ApplicationIdentifier,
        into state: ConditionLock<ChoiceState>
    ) {
        var isOld = true
        while isOld {
            let revision = state.withLock(\.revision)
            let memory = file.read().content
            isOld = state.broadcast { $0.adopt(memory, of: application, readAt: revision) }
        }
    }
}

extension DeviceChoice {
    /// Polling interval for the lid state and for the use of devices by other processes. The system sends no
    /// events for these changes.
    private static let interval = Nanoseconds.seconds(1)

    /// Returns the current state of a device.
    ///
    /// - Parameter device: The device, whose state may be outdated. The device is matched by its identity.
    /// - Returns: The state, which is marked as not connected if the device is disconnected or can't be distinguished
    ///   from an identical one.
    public func state(of device: CaptureDevice) async -> DeviceState {
        let known = state.withLock { DeviceState(of: device, in: $0) }
        // proc(5) tells which program uses the device.
        return await MediaThread.perform(named: "device") { Self.completed(known) }
    }

    /// Monitors a device, even after it's reconnected or moved to another port.
    ///
    /// - Parameter device: The device, whose state may be outdated. The device is matched by its identity.
    /// - Returns: A stream of the current state and all later changes. A slow reader receives only the latest value.
    ///   `stop` ends the stream.
    public func states(of device: CaptureDevice) -> AsyncStream<DeviceState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DeviceState.self, bufferingPolicy: .bufferingNewest(1))
        let (state, done) = (state, Cancellation())
        // The closure keeps this object alive until the stream ends.
        MediaThread.startWhenPossible(name: "device") { [self] in
            var reported: DeviceState?
            var known = DeviceState(of: device, in: state.withLock { $0 })
            while !done.isCancelled, !self.state.withLock({ $0.isStopped }) {
                let now = Self.completed(known)
                if now != reported { continuation.yield(now) }
                reported = now
                let seen = known
                let news = state.wait(until: MonotonicClock().now + Self.interval) { choice -> DeviceState? in
                    let new = DeviceState(of: seen.device, in: choice)
                    return new != seen || choice.isStopped || done.isCancelled ? new : nil
                }
                known = news ?? seen
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in
            done.cancel()
            state.broadcast { _ in }
        }
        return stream
    }

    /// Adds properties to the state that must be queried from the system, such as the process that uses the
    /// camera.
    private static func completed(_ known: DeviceState) -> DeviceState {
        var state = known
        guard state.isConnected else { return state }
        if case .failing = state.device.problem { state.isSuspended = true }
        if state.device.deviceType == .builtIn, Lid.isClosed() { state.isSuspended = true }
        if state.device.mediaType == .video, state.device.node.hasPrefix("/dev/") {
            state.holder = NodeOwners.holder(of: state.device.node)
        }
        return state
    }
}

/// Current state of one camera or microphone. `DeviceChoice.states(of:)` reports each change.
public struct DeviceState: Sendable, Equatable {
    /// The device as it's connected now, possibly on another port. If the device is disconnected, this is its last
    /// state.
    public internal(set) var device: CaptureDevice
    /// Whether the device is connected.
    public internal(set) var isConnected: Bool
    /// Whether the device is connected but can't capture now, because it doesn't respond correctly or because the lid
    /// of its computer is closed.
    public internal(set) var isSuspended = false
    /// The process that has the camera open, if this user is permitted to see it. The value is `nil` if the
    /// camera isn't in use, and for all microphones, because several processes can use a microphone at the
    /// same time.
    public internal(set) var holder: DeviceHolder?
    /// Whether the device is the best one of its kind to use now.
    public internal(set) var isSystemPreferred: Bool
    /// Whether the application's user prefers this device over others of its kind.
    public internal(set) var isUserPreferred: Bool

    /// Whether another process is using the camera now.
    public var isInUse: Bool {
        if holder != nil { return true }
        guard isConnected, case .inUse = device.problem else { return false }
        return true
    }
}

extension DeviceState {
    /// Creates the state from the device list and the preferences of a `DeviceChoice`.
    ///
    /// - Parameters:
    ///   - device: The device, whose state may be outdated.
    ///   - choice: The connected devices and the preferences.
    init(of device: CaptureDevice, in choice: ChoiceState) {
        let isCamera = device.mediaType == .video
        let present = isCamera ? choice.cameras.cameras : choice.microphones.microphones
        let found: CaptureDevice? =
            if case .found(let device, _) = device.identity.search(among: present) { device } else { nil }
        let user = isCamera ? choice.cameras.userPreferred : choice.microphones.userPreferred
        let system = isCamera ? choice.cameras.systemPreferred : choice.microphones.current
        self.init(
            device: found ?? device, isConnected: found != nil,
            isSystemPreferred: found != nil && system?.device.identity == found?.identity,
            isUserPreferred: found != nil && user?.identity == found?.identity)
    }
}

/// A change in the connected devices, the preferred camera, or the default microphone. Events are reported in
/// order of occurrence.
package enum ChoiceEvent: Sendable, Equatable {
    /// A device was added, removed, or changed.
    case device(DeviceChange)
    /// The best camera to use now has changed. The value is `nil` if no camera is available.
    case camera(PreferredDevice?)
    /// `default` now refers to another microphone. The value is `nil` if no microphone is available.
    case microphone(PreferredDevice?)
}

/// The state that `DeviceChoice` protects with its lock: the selection rules for cameras and microphones, their last
/// results, and the listeners.
struct ChoiceState {
    private(set) var cameras: CameraPreference
    private(set) var microphones: MicrophoneRoute
    /// The reason why microphones can't be listed now, or `nil` if they can.
    private(set) var problem: DeviceError?
    private(set) var system: PreferredDevice?
    private(set) var user: CaptureDevice?
    private(set) var route: PreferredDevice?
    var systemListeners = StreamListeners<PreferredDevice?>()
    var userListeners = StreamListeners<CaptureDevice?>()
    var routeListeners = StreamListeners<PreferredDevice?>()
    var eventListeners = StreamListeners<ChoiceEvent>()
    var isStopped = false
    /// Revision of the choices, which is incremented before and after a choice is written. A file that was read at an
    /// older revision may lack the choice.
    private(set) var revision = 0
    /// Number of choices that are currently being written.
    private var pendingWrites = 0

    init(cameras: CameraPreference, microphones: MicrophoneRoute) {
        self.cameras = cameras
        self.microphones = microphones
    }

    /// Applies changes in the connected devices, and notifies the listeners.
    mutating func handle(_ changes: [DeviceChange]) {
        for change in changes {
            if case .problem(let error) = change {
                problem = error
            } else if change.device?.mediaType == .audio {
                problem = nil
            }
            eventListeners.notify(.device(change))
        }
        change {
            $0.cameras.handle(changes)
            $0.microphones.handle(changes)
        }
    }

    /// Applies choices read from the disk, unless this process has a newer choice.
    ///
    /// - Parameters:
    ///   - memory: The choices read from the disk.
    ///   - application: The application that the user's stored choices belong to.
    ///   - revision: The value of `revision` before `memory` was read.
    /// - Returns: Whether the file must be read again.
    mutating func adopt(
        _ memory: ChoiceStore, of application: ApplicationIdentifier, readAt revision: Int
    ) -> Bool {
        // The thread that writes a choice reads the file afterwards.
        guard pendingWrites == 0 else { return false }
        guard revision == self.revision else { return true }
        change {
            $0.cameras.adopt(memory[application].cameras, streamed: memory.streamed)
            $0.microphones.adopt(memory[application].microphones)
        }
        return false
    }

    mutating func writeBegan() {
        revision += 1
        pendingWrites += 1
    }

    mutating func writeEnded() {
        revision += 1
        pendingWrites -= 1
    }

    /// Changes the input of the selection rules, and notifies the listeners of changed results.
    mutating func change(_ change: (inout Self) -> Void) {
        change(&self)
        if user != cameras.userPreferred {
            user = cameras.userPreferred
            userListeners.notify(user)
        }
        if system != cameras.systemPreferred {
            system = cameras.systemPreferred
            systemListeners.notify(system)
            eventListeners.notify(.camera(system))
        }
        if route != microphones.current {
            route = microphones.current
            routeListeners.notify(route)
            eventListeners.notify(.microphone(route))
        }
    }

    // MARK: Choices

    mutating func choose(camera: DeviceIdentity) { change { $0.cameras.choose(camera) } }

    mutating func propose(camera: DeviceIdentity, by name: String) {
        change { $0.cameras.history.propose(camera, by: name, among: $0.cameras.cameras) }
    }

    mutating func choose(microphone: DeviceIdentity) { change { $0.microphones.choose(microphone) } }

    mutating func recordingBegan() { change { $0.microphones.recordingBegan() } }

    mutating func recordingEnded() { change { $0.microphones.recordingEnded() } }
}
