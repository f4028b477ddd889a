internal import Capture
public import Media
public import Plan

/// Decides which camera and which microphone a program should use: what its user prefers, and what is best now.
///
///     let choice = try DeviceChoice(application: application)
///     for await camera in choice.systemPreferredCameras() { … }
///
/// The user's choices are remembered across launches and reboots, separately for each application. Every call is safe from any
/// thread; calls that wait for the disk say so.
public final class DeviceChoice: Sendable {
    /// The list of devices to choose from.
    public let discovery: DiscoverySession
    private let application: ApplicationIdentifier
    private let file: StateFile<ChoiceMemory>?
    /// Its changes wake those who follow one device (`states`).
    let state: ConditionLock<ChoiceState>
    private let monitor: FolderMonitor?
    private let observation: Int?

    /// Watches the connected devices until `stop` or until the object is released. Blocks as `DiscoverySession.init` does.
    ///
    /// - Parameters:
    ///   - application: The application whose user's choices count.
    ///   - defaultPosition: Where the camera faces that is preferred when the user has chosen none.
    /// - Throws: `DeviceError` when the system does not report changes of devices.
    public convenience init(
        application: ApplicationIdentifier, defaultPosition: CaptureDevice.Position = .front
    ) throws(DeviceError) {
        self.init(
            application: application, defaultPosition: defaultPosition, discovery: try DiscoverySession(),
            file: ChoiceMemory.file)
    }

    /// Watches the devices of a discovery session.
    ///
    /// - Parameters:
    ///   - application: The application whose user's choices count.
    ///   - defaultPosition: Where the camera faces that is preferred when the user has chosen none.
    ///   - discovery: Lists all cameras and microphones.
    ///   - file: The file that stores choices; `nil` when there is no folder for it.
    init(
        application: ApplicationIdentifier, defaultPosition: CaptureDevice.Position,
        discovery: DiscoverySession, file: StateFile<ChoiceMemory>?
    ) {
        self.discovery = discovery
        self.application = application
        self.file = file
        let memory = file?.read().content ?? ChoiceMemory()
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
        // Choices that another process writes count here too.
        monitor = file.flatMap { file in
            FolderMonitor(file.folder, prefix: ChoiceMemory.fileName) {
                Self.adopt(file, of: application, into: state)
            }
        }
    }

    deinit {
        stop()
    }

    // MARK: Cameras

    /// The first camera in the user's history that is connected; `nil` when none is.
    public var userPreferredCamera: CaptureDevice? { state.withLock { $0.cameras.userPreferred } }

    /// Remembers that a person chose a camera. The choice takes effect at once. Call this when a person chooses, and never for an
    /// automatic switch. Waits for the disk; do not call it in a Swift task.
    ///
    /// - Parameter camera: The chosen camera; `nil` does nothing.
    /// - Returns: A sentence for the user when earlier choices could not be read, or when there is no folder to remember any.
    /// - Throws: `StateFileError` when the choice cannot be written; it then holds until the program ends.
    @discardableResult
    public func setUserPreferredCamera(_ camera: CaptureDevice?) throws(StateFileError) -> String? {
        guard let camera else { return nil }
        return try keep { state in
            state.choose(camera: camera.identity)
            return state.cameras.cameras
        } writing: { histories, present in
            histories.cameras.choose(camera.identity, among: present)
        }
    }

    /// Proposes a camera to begin with. It counts only the first time this application proposes one, and ranks below every camera
    /// that the user has chosen. Waits for the disk; do not call it in a Swift task.
    ///
    /// - Returns: A sentence for the user when earlier choices could not be read, or when there is no folder to remember any.
    /// - Throws: `StateFileError` when the proposal cannot be written; it then holds until the program ends.
    @discardableResult
    public func proposeCamera(_ camera: CaptureDevice) throws(StateFileError) -> String? {
        let name = application.name
        return try keep { state in
            state.propose(camera: camera.identity, by: name)
            return state.cameras.cameras
        } writing: { histories, present in
            histories.cameras.propose(camera.identity, by: name, among: present)
        }
    }

    /// The best camera to use now, and why; `nil` when there is none.
    public var systemPreferredCamera: PreferredDevice? { state.withLock { $0.cameras.systemPreferred } }

