public import MulticamMedia
public import MulticamMonitoring

extension SessionEvent {
    /// Kind of event, with the values to which a program can react. `events.ndjson` contains all fields of an event.
    ///
    /// Roles are those of the profile. A track has the role of its device, or the name `program`. Causes are
    /// raw values of `LossCause`, or the word `silent`.
    public enum Kind: Sendable, Equatable {
        /// The devices are running, and the session waits for the next recording.
        case standby
        /// The recording has started. The folder is `nil` if the session writes no files.
        case started(folder: String?)
        /// Frame rate or resolution was reduced before the start to meet the budget.
        case reduced(step: String, reason: String)
        /// The user set a marker.
        case mark(String)
        /// A still was saved, and a clip around it if clips are enabled.
        case still(role: String, file: String, clip: String?)
        /// The recording continues in new files. The track is `nil` if all tracks do.
        case split(track: String?)
        /// The program or the devices changed. The texts describe the changes.
        case change([String])
        /// Frames or audio are missing. The count is the number of frames; `nil` for audio.
        case drop(track: String, cause: String, count: Int64?)
        /// A device was unplugged, stopped delivering data, or reached the end of its file.
        case deviceLost(role: String, cause: String)
        /// The device is delivering data again.
        case deviceRestored(role: String)
        /// A camera was rotated with the computer: the clockwise rotation that makes its frames upright. Both values are
        /// `nil` if the orientation became unknown.
        case orientation(role: String?, degrees: Int64?)
        /// The clock model of a device became reliable or unreliable, or was reset.
        case clock(role: String)
        /// The governor lowered quality, restored it, or ended the recording.
        case governor(step: String, reason: String)
        /// The level of system pressure changed.
        case pressure(PressureLevel)
        /// A microphone became silent, or its signal was lost; `hasEnded` if it is audible again.
        case silence(role: String, hasEnded: Bool)
        /// A microphone started to clip; `hasEnded` if it stopped.
        case clipping(role: String, hasEnded: Bool)
        /// A stream continues with another encoder, or ends because no encoder is left.
        case encoder(track: String, reason: String)
        /// A face was found in the frames of a camera. The number doesn't change while the person is visible.
        case faceAppeared(role: String, DetectedFace)
        /// A face hasn't been found for several seconds.
        case faceLost(role: String, id: Int)
        /// A code was read. The event repeats only after the code wasn't visible for 10 s.
        case code(role: String, kind: DetectedCode.Kind, payload: String)
        /// Automatic framing moves the visible part of a camera in the program.
        case framing(role: String)
        /// The state of a live output changed. The state is a word such as `connected` or `waiting`.
        case liveOutput(name: String, state: String)
        /// A problem without a specific kind. The track is `nil` if the problem doesn't affect one.
        case warning(String, track: String?)
        /// The recording has ended. The text is that of its verdict.
        case finished(verdict: String)
        /// An event that only the `multicam` command causes.
        case other
    }

    /// Kind of the event.
    public var kind: Kind {
        switch content {
        case .standby: .standby
        case .started(let event): .started(folder: event.folder)
        case .reduced(let event): .reduced(step: event.step, reason: event.reason)
        case .mark(let event): .mark(event.text)
        case .still(let event): .still(role: event.track, file: event.file, clip: event.clip)
        case .split(let event): .split(track: event.track)
        case .change(let event): .change(event.changes)
        case .drop(let event): .drop(track: event.track, cause: event.cause, count: event.count)
        case .deviceLost(let event): .deviceLost(role: event.track, cause: event.cause)
        case .deviceRestored(let event): .deviceRestored(role: event.track)
        case .orientation(let event): .orientation(role: event.track, degrees: event.degrees)
        case .clock(let event): .clock(role: event.track)
        case .governor(let event): .governor(step: event.step, reason: event.reason)
        case .pressure(let event): .pressure(event.level)
        case .silence(let event): .silence(role: event.track, hasEnded: event.state == .ends)
        case .clipping(let event): .clipping(role: event.track, hasEnded: event.state == .ends)
        case .encoder(let event): .encoder(track: event.track, reason: event.reason)
        case .faceAppeared(let event):
            .faceAppeared(
                role: event.track,
                DetectedFace(id: Int(event.face), box: event.box, confidence: event.confidence))
        case .faceLost(let event): .faceLost(role: event.track, id: Int(event.face))
        case .code(let event): .code(role: event.track, kind: event.kind, payload: event.payload)
        case .framing(let event): .framing(role: event.track)
        case .liveOutput(let event): .liveOutput(name: event.name, state: event.state.rawValue)
        case .warning(let event): .warning(event.text, track: event.track)
        case .finished(let event): .finished(verdict: event.verdict)
        case .paused, .recovered: .other
        }
    }
}
