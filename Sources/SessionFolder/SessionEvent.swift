internal import FoundationEssentials
public import MulticamMedia
package import MulticamMonitoring
package import MulticamPlan
package import MulticamProfiles

/// A session event, which is one line of `events.ndjson`.
///
/// The payload types are the only definition of the events. The writers and readers of the event file, the
/// table in `docs/reference/events.md`, and `docs/events.schema.json` are derived from the payload types.
public struct SessionEvent: Sendable, Equatable {
    /// Kind of event, the value of the field `event`.
    package enum Name: String, Sendable, Codable, CaseIterable {
        case standby
        case started
        case reduced
        case mark
        case still
        case split
        case change
        case drop
        case deviceLost = "device-lost"
        case deviceRestored = "device-restored"
        case orientation
        case clock
        case governor
        case pressure
        case silence
        case clipping
        case encoder
        case faceAppeared = "face-appeared"
        case faceLost = "face-lost"
        case code
        case framing
        case liveOutput = "live-output"
        case warning
        case paused
        case finished
        case recovered

        /// The type that contains the other fields of the event.
        var payload: any Payload.Type {
            switch self {
            case .standby: Standby.self
            case .started: Started.self
            case .reduced: Reduced.self
            case .mark: Mark.self
            case .still: Still.self
            case .split: Split.self
            case .change: Change.self
            case .drop: Drop.self
            case .deviceLost: DeviceLost.self
            case .deviceRestored: DeviceRestored.self
            case .orientation: Orientation.self
            case .clock: Clock.self
            case .governor: Governor.self
            case .pressure: Pressure.self
            case .silence: Silence.self
            case .clipping: Clipping.self
            case .encoder: EncoderChange.self
            case .faceAppeared: FaceAppeared.self
            case .faceLost: FaceLost.self
            case .code: Code.self
            case .framing: Framing.self
            case .liveOutput: LiveOutput.self
            case .warning: Warning.self
            case .paused: Paused.self
            case .finished: Finished.self
            case .recovered: Recovered.self
            }
        }
    }

