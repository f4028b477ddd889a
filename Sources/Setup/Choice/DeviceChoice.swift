internal import Capture
internal import Foundation
public import Media
public import Plan

/// Which camera and which microphone a program should use: what its user prefers, and what is best now.
///
///     let choice = try DeviceChoice(application: application)
///     for await camera in choice.systemPreferredCameras() { … }
///
/// What the user chose is remembered across launches and reboots, for each application by itself. All is safe to call from any
/// thread; what waits for the disk says so.
public final class DeviceChoice: Sendable {
    /// The devices among which is chosen.
    public let discovery: DiscoverySession
    private let application: ApplicationIdentifier
    private let file: StateFile<ChoiceMemory>?
    private let state: ConditionLock<ChoiceState>
    private let monitor: FolderMonitor?
    private let observation: Int?

    /// Looks for devices now and from now on, until `stop` or until nobody holds it any more. Blocks as `DiscoverySession` does.
    ///
    /// - Parameters:
    ///   - application: Whose user's choices are meant.
    ///   - defaultPosition: Where the camera looks that is taken where nobody has chosen any.
    /// - Throws: When the system lets us hear of nothing.
    public convenience init(
        application: ApplicationIdentifier, defaultPosition: CaptureDevice.Position = .front
    ) throws(DeviceError) {
        self.init(
            application: application, defaultPosition: defaultPosition, discovery: try DiscoverySession(),
            file: ChoiceMemory.file)
    }

    /// - Parameters:
    ///   - application: As above.
    ///   - defaultPosition: As above.
    ///   - discovery: Of all cameras and microphones.
    ///   - file: Where choices are kept; `nil` where there is no place for them.
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
            state.withLock { $0.handle(changes) }
        }
        // What another process chooses counts here too.
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

    /// The user's choice: the first of the history that is there; `nil` when none is.
    public var userPreferredCamera: CaptureDevice? { state.withLock { $0.cameras.userPreferred } }

    /// Remembers a person's choice of a camera. It counts at once. To be called when a person chooses, and never for an
    /// automatic switch. Waits for the disk; not in a Swift task.
    ///
    /// - Parameter camera: `nil` does nothing.
    /// - Returns: A sentence for the user if what was remembered before could not be read, or nothing can be remembered.
    /// - Throws: When it cannot be kept; until the program ends it counts all the same.
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

    /// Begins with a camera: the first time that this application says so, and behind whatever the user has chosen. Waits for
    /// the disk; not in a Swift task.
    ///
    /// - Returns: A sentence as above.
    /// - Throws: As above.
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

    /// All that `CameraSelection` is to be asked with.
    public var cameraPreference: CameraPreference { state.withLock { $0.cameras } }

    /// First what is best now, then each other one. Who is slow gets the latest only. Ends with `stop`.
    public func systemPreferredCameras() -> AsyncStream<PreferredDevice?> {
        stream(\.systemListeners, beginningWith: \.system)
    }

    /// First the user's choice as it is now, then each other one. As above.
    public func userPreferredCameras() -> AsyncStream<CaptureDevice?> {
        stream(\.userListeners, beginningWith: \.user)
    }

    // MARK: Microphones

    /// The input that the user prefers, where it is there.
    public var preferredMicrophone: CaptureDevice? { state.withLock { $0.microphones.userPreferred } }

    /// Remembers which input the user prefers, as `setUserPreferredCamera`.
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

    /// What `default` means now, and why; during a recording what it meant when that began.
    public var defaultMicrophone: PreferredDevice? { state.withLock { $0.microphones.current } }

    /// What is shown for `default`, with the name of what it leads to: `default (Studio Mic)`.
    public var defaultMicrophoneName: String { state.withLock { $0.microphones.name } }

    /// First what `default` means now, then each other microphone. As above.
    public func defaultMicrophones() -> AsyncStream<PreferredDevice?> {
        stream(\.routeListeners, beginningWith: \.route)
    }

    // MARK: Recordings

    /// From here on `default` stays where it is.
    public func recordingBegan() {
        state.withLock { $0.recordingBegan() }
    }

    /// `default` goes where it should by now.
    public func recordingEnded() {
        state.withLock { $0.recordingEnded() }
    }

    // MARK: Everything

    /// First all that is there with what is preferred of it, then what becomes of it. Ends with `stop`.
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

    /// Ends looking at once, and all streams. What is preferred stays as it is.
    public func stop() {
        if let observation { discovery.ignore(observation) }
        discovery.stop()
        monitor?.stop()
        let (system, user, route, events) = state.withLock { state in
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
        // Holds this choice until then.
        continuation.onTermination = { _ in self.state.withLock { $0[keyPath: listeners].remove(number) } }
        return stream
    }

    /// Makes a choice count here and then keeps it.
    ///
    /// - Parameters:
    ///   - choose: Makes it, and returns all devices of its kind that are there.
    ///   - writing: Enters it into what is kept.
    /// - Returns: A sentence as of `setUserPreferredCamera`.
    /// - Throws: When it cannot be kept.
    private func keep(
        _ choose: (inout ChoiceState) -> [CaptureDevice],
        writing: (inout ChoiceMemory.Histories, [CaptureDevice]) -> Void
    ) throws(StateFileError) -> String? {
        guard let file else {
            _ = state.withLock(choose)
            return
                "neither XDG_STATE_HOME nor HOME names a folder, so the choice lasts until the program ends."
        }
        let present = state.withLock { state in
            state.keepingBegan()
            return choose(&state)
        }
        let warning: String?
        do throws(StateFileError) {
            warning = try file.update { memory in writing(&memory[application], present) }
        } catch {
            // What is on the disk does not know of it: it is not read until somebody writes there.
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
            isOld = state.withLock { $0.adopt(memory, of: application, readAt: revision) }
        }
    }
}
