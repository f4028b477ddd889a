internal import MulticamMedia

/// What a session is doing, which decides the calls that it accepts.
///
/// | state | `standBy` | `record`, `run` | `close` |
/// |---|---|---|---|
/// | new | starts the devices | starts the devices | ends the session |
/// | starting for standby | `.busy` | `.busy` | cancels the start, which ends the session |
/// | on standby | `.busy` | uses the devices | ends the session |
/// | recording on standby | `.busy` | `.busy` | after the recording, ends the session |
/// | recording without standby | `.busy` | `.busy` | waits for the recording, which ends the session |
/// | ended | `.ended` | `.ended` | nothing |
///
/// The session checks and changes the state under a lock before it suspends for the first time, so two concurrent calls
/// can't both succeed.
struct SessionLifecycle {
    private enum State {
        case new
        case startingStandby
        case standby(Standby, MediaThread)
        case ended
    }

    private var state = State.new
    /// Number of the current recording or run; `nil` if there is none.
    private(set) var recording: Int?
    private var recordings = 0
    /// Whether `close` was called.
    private(set) var isClosing = false

    /// Whether the session has neither recorded nor been on standby, and isn't about to.
    var isNew: Bool { if case .new = state { recording == nil } else { false } }

    /// Whether the session has ended, so that it accepts no more calls.
    var hasEnded: Bool { if case .ended = state { true } else { false } }

    /// The devices on standby and the thread that runs them; `nil` if the devices aren't on standby.
    var standby: (devices: Standby, thread: MediaThread)? {
        if case .standby(let devices, let thread) = state { (devices, thread) } else { nil }
    }

    /// Whether the devices are being started for standby.
    var isStartingStandby: Bool { if case .startingStandby = state { true } else { false } }

    /// Checks whether a request to stop has an effect.
    ///
    /// - Parameter number: Number of the recording to stop; `nil` for any, including one that is about to start.
    /// - Returns: `false` if there is no such recording.
    func acceptsStop(of number: Int?) -> Bool {
        if let number { return recording == number }
        return recording != nil || standby == nil
    }

    private func checkIsFree() throws(RecordingError) {
        if hasEnded || isClosing { throw .ended }
        if recording != nil { throw .busy }
        if case .startingStandby = state { throw .busy }
    }

    /// Begins to start the devices for standby.
    ///
    /// - Throws: `.busy` if the devices are running already or being started, `.ended` if the session has ended.
    mutating func beginStandby() throws(RecordingError) {
        try checkIsFree()
        if standby != nil { throw .busy }
        state = .startingStandby
    }

    /// Records that the devices are running on standby.
    mutating func finishStarting(_ devices: Standby, _ thread: MediaThread) {
        state = .standby(devices, thread)
    }

    /// Begins a recording or a run.
    ///
    /// - Returns: The number of the recording.
    /// - Throws: `.busy` if there is a recording already or if the devices are being started, `.ended` if the session
    ///   has ended.
    mutating func beginRecording() throws(RecordingError) -> Int {
        try checkIsFree()
        recordings += 1
        recording = recordings
        return recordings
    }

    /// Records that the recording has ended. A session that isn't on standby ends with its recording.
    mutating func endRecording() {
        recording = nil
        if standby == nil { state = .ended }
    }

    /// Refuses further calls. The current recording continues.
    mutating func beginClosing() { isClosing = true }

    /// Ends the session.
    mutating func end() { state = .ended }
}