    /// Kind of event, together with its fields.
    package enum Content: Sendable, Equatable {
        case standby(Standby)
        case started(Started)
        case reduced(Reduced)
        case mark(Mark)
        case still(Still)
        case split(Split)
        case change(Change)
        case drop(Drop)
        case deviceLost(DeviceLost)
        case deviceRestored(DeviceRestored)
        case orientation(Orientation)
        case clock(Clock)
        case governor(Governor)
        case pressure(Pressure)
        case silence(Silence)
        case clipping(Clipping)
        case encoder(EncoderChange)
        case faceAppeared(FaceAppeared)
        case faceLost(FaceLost)
        case code(Code)
        case framing(Framing)
        case liveOutput(LiveOutput)
        case warning(Warning)
        case paused(Paused)
        case finished(Finished)
        case recovered(Recovered)

        /// The fields of the event.
        package var payload: any Payload {
            switch self {
            case .standby(let payload): payload
            case .started(let payload): payload
            case .reduced(let payload): payload
            case .mark(let payload): payload
            case .still(let payload): payload
            case .split(let payload): payload
            case .change(let payload): payload
            case .drop(let payload): payload
            case .deviceLost(let payload): payload
            case .deviceRestored(let payload): payload
            case .orientation(let payload): payload
            case .clock(let payload): payload
            case .governor(let payload): payload
            case .pressure(let payload): payload
            case .silence(let payload): payload
            case .clipping(let payload): payload
            case .encoder(let payload): payload
            case .faceAppeared(let payload): payload
            case .faceLost(let payload): payload
            case .code(let payload): payload
            case .framing(let payload): payload
            case .liveOutput(let payload): payload
            case .warning(let payload): payload
            case .paused(let payload): payload
            case .finished(let payload): payload
            case .recovered(let payload): payload
            }
        }

        /// Kind of the event.
        package var name: Name {
            switch self {
            case .standby: .standby
            case .started: .started
            case .reduced: .reduced
            case .mark: .mark
            case .still: .still
            case .split: .split
            case .change: .change
            case .drop: .drop
            case .deviceLost: .deviceLost
            case .deviceRestored: .deviceRestored
            case .orientation: .orientation
            case .clock: .clock
            case .governor: .governor
            case .pressure: .pressure
            case .silence: .silence
            case .clipping: .clipping
            case .encoder: .encoder
            case .faceAppeared: .faceAppeared
            case .faceLost: .faceLost
            case .code: .code
            case .framing: .framing
            case .liveOutput: .liveOutput
            case .warning: .warning
            case .paused: .paused
            case .finished: .finished
            case .recovered: .recovered
            }
        }

        /// Decodes the fields of an event from the object that contains them.
        init(_ name: Name, from decoder: any Decoder) throws {
            self =
                switch name {
                case .standby: .standby(try Standby(from: decoder))
                case .started: .started(try Started(from: decoder))
                case .reduced: .reduced(try Reduced(from: decoder))
                case .mark: .mark(try Mark(from: decoder))
                case .still: .still(try Still(from: decoder))
                case .split: .split(try Split(from: decoder))
                case .change: .change(try Change(from: decoder))
                case .drop: .drop(try Drop(from: decoder))
                case .deviceLost: .deviceLost(try DeviceLost(from: decoder))
                case .deviceRestored: .deviceRestored(try DeviceRestored(from: decoder))
                case .orientation: .orientation(try Orientation(from: decoder))
                case .clock: .clock(try Clock(from: decoder))
                case .governor: .governor(try Governor(from: decoder))
                case .pressure: .pressure(try Pressure(from: decoder))
                case .silence: .silence(try Silence(from: decoder))
                case .clipping: .clipping(try Clipping(from: decoder))
                case .encoder: .encoder(try EncoderChange(from: decoder))
                case .faceAppeared: .faceAppeared(try FaceAppeared(from: decoder))
                case .faceLost: .faceLost(try FaceLost(from: decoder))
                case .code: .code(try Code(from: decoder))
                case .framing: .framing(try Framing(from: decoder))
                case .liveOutput: .liveOutput(try LiveOutput(from: decoder))
                case .warning: .warning(try Warning(from: decoder))
                case .paused: .paused(try Paused(from: decoder))
                case .finished: .finished(try Finished(from: decoder))
                case .recovered: .recovered(try Recovered(from: decoder))
                }
        }
    }

    /// The fields of one kind of event. The property names are the JSON field names.
    package protocol Payload: Sendable, Equatable, Codable {
        /// Description of when the event occurs, used in the documentation.
        static var meaning: String { get }
    }

    /// Kind and fields of the event.
    package let content: Content
    /// Time of the event relative to T0; negative before T0. On standby, this is the time since the last
    /// `standby` event.
    public let at: MediaTime

    /// Kind of the event.
    package var name: Name { content.name }

    /// Creates an event from its content and time.
    ///
    /// - Parameters:
    ///   - content: Kind and fields of the event.
    ///   - at: Time since T0. On standby, this is the time since the last `standby` event.
    package init(_ content: Content, at: MediaTime) {
        self.content = content
        self.at = at
    }
}

extension SessionEvent: Codable {
    private enum CodingKeys: String, CodingKey {
        case event
        case at = "at_ns"
    }

    /// Decodes an object with `event`, `at_ns`, and the event's fields.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        at = MediaTime(nanoseconds: try container.decode(Int64.self, forKey: .at))
        content = try Content(try container.decode(Name.self, forKey: .event), from: decoder)
    }

    /// Encodes an object with `event`, `at_ns`, and the event's fields.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .event)
        try container.encode(at.nanoseconds, forKey: .at)
        try content.payload.encode(to: encoder)
    }

    /// Encodes the event as one line of NDJSON without a newline, with the fields sorted by name.
    package func line() -> String { JSONText.line(self) }
}

// MARK: Payloads

extension SessionEvent {
    /// Whether an alarm begins or ends.
    package enum AlarmState: String, Sendable, Codable, CaseIterable {
        case begins, ends
    }

