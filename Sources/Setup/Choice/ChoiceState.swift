internal import Media
internal import Plan

/// The state that `DeviceChoice` guards with its lock: the two rules, their last answers, and the listeners.
struct ChoiceState {
    private(set) var cameras: CameraPreference
    private(set) var microphones: MicrophoneRoute
    /// Why microphones cannot be listed at present; `nil` when they can.
    private(set) var problem: DeviceError?
    private(set) var system: PreferredDevice?
    private(set) var user: CaptureDevice?
    private(set) var route: PreferredDevice?
    var systemListeners = StreamListeners<PreferredDevice?>()
    var userListeners = StreamListeners<CaptureDevice?>()
    var routeListeners = StreamListeners<PreferredDevice?>()
    var eventListeners = StreamListeners<ChoiceEvent>()
    var isStopped = false
    /// Rises when a choice starts to be written and when it is written: a file read before that may lack the choice.
    private(set) var revision = 0
    /// The number of choices that are being written.
    private var unkept = 0

    init(cameras: CameraPreference, microphones: MicrophoneRoute) {
        self.cameras = cameras
        self.microphones = microphones
    }

    /// Applies changes of the connected devices, and tells the listeners.
    mutating func handle(_ changes: [DeviceChange]) {
        for change in changes {
            if case .problem(let error) = change {
                problem = error
            } else if change.device?.mediaType == .audio {
                problem = nil
            }
            eventListeners.tell(.device(change))
        }
        change {
            $0.cameras.handle(changes)
            $0.microphones.handle(changes)
        }
    }

    /// Applies the choices that were read from the disk, unless a choice of this process is newer.
    ///
    /// - Parameters:
    ///   - memory: The choices as they were read.
    ///   - application: The application whose choices count.
    ///   - revision: The value of `revision` before `memory` was read.
    /// - Returns: Whether the file must be read again.
    mutating func adopt(
        _ memory: ChoiceMemory, of application: ApplicationIdentifier, readAt revision: Int
    ) -> Bool {
        // A thread that writes a choice reads the file afterwards.
        guard unkept == 0 else { return false }
        guard revision == self.revision else { return true }
        change {
            $0.cameras.adopt(memory[application].cameras, streamed: memory.streamed)
            $0.microphones.adopt(memory[application].microphones)
        }
        return false
    }

    mutating func keepingBegan() {
        revision += 1
        unkept += 1
    }

    mutating func keepingEnded() {
        revision += 1
        unkept -= 1
    }

    /// Changes the facts that the rules judge, and tells the listeners what follows.
    mutating func change(_ change: (inout Self) -> Void) {
        change(&self)
        if user != cameras.userPreferred {
            user = cameras.userPreferred
            userListeners.tell(user)
        }
        if system != cameras.systemPreferred {
            system = cameras.systemPreferred
            systemListeners.tell(system)
            eventListeners.tell(.camera(system))
        }
        if route != microphones.current {
            route = microphones.current
            routeListeners.tell(route)
            eventListeners.tell(.microphone(route))
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
