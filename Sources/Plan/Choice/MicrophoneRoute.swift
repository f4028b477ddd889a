package import MulticamMedia

/// Determines which microphone the selector `default` refers to. The caller of this value type reports device
/// changes, user choices, and the recording state.
///
/// `default` refers to the microphone that was plugged in last, otherwise to the microphone that the user
/// prefers, otherwise to the sound server's default. `default` never changes during a recording. A role that
/// names a specific microphone isn't affected.
package struct MicrophoneRoute: Sendable, Equatable {
    private var preferences: DevicePreferences
    /// Whether a recording is running. `default` keeps its microphone during a recording.
    package private(set) var isRecording = false
    /// The microphone that `default` referred to when the recording started.
    private var recordingDevice: PreferredDevice?

    /// Creates a route from the user's stored choices and the microphones that are present.
    ///
    /// - Parameters:
    ///   - history: The user's microphone choices.
    ///   - present: Microphones that are present initially. Devices that aren't microphones are ignored.
    package init(history: DeviceHistory = DeviceHistory(), present: [CaptureDevice] = []) {
        preferences = DevicePreferences(of: .audio, history: history, present: present)
    }

    /// The user's microphone choices. Assign this property after rereading the stored history.
    package var history: DeviceHistory {
        get { preferences.history }
        set { preferences.history = newValue }
    }

    /// Microphones that are present, in listing or connection order.
    package var microphones: [CaptureDevice] { preferences.present }

    /// Updates the list of microphones after devices are connected, disconnected, or changed. Devices that
    /// aren't microphones are ignored.
    ///
    /// - Parameter changes: The changes that were reported at the same time. Microphones that reappear
    ///   because the sound server was restarted don't count as plugged in.
    package mutating func handle(_ changes: [DeviceChange]) {
        preferences.handle(changes)
    }

    /// Records that the user chose a microphone as the preferred one.
    package mutating func choose(_ microphone: DeviceIdentity) {
        preferences.choose(microphone)
    }

    /// Replaces the choices with the stored ones after another process changed them. If the most
    /// recently stored choice was made after the previous call, it counts as if it had been made in this process.
    package mutating func adopt(_ history: DeviceHistory) {
        let isNewChoice = history.chosen.first != nil && history.chosen.first != self.history.chosen.first
        self.history = history
        if isNewChoice, let choice = history.chosen.first { preferences.choose(choice.identity) }
    }

    /// The highest-ranked microphone of the history that is present; `nil` if none is present.
    package var userPreferred: CaptureDevice? { preferences.remembered()?.device }

    /// The microphone that `default` currently refers to; `nil` if the server's default isn't a microphone and the user
    /// hasn't chosen one.
    package var current: PreferredDevice? { isRecording ? recordingDevice : preferred }

    /// The microphone that `default` refers to when no recording is running; `nil` if no microphone
    /// qualifies.
    package var preferred: PreferredDevice? {
        if let device = preferences.pluggedIn() { return PreferredDevice(device: device, reason: .pluggedIn) }
        if let requested = preferences.remembered() {
            return PreferredDevice(
                device: requested.device, reason: .chosen, isElsewhere: requested.isElsewhere)
        }
        return microphones.first(where: \.isDefault).map {
            PreferredDevice(device: $0, reason: .serverDefault)
        }
    }

    /// Records that a recording started. `default` keeps its microphone until the recording ends.
    package mutating func recordingBegan() {
        recordingDevice = preferred
        isRecording = true
    }

    /// Records that the recording ended. `default` may change again.
    package mutating func recordingEnded() {
        isRecording = false
        recordingDevice = nil
    }
}