    /// A level in dBFS; `null` in JSON for digital silence.
    package struct Level: Sendable, Equatable, Codable {
        /// The level; `nil` for digital silence.
        package let decibels: Double?

        package init(_ decibels: Double?) { self.decibels = decibels }

        /// Decodes a number or `null`.
        package init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            decibels = container.decodeNil() ? nil : try container.decode(Double.self)
        }

        /// Encodes the number, or `null`.
        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(decibels)
        }
    }

    /// The payload of `standby`.
    package struct Standby: Payload {
        package static let meaning =
            "The devices are running, and the session waits for the next recording. This event isn't stored in the file."

        package init() {}
    }

    /// The payload of `started`.
    package struct Started: Payload {
        package static let meaning = "The recording has started. This event follows T0 within 100 ms."

        /// Start time of the recording (T0) on `CLOCK_MONOTONIC`.
        package let t0_monotonic_ns: Int64
        /// Path of the session folder; `nil` if the session writes no files.
        package let folder: String?

        package init(t0_monotonic_ns: Int64, folder: String? = nil) {
            self.t0_monotonic_ns = t0_monotonic_ns
            self.folder = folder
        }
    }

    /// The payload of `reduced`.
    package struct Reduced: Payload {
        package static let meaning =
            "Frame rate or resolution was reduced before the start to meet the budget."

        /// Description of the reduction.
        package let step: String
        /// Why the reduction was necessary.
        package let reason: String
        /// Hardware cost before the reduction.
        package let before: Double
        /// Hardware cost after the reduction.
        package let after: Double

        package init(step: String, reason: String, before: Double, after: Double) {
            self.step = step
            self.reason = reason
            self.before = before
            self.after = after
        }
    }

    /// The payload of `mark`.
    package struct Mark: Payload {
        package static let meaning = "The user set a marker."

        /// The marker's name.
        package let text: String

        package init(text: String) {
            self.text = text
        }
    }

    /// The payload of `still`.
    package struct Still: Payload {
        package static let meaning = "A still was saved from the recording."

        /// Role of the camera.
        package let track: String
        /// Path of the still image.
        package let file: String
        /// Path of the video clip that was recorded just before and after the still image.
        package let clip: String?

        package init(track: String, file: String, clip: String? = nil) {
            self.track = track
            self.file = file
            self.clip = clip
        }
    }

    /// The payload of `split`.
    package struct Split: Payload {
        package static let meaning =
            "The recording continues in new files, because the user requested a split (`part`, `files`), the frame size of a camera whose stream is copied changed, or a track started."

        /// Number of the new part, if the user requested a split.
        package let part: Int64?
        /// Paths of the new files, if the user requested a split.
        package let files: [String]?
        /// Name of the track that continues in a new file.
        package let track: String?
        /// Path of the track's new file.
        package let file: String?
        /// New width of the frames in pixels.
        package let width: Int64?
        /// New height of the frames in pixels.
        package let height: Int64?
        /// Message for users; set if a new track starts.
        package let text: String?

        package init(
            part: Int64? = nil, files: [String]? = nil, track: String? = nil, file: String? = nil,
            width: Int64? = nil, height: Int64? = nil, text: String? = nil
        ) {
            self.part = part
            self.files = files
            self.track = track
            self.file = file
            self.width = width
            self.height = height
            self.text = text
        }
    }

    /// The payload of `change`.
    package struct Change: Payload {
        package static let meaning =
            "The user changed the program or the devices, or started a live output for which the size or frame rate of cameras had to be reduced. The other fields describe the new state. `arrangement`, as in [the manifest](manifest.md#arrangements), is present if the picture or the mix changed."

        /// Descriptions of the changes.
        package let changes: [String]
        /// A message for users.
        package let text: String
        /// Layout of the program.
        package let layout: ProgramLayout?
        /// Roles of the visible cameras, the main camera first.
        package let shown: [String]?
        /// Roles of the audible microphones.
        package let mix: [String]?
        /// Hardware cost of the plan after the change.
        package let cost: Double?
        /// Maximum hardware cost allowed by the profile.
        package let budget: Double?
        /// Reductions that were necessary to stay within the budget.
        package let reductions: [String]?
        /// Content and mix of the program.
        package let arrangement: Manifest.Arrangement?

        package init(
            changes: [String], text: String, layout: ProgramLayout? = nil, shown: [String]? = nil,
            mix: [String]? = nil, cost: Double? = nil, budget: Double? = nil, reductions: [String]? = nil,
            arrangement: Manifest.Arrangement? = nil
        ) {
            self.changes = changes
            self.text = text
            self.layout = layout
            self.shown = shown
            self.mix = mix
            self.cost = cost
            self.budget = budget
            self.reductions = reductions
            self.arrangement = arrangement
        }
    }

    /// The payload of `drop`.
    package struct Drop: Payload {
        package static let meaning =
            "Frames (`count`) or audio (`duration_ns`) are missing. `reason` is present if an encoder failed."

        /// Name of the track.
        package let track: String
        /// Cause of the loss.
        package let cause: String
        /// Number of lost frames.
        package let count: Int64?
        /// Length of the missing audio.
        package let duration_ns: Int64?
        /// Why an encoder failed.
        package let reason: String?
        /// A message for users.
        package let text: String?

        package init(
            track: String, cause: String, count: Int64? = nil, duration_ns: Int64? = nil,
            reason: String? = nil, text: String? = nil
        ) {
            self.track = track
            self.cause = cause
            self.count = count
            self.duration_ns = duration_ns
            self.reason = reason
            self.text = text
        }
    }

    /// The payload of `device-lost`.
    package struct DeviceLost: Payload {
        package static let meaning =
            "A device was unplugged, stopped delivering data, or reached the end of its file. The cause is `silent` if a camera stopped delivering frames without reporting a fault."

        /// Role of the device.
        package let track: String
        /// The cause of the outage.
        package let cause: String
        /// A message for users.
        package let text: String

        package init(track: String, cause: String, text: String) {
            self.track = track
            self.cause = cause
            self.text = text
        }
    }

    /// The payload of `device-restored`.
    package struct DeviceRestored: Payload {
        package static let meaning = "The device is delivering data again."

        /// Role of the device.
        package let track: String
        /// A message for users.
        package let text: String

        package init(track: String, text: String) {
            self.track = track
            self.text = text
        }
    }

    /// The payload of `orientation`.
    package struct Orientation: Payload {
        package static let meaning =
            "A camera with `rotation: sensor` was rotated with the computer, or the computer's orientation became unknown."

        /// Role of the camera; `nil` if the orientation became unknown.
        package let track: String?
        /// Clockwise rotation in degrees that makes the camera's frames upright; `nil` if the orientation became unknown.
        package let degrees: Int64?
        /// A message for users.
        package let text: String

        package init(track: String? = nil, degrees: Int64? = nil, text: String) {
            self.track = track
            self.degrees = degrees
            self.text = text
        }
    }

    /// The payload of `clock`.
    package struct Clock: Payload {
        package static let meaning =
            "The clock model of a device became reliable (`locked`), became unreliable (`lost`), or was reset (`restarted`). `moved_us` and `restarts` are present after a reset."

        /// State of a clock model.
        package enum State: String, Sendable, Codable, CaseIterable {
            /// The clock model is reliable.
            case locked
            /// The clock model has been unreliable for some time.
            case lost
            /// The clock model started a new regression line because the device was unavailable, its clock
            /// jumped, or its rate changed. The model is locked again when the new regression line is
            /// reliable.
            case restarted
        }

        /// Role of the device.
        package let track: String
        /// The new state of the clock model.
        package let state: State
        /// Rate error of the device in parts per million; positive if the device is fast.
        package let ppm: Double
        /// Standard error of the clock model in microseconds.
        package let residual_us: Double
        /// Shift of the clock model's times, in microseconds.
        package let moved_us: Double?
        /// Number of restarts of the clock model since the previous event.
        package let restarts: Int64?

        package init(
            track: String, state: State, ppm: Double, residual_us: Double, moved_us: Double? = nil,
            restarts: Int64? = nil
        ) {
            self.track = track
            self.state = state
            self.ppm = ppm
            self.residual_us = residual_us
            self.moved_us = moved_us
            self.restarts = restarts
        }
    }

    /// The payload of `governor`.
    package struct Governor: Payload {
        package static let meaning = "The governor lowered quality, restored it, or ended the recording."

        /// Direction of a step.
        package enum Direction: String, Sendable, Codable, CaseIterable {
            case down, up
        }

        /// Description of the governor's step.
        package let step: String
        /// Why the step was necessary.
        package let reason: String
        /// Whether quality was lowered or restored.
        package let direction: Direction
        /// A message for users.
        package let text: String

        package init(step: String, reason: String, direction: Direction, text: String) {
            self.step = step
            self.reason = reason
            self.direction = direction
            self.text = text
        }
    }

    /// The payload of `pressure`.
    package struct Pressure: Payload {
        package static let meaning =
            "The level of system pressure changed. `text` is present from `serious` upward."

        /// One factor of the system pressure.
        package struct Factor: Sendable, Equatable, Codable {
            /// The name of the factor.
            package let what: String
            /// The pressure level of the factor.
            package let level: PressureLevel
            /// A message for users.
            package let text: String

            package init(what: String, level: PressureLevel, text: String) {
                self.what = what
                self.level = level
                self.text = text
            }
        }

        /// The new level of system pressure.
        package let level: PressureLevel
        /// The previous level of system pressure.
        package let was: PressureLevel
        /// Numeric value of the system pressure.
        package let cost: Double
        /// The factors, starting with the worst.
        package let factors: [Factor]
        /// A message for users.
        package let text: String?

        package init(
            level: PressureLevel, was: PressureLevel, cost: Double, factors: [Factor], text: String? = nil
        ) {
            self.level = level
            self.was = was
            self.cost = cost
            self.factors = factors
            self.text = text
        }
    }

    /// The payload of `silence`.
    package struct Silence: Payload {
        package static let meaning =
            "A microphone became silent or audible again, or its signal was lost or restored."

        /// Role of the microphone.
        package let track: String
        /// The kind of alarm.
        package let alarm: AudioAlarm.Kind
        /// Whether the alarm begins or ends.
        package let state: AlarmState
        /// Peak level in dBFS; `null` for digital silence.
        package let level_dbfs: Level
        /// Duration of the silence in seconds.
        package let seconds: Double
        /// A message for users.
        package let text: String

        package init(
            track: String, alarm: AudioAlarm.Kind, state: AlarmState, level_dbfs: Level, seconds: Double,
            text: String
        ) {
            self.track = track
            self.alarm = alarm
            self.state = state
            self.level_dbfs = level_dbfs
            self.seconds = seconds
            self.text = text
        }
    }

    /// The payload of `clipping`.
    package struct Clipping: Payload {
        package static let meaning = "A microphone started or stopped clipping."

        /// Role of the microphone.
        package let track: String
        /// The kind of alarm.
        package let alarm: AudioAlarm.Kind
        /// Whether the alarm begins or ends.
        package let state: AlarmState
        /// Peak level in dBFS.
        package let level_dbfs: Level
        /// A message for users.
        package let text: String

        package init(
            track: String, alarm: AudioAlarm.Kind, state: AlarmState, level_dbfs: Level, text: String
        ) {
            self.track = track
            self.alarm = alarm
            self.state = state
            self.level_dbfs = level_dbfs
            self.text = text
        }
    }

    /// The payload of `face-appeared`.
    package struct FaceAppeared: Payload {
        package static let meaning =
            "A face was found in the frames of a camera. `at_ns` is the capture time, and `box` is the place of the face in the upright frame. Another process finds faces, so the event follows its time by a fraction of a second."

        /// Role of the camera.
        package let track: String
        /// Number of the face in the session, which doesn't change while the person is visible.
        package let face: Int64
        /// Place of the face, as fractions of the upright frame.
        package let box: FramePart
        /// Confidence of the detector, 0…1.
        package let confidence: Double

        package init(track: String, face: Int64, box: FramePart, confidence: Double) {
            (self.track, self.face, self.box, self.confidence) = (track, face, box, confidence)
        }
    }

    /// The payload of `face-lost`.
    package struct FaceLost: Payload {
        package static let meaning =
            "A face hasn't been found for several seconds. `at_ns` is the capture time of the last frame that showed it."

        /// Role of the camera.
        package let track: String
        /// Number of the face in the session.
        package let face: Int64

        package init(track: String, face: Int64) { (self.track, self.face) = (track, face) }
    }

    /// The payload of `code`.
    package struct Code: Payload {
        package static let meaning =
            "A QR code or bar code was read. The event repeats only after the code wasn't visible for 10 s. Control characters in `payload` are replaced. Don't act on a payload without asking the user: anyone can hold a code in front of a camera."

        /// Role of the camera.
        package let track: String
        /// The symbology of the code.
        package let kind: DetectedCode.Kind
        /// The content of the code.
        package let payload: String
        /// Place of the code, as fractions of the upright frame.
        package let box: FramePart

        package init(track: String, kind: DetectedCode.Kind, payload: String, box: FramePart) {
            (self.track, self.kind, self.payload, self.box) = (track, kind, payload, box)
        }
    }

    /// The payload of `framing`.
    package struct Framing: Payload {
        package static let meaning =
            "Automatic framing moves the visible part of a camera in the program. `motion` is as in [the manifest](manifest.md#arrangements)."

        /// Role of the camera.
        package let track: String
        /// The motion of the camera's layer, relative to T0.
        package let motion: FramingMotion

        package init(track: String, motion: FramingMotion) { (self.track, self.motion) = (track, motion) }
    }

    /// The payload of `encoder`.
    package struct EncoderChange: Payload {
        package static let meaning =
            "A stream continues with another encoder (`to`), or ends because no encoder is left (`ended_ns`)."

        /// Name of the track.
        package let track: String
        /// Why the encoder failed.
        package let reason: String
        /// A message for users.
        package let text: String
        /// Name of the failed encoder.
        package let from: String?
        /// Device node of the failed encoder.
        package let device: String?
        /// Name of the encoder that replaces the failed encoder.
        package let to: String?
        /// Number of frames lost in the failed encoder.
        package let lost: Int64?
        /// End of the stream, in nanoseconds since T0.
        package let ended_ns: Int64?

        package init(
            track: String, reason: String, text: String, from: String? = nil, device: String? = nil,
            to: String? = nil, lost: Int64? = nil, ended_ns: Int64? = nil
        ) {
            self.track = track
            self.reason = reason
            self.text = text
            self.from = from
            self.device = device
            self.to = to
            self.lost = lost
            self.ended_ns = ended_ns
        }
    }

    /// The payload of `live-output`.
    package struct LiveOutput: Payload {
        package static let meaning =
            "The state of a live output changed, or the reason for its state changed. At T0, one event is written for each running live output. The counts start when the output starts. `text` is present if there is a problem."

        /// Name of the live output.
        package let name: String
        /// Kind of live output.
        package let kind: String
        /// The state of the live output.
        package let state: LiveOutputStatus.State
        /// Number of sent frames.
        package let sent_frames: Int64
        /// Number of dropped frames.
        package let dropped_frames: Int64
        /// A message for users.
        package let text: String?

        package init(
            name: String, kind: String, state: LiveOutputStatus.State, sent_frames: Int64,
            dropped_frames: Int64, text: String? = nil
        ) {
            self.name = name
            self.kind = kind
            self.state = state
            self.sent_frames = sent_frames
            self.dropped_frames = dropped_frames
            self.text = text
        }
    }

    /// The payload of `warning`.
    package struct Warning: Payload {
        package static let meaning = "A problem without a specific event type."

        /// A message for users.
        package let text: String
        /// Name of the affected track.
        package let track: String?
        /// Path of the affected file.
        package let file: String?
        /// Number of frames or samples that have been lost so far because of a slow disk.
        package let left_out: Int64?
        /// Minutes until the disk is full.
        package let disk_minutes: Int64?
        /// Free space on the disk, in bytes.
        package let free_bytes: Int64?
        /// Cause of the loss if an audio stream ended, or reason for the last disconnection if a device disconnects
        /// repeatedly.
        package let cause: String?
        /// Why an encoder failed.
        package let reason: String?

        package init(
            text: String, track: String? = nil, file: String? = nil, left_out: Int64? = nil,
            disk_minutes: Int64? = nil, free_bytes: Int64? = nil, cause: String? = nil, reason: String? = nil
        ) {
            self.text = text
            self.track = track
            self.file = file
            self.left_out = left_out
            self.disk_minutes = disk_minutes
            self.free_bytes = free_bytes
            self.cause = cause
            self.reason = reason
        }
    }

    /// The payload of `paused`.
    package struct Paused: Payload {
        package static let meaning =
            "System pressure ended the recording, and `--resume` waits for recovery. This event is printed only to standard output."

        /// Path of the session folder.
        package let folder: String
        /// A message for users.
        package let text: String

        package init(folder: String, text: String) {
            self.folder = folder
            self.text = text
        }
    }

    /// The payload of `finished`.
    package struct Finished: Payload {
        package static let meaning =
            "The last line of a recording. `folder` and `exit`, the exit status, are present only on standard output."

        /// The outcome of the recording.
        package let outcome: Manifest.Outcome
        /// The verdict on the recording.
        package let verdict: String
        /// Path of the session folder.
        package let folder: String?
        /// The exit status of the program.
        package let exit: Int64?

        package init(outcome: Manifest.Outcome, verdict: String, folder: String? = nil, exit: Int64? = nil) {
            self.outcome = outcome
            self.verdict = verdict
            self.folder = folder
            self.exit = exit
        }
    }

    /// The payload of `recovered`.
    package struct Recovered: Payload {
        package static let meaning = "`multicam recover` completed the recording."

        /// A track that was recovered.
        package struct Track: Sendable, Equatable, Codable {
            /// Name of the track.
            package let track: String
            /// Description of what was recovered.
            package let text: String

            package init(track: String, text: String) {
                self.track = track
                self.text = text
            }
        }

        /// The tracks that were recovered.
        package let tracks: [Track]

        package init(tracks: [Track]) {
            self.tracks = tracks
        }
    }
}

