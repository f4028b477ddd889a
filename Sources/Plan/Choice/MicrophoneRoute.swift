public import Media

/// Which microphone `default` means: a value that is told what came and went, what a person chose, and when is recorded.
///
/// Only `default` moves: to the microphone that was plugged in last, else to the one that a person prefers, else to the audio
/// server's own choice; and never while a recording runs. Whoever names a microphone keeps it.
public struct MicrophoneRoute: Sendable, Equatable {
    private var wishes: DeviceWishes
    public private(set) var isRecording = false
    /// What was in use when the recording began.
    private var held: PreferredDevice?

    /// - Parameters:
    ///   - history: The inputs that the person prefers.
    ///   - present: Microphones that are there at the beginning; others in it are passed over.
    public init(history: DeviceHistory = DeviceHistory(), present: [CaptureDevice] = []) {
        wishes = DeviceWishes(of: .audio, history: history, present: present)
    }

    public var history: DeviceHistory {
        get { wishes.history }
        set { wishes.history = newValue }
    }

    /// All microphones that are there.
    public var microphones: [CaptureDevice] { wishes.present }

    /// Takes over what has become of devices; other ones than microphones are passed over.
    ///
    /// - Parameter changes: What was told at once. What a sound server has that came back was not plugged in.
    public mutating func handle(_ changes: [DeviceChange]) {
        wishes.handle(changes)
    }

    /// A person's choice of a preferred input.
    public mutating func choose(_ microphone: DeviceIdentity) {
        wishes.choose(microphone)
    }

    /// What to take over when another process has changed what is remembered: a new choice there is one here.
    public mutating func adopt(_ history: DeviceHistory) {
        let isNewChoice = history.chosen.first != nil && history.chosen.first != self.history.chosen.first
        self.history = history
        if isNewChoice, let choice = history.chosen.first { wishes.choose(choice.identity) }
    }

    /// The input that a person prefers, where it is there.
    public var userPreferred: CaptureDevice? { wishes.remembered()?.device }

    /// What `default` means now; `nil` where the server's default is no microphone and nobody wished for one.
    public var current: PreferredDevice? { isRecording ? held : wanted }

    /// What `default` will mean when no recording runs.
    public var wanted: PreferredDevice? {
        if let device = wishes.pluggedIn() { return PreferredDevice(device: device, reason: .pluggedIn) }
        if let wish = wishes.remembered() {
            return PreferredDevice(device: wish.device, reason: .chosen, isElsewhere: wish.isElsewhere)
        }
        return microphones.first(where: \.isDefault).map {
            PreferredDevice(device: $0, reason: .serverDefault)
        }
    }

    /// What is shown for `default`: with the name of what it leads to.
    public var name: String {
        current.map { "default (\($0.device.name.printable()))" } ?? "default (no microphone)"
    }

    /// From here on nothing moves.
    public mutating func recordingBegan() {
        held = wanted
        isRecording = true
    }

    public mutating func recordingEnded() {
        isRecording = false
        held = nil
    }
}
