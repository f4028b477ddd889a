public import Media

/// The rule that decides which microphone `default` means: a value that is told of device changes, choices and recordings.
///
/// Only `default` moves: to the microphone that was plugged in last, else to the one that a person prefers, else to the
/// sound server's own choice; and never while a recording runs. A microphone that is named stays the one in use.
public struct MicrophoneRoute: Sendable, Equatable {
    private var wishes: DeviceWishes
    /// Whether a recording runs, during which `default` keeps its microphone.
    public private(set) var isRecording = false
    /// The microphone that was in use when the recording began.
    private var held: PreferredDevice?

    /// Creates the rule from what is stored of earlier choices and from the microphones that are present.
    ///
    /// - Parameters:
    ///   - history: The microphones that the person chose.
    ///   - present: Microphones that are present at the beginning; devices of other kinds in it are ignored.
    public init(history: DeviceHistory = DeviceHistory(), present: [CaptureDevice] = []) {
        wishes = DeviceWishes(of: .audio, history: history, present: present)
    }

    /// The microphones that the person chose; assign it after the stored history was read again.
    public var history: DeviceHistory {
        get { wishes.history }
        set { wishes.history = newValue }
    }

    /// The microphones that are present, in the order in which they were listed or arrived.
    public var microphones: [CaptureDevice] { wishes.present }

    /// Takes over arrivals, departures and changes of devices; devices other than microphones are ignored.
    ///
    /// - Parameter changes: The changes that were reported together. Microphones of a sound server that came back do not count
    ///   as plugged in.
    public mutating func handle(_ changes: [DeviceChange]) {
        wishes.handle(changes)
    }

    /// Records that a person chose a preferred microphone.
    public mutating func choose(_ microphone: DeviceIdentity) {
        wishes.choose(microphone)
    }

    /// Takes over the stored choices after another process changed them; a new latest choice there counts as a choice here.
    public mutating func adopt(_ history: DeviceHistory) {
        let isNewChoice = history.chosen.first != nil && history.chosen.first != self.history.chosen.first
        self.history = history
        if isNewChoice, let choice = history.chosen.first { wishes.choose(choice.identity) }
    }

    /// The most wanted microphone of the history that is present; `nil` when none is.
    public var userPreferred: CaptureDevice? { wishes.remembered()?.device }

    /// The microphone that `default` means now; `nil` where the server's default is no microphone and nobody wished for one.
    public var current: PreferredDevice? { isRecording ? held : wanted }

    /// The microphone that `default` means when no recording runs; `nil` where there is none.
    public var wanted: PreferredDevice? {
        if let device = wishes.pluggedIn() { return PreferredDevice(device: device, reason: .pluggedIn) }
        if let wish = wishes.remembered() {
            return PreferredDevice(device: wish.device, reason: .chosen, isElsewhere: wish.isElsewhere)
        }
        return microphones.first(where: \.isDefault).map {
            PreferredDevice(device: $0, reason: .serverDefault)
        }
    }

    /// The label for `default`, with the name of the microphone that it means: `default (Blue Yeti)`.
    public var name: String {
        current.map { "default (\($0.device.name.printable()))" } ?? "default (no microphone)"
    }

    /// Notes that a recording began: `default` keeps its microphone until the recording ends.
    public mutating func recordingBegan() {
        held = wanted
        isRecording = true
    }

    /// Notes that the recording ended: `default` may move again.
    public mutating func recordingEnded() {
        isRecording = false
        held = nil
    }
}