extension SessionEvent {
    /// Creates the event for a change of the system pressure level. If the old or the new level is `serious`
    /// or above, the event includes a human-readable sentence.
    package init(_ pressure: SystemPressure, was: PressureLevel, at time: MediaTime) {
        let factors = pressure.factors.map {
            Pressure.Factor(what: $0.cause.rawValue, level: $0.level, text: $0.text)
        }
        self.init(
            .pressure(
                Pressure(
                    level: pressure.level, was: was, cost: (pressure.cost.value * 100).rounded() / 100,
                    factors: factors, text: max(pressure.level, was) >= .serious ? pressure.text : nil)),
            at: time)
    }

    /// Creates the event at T0 that reports a plan reduction made before the start.
    package init(reduced step: ReductionStep) {
        self.init(
            .reduced(
                Reduced(
                    step: step.step, reason: step.reason,
                    before: Manifest.Cost.rounded(step.before.total),
                    after: Manifest.Cost.rounded(step.after.total))),
            at: .zero)
    }

    /// Creates a warning event.
    ///
    /// - Parameters:
    ///   - text: The warning, as a sentence for users.
    ///   - time: Time of the warning since T0.
    ///   - track: Name of the affected track.
    package init(warning text: String, at time: MediaTime, track: String? = nil) {
        self.init(.warning(Warning(text: text, track: track)), at: time)
    }
}

extension SessionEvent {
    /// A message for users if the event reports a problem or the end of a problem; `nil` for all other events.
    public var message: String? {
        switch content {
        case .warning(let event): event.text
        case .orientation(let event): event.text
        case .silence(let event): event.text
        case .clipping(let event): event.text
        case .deviceLost(let event): event.text
        case .deviceRestored(let event): event.text
        case .pressure(let event): event.text
        case .governor(let event): event.text
        case .encoder(let event): event.text
        case .drop(let event): event.text
        case .liveOutput(let event): event.state == .connecting ? nil : event.text
        default: nil
        }
    }
}