    /// The facts that a `CameraSelection` decides by: the connected cameras and the user's preferences.
    public var cameraPreference: CameraPreference { state.withLock { $0.cameras } }

    /// Delivers the best camera to use now, then each later one. A slow reader gets only the latest. Ends with `stop`.
    public func systemPreferredCameras() -> AsyncStream<PreferredDevice?> {
        stream(\.systemListeners, beginningWith: \.system)
    }

    /// Delivers the user's preferred camera as it is now, then each later one. A slow reader gets only the latest. Ends with
    /// `stop`.
    public func userPreferredCameras() -> AsyncStream<CaptureDevice?> {
        stream(\.userListeners, beginningWith: \.user)
    }

    // MARK: Microphones

    /// The microphone that the user prefers; `nil` when it is not connected.
    public var preferredMicrophone: CaptureDevice? { state.withLock { $0.microphones.userPreferred } }

    /// Remembers that a person chose a microphone. The choice takes effect at once. Waits for the disk; do not call it in a Swift
    /// task.
    ///
    /// - Parameter microphone: The chosen microphone; `nil` does nothing.
    /// - Returns: A sentence for the user when earlier choices could not be read, or when there is no folder to remember any.
    /// - Throws: `StateFileError` when the choice cannot be written; it then holds until the program ends.
    @discardableResult
    public func setPreferredMicrophone(_ microphone: CaptureDevice?) throws(StateFileError) -> String? {
        guard let microphone else { return nil }
        return try keep { state in
            state.choose(microphone: microphone.identity)
            return state.microphones.microphones
        } writing: { histories, present in
            histories.microphones.choose(microphone.identity, among: present)
        }
    }

    /// The microphone that `default` names, and why. It does not change during a recording.
    public var defaultMicrophone: PreferredDevice? { state.withLock { $0.microphones.current } }

    /// The label of `default` with the microphone that it names: `default (Studio Mic)`.
    public var defaultMicrophoneName: String { state.withLock { $0.microphones.name } }

    /// Delivers the microphone that `default` names now, then each later one. A slow reader gets only the latest. Ends with
    /// `stop`.
    public func defaultMicrophones() -> AsyncStream<PreferredDevice?> {
        stream(\.routeListeners, beginningWith: \.route)
    }

    // MARK: Recordings

    /// Pins `default` to its present microphone until `recordingEnded`.
    public func recordingBegan() {
        state.broadcast { $0.recordingBegan() }
    }

    /// Lets `default` move to the best microphone again.
    public func recordingEnded() {
        state.broadcast { $0.recordingEnded() }
    }

    // MARK: Everything

    /// Delivers every connected device and the present preferences, then each change. Ends with `stop`.
    public func events() -> AsyncStream<ChoiceEvent> {
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

    /// Stops watching, and ends all streams. The preferences keep their last values.
    public func stop() {
        if let observation { discovery.ignore(observation) }
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

    // MARK: Parts

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

    /// Applies a choice here, then writes it.
    ///
    /// - Parameters:
    ///   - choose: Applies the choice, and returns all connected devices of its kind.
    ///   - writing: Adds the choice to the stored content.
    /// - Returns: A sentence for the user when earlier choices could not be read, or when there is no folder to remember any.
    /// - Throws: `StateFileError` when the choice cannot be written.
    private func keep(
        _ choose: (inout ChoiceState) -> [CaptureDevice],
        writing: (inout ChoiceMemory.Histories, [CaptureDevice]) -> Void
    ) throws(StateFileError) -> String? {
        guard let file else {
            _ = state.broadcast(choose)
            return
                "neither XDG_STATE_HOME nor HOME names a folder, so the choice lasts until the program ends."
        }
        let present = state.broadcast { state in
            state.keepingBegan()
            return choose(&state)
        }
        let warning: String?
        do throws(StateFileError) {
            warning = try file.update { memory in writing(&memory[application], present) }
        } catch {
            // The file lacks the choice, so it is not read until another process writes it.
            state.withLock { $0.keepingEnded() }
            throw error
        }
        state.withLock { $0.keepingEnded() }
        Self.adopt(file, of: application, into: state)
        return warning
    }

    private static func adopt(
        _ file: StateFile<ChoiceMemory>, of application: ApplicationIdentifier,
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
