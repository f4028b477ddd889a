public import MulticamMedia
internal import MulticamSessionFolder

/// A recording of a `MulticamSession`, from its start until its files are closed.
///
/// The methods of a handle affect only its own recording. After this recording has ended, they have no effect, even if the
/// session records again. All methods may be called from any thread.
public final class Recording: Sendable {
    private let session: MulticamSession
    let number: Int
    /// Completed at T0 with T0, or with `nil` if the recording ends earlier.
    let start: Completion<ClockTime?>
    let outcome: Completion<Result<RecordingResult, RecordingError>>

    init(
        of session: MulticamSession, number: Int, start: Completion<ClockTime?>,
        outcome: Completion<Result<RecordingResult, RecordingError>>
    ) {
        self.session = session
        self.number = number
        self.start = start
        self.outcome = outcome
    }

    /// Whether the recording is running. The value is `false` once all files are closed.
    public var isRunning: Bool { session.isCurrent(number) }

    /// T0, the start of all tracks, on the session's clock; `nil` if the recording hasn't begun. A tap also receives frames
    /// from before T0; compare their `capturedAt` with this time.
    public var startTime: ClockTime? { start.current ?? nil }

    /// Path of the session folder; `nil` after the recording has ended, when `result` has the path.
    public var folder: String? { isRunning ? session.folderPath : nil }

    /// Ends the recording cleanly, and writes all data that was captured before the end. Does nothing if the recording
    /// has already ended.
    ///
    /// - Parameter time: When the end was requested, on the session's clock. `nil` or a time in the future means now.
    public func stop(at time: ClockTime? = nil) { session.stop(at: time, recording: number) }

    /// Adds a marker to the manifest and the events.
    ///
    /// - Parameters:
    ///   - text: The marker's name.
    ///   - time: The marker's time, on the session's clock. `nil` or a time in the future means now.
    /// - Throws: `.ended` if the recording has ended or is being closed.
    public func mark(_ text: String, at time: ClockTime? = nil) throws(RecordingError) {
        guard session.withRecording(number, { session.mark(text, at: time) }) else { throw .ended }
    }

    /// Continues the recording in new files from now on, without losing a frame or a sample.
    ///
    /// - Parameter time: When the split was requested, on the session's clock. `nil` or a time in the future means now.
    /// - Throws: `.ended` if the recording has ended or is being closed.
    public func split(at time: ClockTime? = nil) throws(RecordingError) {
        guard session.withRecording(number, { session.split(at: time) }) else { throw .ended }
    }

    /// The outcome, after all files are closed. Several tasks may wait for it. Canceling a waiting task doesn't stop the
    /// recording.
    ///
    /// - Throws: `RecordingError` if the recording couldn't begin.
    public var result: RecordingResult {
        get async throws(RecordingError) { try await outcome.value.get() }
    }
}
