internal import Media
internal import Plan

/// What `DeviceChoice` guards: the two rules, what they said last, and who listens to it.
struct ChoiceState {
    private(set) var cameras: CameraPreference
    private(set) var microphones: MicrophoneRoute
    /// Why microphones cannot be listed for now.
    private(set) var problem: DeviceError?
    private(set) var system: PreferredDevice?
    private(set) var user: CaptureDevice?
    private(set) var route: PreferredDevice?
    var systemListeners = StreamListeners<PreferredDevice?>()
    var userListeners = StreamListeners<CaptureDevice?>()
    var routeListeners = StreamListeners<PreferredDevice?>()
    var eventListeners = StreamListeners<ChoiceEvent>()
    var isStopped = false
    /// Counts when our own choices set out for the disk and when they arrive: what was read before may be older than they are.
    private(set) var revision = 0
    /// Choices of ours that are on their way to the disk.
    private var unkept = 0

    init(cameras: CameraPreference, microphones: MicrophoneRoute) {
        self.cameras = cameras
        self.microphones = microphones
    }

    /// Takes over what has become of devices, and tells.
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

    /// Takes over what is remembered by now, unless a choice of ours is newer.
    ///
    /// - Parameters:
    ///   - memory: As it was read.
    ///   - application: Whose part counts.
    ///   - revision: As it was before `memory` was read.
    /// - Returns: Whether it is to be read again.
    mutating func adopt(
        _ memory: ChoiceMemory, of application: ApplicationIdentifier, readAt revision: Int
    ) -> Bool {
        // Whoever keeps a choice reads afterwards.
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

    /// Changes the rules' facts, and tells what follows from that.
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
