public import Media
internal import Monitoring
public import Plan
public import Timing

/// The content of `manifest.json`: devices, tracks, files, losses and cost of one recording. Programs rely on it.
///
/// Property names are those of the JSON fields. File paths are relative to the session folder, and times are nanoseconds since
/// T0, the session's first instant, unless a property says otherwise. `docs/manifest.schema.json` is the JSON Schema.
public struct Manifest: Sendable, Equatable, Codable {
    /// Largest `manifest.json` in bytes that is read. A hundred thousand gaps and marks take some 10 MB.
    public static let largestByteCount = 256 << 20

    /// How far a recording got.
    public enum Outcome: String, Sendable, Codable {
        /// The recording still runs, or a crash or power cut interrupted it.
        case recording
        case finished
        /// A file could not be written or finished as intended; everything that was written is kept.
        case storageFailed = "storage-failed"
        /// The recording was interrupted, and a recovery completed it.
        case recovered
    }

    /// A camera or a microphone of the recording, with the state of its clock.
    public struct Device: Sendable, Equatable, Codable {
        /// Role of the device in the profile, for example `desk`.
        public var role: String
        /// `camera` or `microphone`.
        public var kind: String
        /// Stable identity of the device: USB port, product and serial number.
        public var identity: String
        /// Device name as people know it.
        public var name: String
        /// Format in which the device delivered frames or audio.
        public var format: Format
        /// Latency subtracted from each time stamp of a camera, in nanoseconds; `nil` for microphones.
        public var latency_ns: Int64?
        /// Where `latency_ns` comes from: the profile, a calibration, or nowhere. `nil` for microphones.
        public var latency_source: CorrectionSource?
        /// Offset added to each time stamp of a microphone, in nanoseconds; `nil` for cameras.
        public var offset_ns: Int64?
        /// Where `offset_ns` comes from: the profile, a calibration, or nowhere. `nil` for cameras.
        public var offset_source: CorrectionSource?
        /// Echo and noise that the sound server removed for the program, not for the own track; `nil` for cameras.
        public var voice: VoiceSettings? = nil
        /// Model of the device's clock against the session clock, as it was last.
        public var clock: Clock
        /// File with one line of JSON per frame of this camera; `nil` where none is written.
        public var metadata: String?
        /// Controls that were set on this camera, with the values read back when they were last set; `nil` where none was set.
        public var controls: [Control]? = nil

        package init(
            role: String, kind: String, identity: String, name: String, format: Format,
            latency_ns: Int64? = nil, latency_source: CorrectionSource? = nil, offset_ns: Int64? = nil,
            offset_source: CorrectionSource? = nil, voice: VoiceSettings? = nil, clock: Clock,
            metadata: String? = nil, controls: [Control]? = nil
        ) {
            self.role = role
            self.kind = kind
            self.identity = identity
            self.name = name
            self.format = format
            self.latency_ns = latency_ns
            self.latency_source = latency_source
            self.offset_ns = offset_ns
            self.offset_source = offset_source
            self.voice = voice
            self.clock = clock
            self.metadata = metadata
            self.controls = controls
        }
    }

    /// A control that was set on a camera.
    public struct Control: Sendable, Equatable, Codable {
        /// Name of the control.
        public var name: String
        /// Value that was requested.
        public var asked: Int64
        /// Value that was read back from the camera; `nil` where it could not be read.
        public var value: Int64?
        /// Who requested the value: a person, a saved preset, the rate lock, or matching with another camera.
        public var origin: ControlRequest.Origin
        /// Why the camera did not take the value; `nil` where it did.
        public var refused: String?

        package init(
            name: String, asked: Int64, value: Int64? = nil, origin: ControlRequest.Origin,
            refused: String? = nil
        ) {
            self.name = name
            self.asked = asked
            self.value = value
            self.origin = origin
            self.refused = refused
        }
    }

    /// Format of a device. A camera has `pixel`, `width`, `height` and `rate`; a microphone has `channels` and `rate`.
    public struct Format: Sendable, Equatable, Codable {
        /// Pixel format of a camera, for example `mjpeg`; `nil` for microphones.
        public var pixel: String?
        /// Width of the camera's frames in pixels; `nil` for microphones.
        public var width: Int?
        /// Height of the camera's frames in pixels; `nil` for microphones.
        public var height: Int?
        /// Number of a microphone's channels; `nil` for cameras.
        public var channels: Int?
        /// Frames per second of a camera, or samples per second of a microphone.
        public var rate: Double

        package init(
            pixel: String? = nil, width: Int? = nil, height: Int? = nil, channels: Int? = nil, rate: Double
        ) {
            self.pixel = pixel
            self.width = width
            self.height = height
            self.channels = channels
            self.rate = rate
        }
    }

    /// State of a device's clock model when the manifest was written.
    public struct Clock: Sendable, Equatable, Codable {
        /// Error of the device's rate in parts per million, positive when it runs fast against its nominal rate.
        public var ppm: Double
        /// Typical distance of one time stamp from the clock's line (root mean square), in microseconds.
        public var jitter_us: Double
        /// Standard error of the clock's line at its newest end, in microseconds: how well the clock is known.
        public var residual_us: Double
        /// Whether the model was reliable in the end: its residual was below 1 ms, and the last time stamps lay about its line.
        public var locked: Bool
        /// How often the model began anew, as after a jump of the device's clock.
        public var restarts: Int
        /// Number of time stamps that were not after their predecessor, including impossible ones that the model never saw.
        public var non_monotonic: Int
    }

    /// A track: the recording of one camera, of one microphone or of the program.
    public struct Track: Sendable, Equatable, Codable {
        /// Name of the track: a role, a role with a number such as `desk.2`, or `program`.
        public var name: String
        /// Role of the device where the track has another name, such as `desk.2`; `nil` where both are the same.
        public var role: String? = nil
        /// `camera`, `microphone` or `program`.
        public var kind: String
        /// First file of the track, relative to the session folder.
        public var file: String
        /// Index of the track's stream in its file, from 0.
        public var stream: Int
        /// Codec of the track: `h264`, `mjpeg`, `aac` or `pcm_s24le`.
        public var codec: String
        /// Encoder of the frames; `nil` for copied frames and for audio.
        public var encoder: Encoder? = nil
        /// Width of the frames in pixels; `nil` for audio.
        public var width: Int?
        /// Height of the frames in pixels; `nil` for audio.
        public var height: Int?
        /// Frames per second; `nil` for audio.
        public var rate: Double?
        /// Degrees clockwise by which a player turns the stored frames so that they are upright; `nil` for audio.
        public var rotation: Int?
        /// Part of the camera's stored frames that an encoded track shows, in their pixels; `nil` where it shows all of them.
        public var crop: PixelRectangle? = nil
        /// Color matrix and range of the frames; `nil` for audio.
        public var color: Color?
        /// Number of audio channels; `nil` where the track has no audio.
        public var channels: Int?
        /// Start in nanoseconds since T0; below 0 where a copied H.264 track begins with an earlier key frame.
        public var first_ns: Int64
        /// Length of the track in nanoseconds, from T0 or from `first_ns`, whichever is later.
        public var duration_ns: Int64
        /// End in nanoseconds since T0; `nil` unless a person ended the track early or no encoder continued it.
        public var ended_ns: Int64? = nil
        /// End of the audio in nanoseconds since T0; `nil` unless its encoders failed. A program's frames continue.
        public var sound_ended_ns: Int64? = nil
        /// `false` for a copied H.264 track, whose frames keep their own capture times and are never repeated; otherwise `nil`.
        public var grid: Bool?
        /// Counts of the track's frames; `nil` for microphones.
        public var frames: Frames?
        /// Counts of the track's samples; `nil` for frames.
        public var samples: Samples?
        /// Loudness of a microphone or of the program's mix; `nil` where the file lacks some of the audio.
        public var loudness: Loudness? = nil
        /// Files after the first, relative to the session folder; `nil` where the track was not split.
        public var parts: [String]?
        /// Start and frame size of each file in `parts`, in the same order.
        public var part_details: [Part]?
        /// Why the track ended before the recording did, as a sentence; `nil` where it did not.
        public var failure: String?

        package init(
            name: String, role: String? = nil, kind: String, file: String, stream: Int, codec: String,
            encoder: Encoder? = nil, width: Int? = nil, height: Int? = nil, rate: Double? = nil,
            rotation: Int? = nil, crop: PixelRectangle? = nil, color: Color? = nil, channels: Int? = nil,
            first_ns: Int64, duration_ns: Int64, ended_ns: Int64? = nil, sound_ended_ns: Int64? = nil,
            grid: Bool? = nil, frames: Frames? = nil, samples: Samples? = nil, loudness: Loudness? = nil,
            parts: [String]? = nil, part_details: [Part]? = nil, failure: String? = nil
        ) {
            self.name = name
            self.role = role
            self.kind = kind
            self.file = file
            self.stream = stream
            self.codec = codec
            self.encoder = encoder
            self.width = width
            self.height = height
            self.rate = rate
            self.rotation = rotation
            self.crop = crop
            self.color = color
            self.channels = channels
            self.first_ns = first_ns
            self.duration_ns = duration_ns
            self.ended_ns = ended_ns
            self.sound_ended_ns = sound_ended_ns
            self.grid = grid
            self.frames = frames
            self.samples = samples
            self.loudness = loudness
            self.parts = parts
            self.part_details = part_details
            self.failure = failure
        }
    }

    /// The encoder of a track's frames.
    public struct Encoder: Sendable, Equatable, Codable {
        /// Name in libavcodec of the encoder that began the track; it encoded all frames unless `until_ns` is set.
        public var name: String
        /// Device node of a hardware encoder; `nil` for an encoder in software.
        public var device: String?
        /// Time in nanoseconds since T0 at which x264 took over from failed hardware, 0 for the whole track; else `nil`.
        public var until_ns: Int64?
        /// Why x264 took over; `nil` where it did not.
        public var reason: String?

        package init(name: String, device: String? = nil, until_ns: Int64? = nil, reason: String? = nil) {
            self.name = name
            self.device = device
            self.until_ns = until_ns
            self.reason = reason
        }
    }

    /// The other folder of a recording with a safety copy: from the recording the copy, from the copy the recording.
    public struct OtherFolder: Sendable, Equatable, Codable {
        /// Path of the other folder.
        public var folder: String
        /// How far the recording got in that folder.
        public var outcome: Outcome

        package init(folder: String, outcome: Outcome) {
            self.folder = folder
            self.outcome = outcome
        }
    }

    /// A file that continues a track after its first file.
    public struct Part: Sendable, Equatable, Codable {
        /// Path of the file, relative to the session folder.
        public var file: String
        /// Time 0 of the file, in nanoseconds since T0.
        public var first_ns: Int64
        /// Width of this file's frames in pixels. It differs from the track's where the governor changed a copied camera's size.
        public var width: Int?
        /// Height of this file's frames in pixels; it may differ from the track's in the same way as `width`.
        public var height: Int?

        package init(file: String, first_ns: Int64, width: Int? = nil, height: Int? = nil) {
            self.file = file
            self.first_ns = first_ns
            self.width = width
            self.height = height
        }
    }

    /// A media file as it was when it was closed and read again.
    public struct File: Sendable, Equatable, Codable {
        /// Path of the file, relative to the session folder.
        public var file: String
        /// Size of the file in bytes.
        public var bytes: Int64
        /// XXH3-128 of the bytes from `hashed_from` on, then of those before: 32 hex digits; `nil` if the file was not finished.
        public var xxh3_128: String?
        /// Offset in bytes at which the checksum begins; `nil` for a file that could not be finished.
        public var hashed_from: Int64?
        /// Whether the file, read again, was as it had been written.
        public var verified: Bool
        /// Fault of the file, as a sentence; `nil` when nothing is wrong with it.
        public var fault: String?

        package init(
            file: String, bytes: Int64, xxh3_128: String? = nil, hashed_from: Int64? = nil, verified: Bool,
            fault: String? = nil
        ) {
            self.file = file
            self.bytes = bytes
            self.xxh3_128 = xxh3_128
            self.hashed_from = hashed_from
            self.verified = verified
            self.fault = fault
        }
    }

    /// How the numbers of a track's frames stand for colors.
    public struct Color: Sendable, Equatable, Codable {
        /// Matrix between RGB and YCbCr, for example `bt709`.
        public var matrix: String
        /// Range of the samples, for example `limited`.
        public var range: String

        package init(matrix: String, range: String) {
            self.matrix = matrix
            self.range = range
        }
    }

    /// Ledger of a track's frames: `written` is `captured` − `skipped` + `repeated` + `slate`.
    public struct Frames: Sendable, Equatable, Codable {
        /// Frames in the track's files.
        public var written: Int
        /// Good frames that the device delivered from T0 on.
        public var captured: Int
        /// Good frames that have no tick in the track, because the camera is faster than the track.
        public var skipped: Int
        /// Ticks that show the previous frame again, because the camera is slower than the track or a frame was lost.
        public var repeated: Int
        /// Ticks that show a slate, a card with the camera's name.
        public var slate: Int
        /// Lost frames by cause, in the words of `LossCause`; causes without a frame are left out.
        public var lost: [String: Int]
    }

    /// Ledger of a track's samples per channel at 48 kHz: `written` is `captured` + `filled`.
    public struct Samples: Sendable, Equatable, Codable {
        /// Samples per channel in the track's files.
        public var written: Int64
        /// Samples per channel that the microphone delivered.
        public var captured: Int64
        /// Samples per channel that were filled with silence because nothing was captured.
        public var filled: Int64
        /// Samples of all channels at the device's rate in runs of three or more at full scale; `nil` where not known.
        public var clipped: Int64? = nil

        package init(written: Int64, captured: Int64, filled: Int64, clipped: Int64? = nil) {
            self.written = written
            self.captured = captured
            self.filled = filled
            self.clipped = clipped
        }
    }

    /// The computer that recorded.
    public struct Machine: Sendable, Equatable, Codable {
        /// Host name.
        public var host: String
        /// Name and version of the operating system.
        public var system: String
        /// Number of processors.
        public var processors: Int

        package init(host: String, system: String, processors: Int) {
            self.host = host
            self.system = system
            self.processors = processors
        }
    }

    /// Predicted need of machine resources, and what the recording took; times and memory are `nil` in simulated time.
    public struct Cost: Sendable, Equatable, Codable {
        /// Predicted use of the scarcest resource by the plan that ran: 1 is all of it. `nil` where no cost was computed.
        public var hardware: Double?
        /// Predicted use of each resource, the scarcest first; `nil` where no cost was computed.
        public var terms: [CostTerm]?
        /// Figures that the prediction did not know, one sentence each; `nil` where no cost was computed.
        public var unknown: [String]?
        /// Reductions of the plan before the start, in order; `nil` where no cost was computed.
        public var reductions: [Reduction]?
        /// Processor time of the process in nanoseconds, without the threads that stand in for hardware.
        public var cpu_ns: Int64?
        /// Most memory that the process held at once, in bytes (`ru_maxrss` of getrusage(2)).
        public var peak_memory_bytes: Int64?
        /// System pressure during the recording; `nil` where it was not watched.
        public var pressure: Pressure?

        package init(
            hardware: Double? = nil, terms: [CostTerm]? = nil, unknown: [String]? = nil,
            reductions: [Reduction]? = nil, cpu_ns: Int64? = nil, peak_memory_bytes: Int64? = nil,
            pressure: Pressure? = nil
        ) {
            self.hardware = hardware
            self.terms = terms
            self.unknown = unknown
            self.reductions = reductions
            self.cpu_ns = cpu_ns
            self.peak_memory_bytes = peak_memory_bytes
            self.pressure = pressure
        }
    }

    /// Predicted use of one resource.
    public struct CostTerm: Sendable, Equatable, Codable {
        /// Name of the resource.
        public var resource: String
        /// Share of the resource that the plan uses: 1 is all of it.
        public var used: Double
        /// How the share comes about, for people.
        public var explanation: String
        /// Shares of the program and of each role.
        public var parts: [CostPart]
    }

    /// Share of one resource that the program or one role uses.
    public struct CostPart: Sendable, Equatable, Codable {
        /// `program`, or the role.
        public var owner: String
        /// Share of the resource: 1 is all of it.
        public var used: Double
    }

    /// A reduction of the plan before the start.
    public struct Reduction: Sendable, Equatable, Codable {
        /// The reduction in words, for example `face size 1280x720 → 960x540`.
        public var step: String
        /// Why this step was taken, as a sentence.
        public var reason: String
        /// Hardware cost before the reduction: 1 is all of the scarcest resource.
        public var before: Double
        /// Hardware cost after the reduction: 1 is all of the scarcest resource.
        public var after: Double
    }

    /// An instant that a person marked while recording.
    public struct Mark: Sendable, Equatable, Codable {
        /// Time of the mark in nanoseconds since T0.
        public var at_ns: Int64
        /// Words of the person; they may be empty.
        public var text: String

        package init(at_ns: Int64, text: String) {
            self.at_ns = at_ns
            self.text = text
        }
    }

    /// The work of a recovery on an interrupted recording.
    public struct Recovery: Sendable, Equatable, Codable {
        /// Version of multicam that recovered the recording.
        public var multicam: String
        /// The end of each track after the recovery.
        public var tracks: [RecoveredTrack]
    }

    /// The end of a track after a recovery: what was cut and what was filled.
    public struct RecoveredTrack: Sendable, Equatable, Codable {
        /// Name of the track.
        public var track: String
        /// Length in nanoseconds that the track had on the disk after the common end. It stays in the file and is not shown.
        public var cut_ns: Int64
        /// Length in nanoseconds that was missing before the common end: filled with the last frame, or with silence.
        public var filled_ns: Int64
        /// The losses, as a sentence for people.
        public var text: String

        /// Creates the entry of a track; lengths are in nanoseconds, and `text` is a sentence for people.
        public init(track: String, cut_ns: Int64, filled_ns: Int64, text: String) {
            self.track = track
            self.cut_ns = cut_ns
            self.filled_ns = filled_ns
            self.text = text
        }
    }

    /// A step of the governor, which lowers quality while the machine is too slow and takes that back later.
    public struct GovernorStep: Sendable, Equatable, Codable {
        /// Time of the step in nanoseconds since T0.
        public var at_ns: Int64
        /// Measure that the governor took or took back.
        public var step: String
        /// Why the governor did it.
        public var reason: String

        package init(at_ns: Int64, step: String, reason: String) {
            self.at_ns = at_ns
            self.step = step
            self.reason = reason
        }
    }

    /// Version of this format.
    public var schema = 1
    /// Version of multicam that wrote the manifest.
    public var multicam: String
    /// Name of the profile.
    public var profile: String
    /// Wall clock at T0: ISO 8601 with nanoseconds and the zone.
    public var started: String
    /// T0 on `CLOCK_MONOTONIC` of the computer that recorded, in nanoseconds.
    public var t0_monotonic_ns: Int64
    /// Length of the recording in nanoseconds.
    public var duration_ns: Int64
    /// How long after an instant the session decided what its tick shows, in nanoseconds; constant for a recording.
    public var alignment_delay_ns: Int64
    /// How far the recording got.
    public var outcome: Outcome
    /// Why system pressure or a full disk ended the recording early; `nil` where neither did.
    public var ended_by: String?
    /// The safety copy of this recording, or the recording of this safety copy; `nil` where there is no safety copy.
    public var other_folder: OtherFolder?
    /// The computer that recorded.
    public var machine: Machine
    /// Losses that the profile allowed; `nil` where it set no limit.
    public var limits: Limits? = nil
    /// Cameras and microphones of the recording.
    public var devices: [Device]
    /// Tracks of cameras, microphones and the program.
    public var tracks: [Track]
    /// Every media file with its checksum; `nil` while the recording runs.
    public var files: [File]?
    /// Predicted and measured cost of the recording.
    public var cost: Cost?
    /// Steps of the governor.
    public var governor: [GovernorStep]
    /// Marks that people set.
    public var marks: [Mark]
    /// Changes that people made to the program during the recording; `nil` where they made none.
    public var changes: [Change]? = nil
    /// Stills taken out of the recording; `nil` where none was taken.
    public var stills: [Still]? = nil
    /// Stretches of tracks for which no frame or sample was captured, with their causes.
    public var gaps: [Gap]
    /// The work of a recovery; `nil` where the recording was not recovered.
    public var recovery: Recovery?

    package init(
        schema: Int = 1, multicam: String, profile: String, started: String, t0_monotonic_ns: Int64,
        duration_ns: Int64, alignment_delay_ns: Int64, outcome: Outcome, ended_by: String? = nil,
        other_folder: OtherFolder? = nil, machine: Machine, limits: Limits? = nil, devices: [Device],
        tracks: [Track], files: [File]? = nil, cost: Cost? = nil, governor: [GovernorStep], marks: [Mark],
        changes: [Change]? = nil, stills: [Still]? = nil, gaps: [Gap], recovery: Recovery? = nil
    ) {
        self.schema = schema
        self.multicam = multicam
        self.profile = profile
        self.started = started
        self.t0_monotonic_ns = t0_monotonic_ns
        self.duration_ns = duration_ns
        self.alignment_delay_ns = alignment_delay_ns
        self.outcome = outcome
        self.ended_by = ended_by
        self.other_folder = other_folder
        self.machine = machine
        self.limits = limits
        self.devices = devices
        self.tracks = tracks
        self.files = files
        self.cost = cost
        self.governor = governor
        self.marks = marks
        self.changes = changes
        self.stills = stills
        self.gaps = gaps
        self.recovery = recovery
    }
}

extension Manifest.Clock {
    /// Takes a clock model, rounded to 0.01 ppm and 0.1 µs; it never saw the `corrected`, impossible time stamps.
    package init(_ model: DeviceClock, corrected: Int = 0) {
        ppm = Self.rounded(model.partsPerMillion, 100)
        jitter_us = Self.rounded(Double(model.jitter.count) / 1000, 10)
        residual_us = Self.rounded(Double(model.residual.count) / 1000, 10)
        locked = model.isLocked
        restarts = model.restarts
        non_monotonic = model.nonMonotonic + corrected
    }

    /// Rounds `value` to a whole number of `parts` per unit; adding 0 turns −0 into 0.
    package static func rounded(_ value: Double, _ parts: Double) -> Double {
        (value * parts).rounded() / parts + 0
    }
}

extension Manifest.Frames {
    /// Takes the counts of a track's ledger.
    package init(_ counts: FrameCounts) {
        written = counts.written
        captured = counts.captured
        skipped = counts.skipped
        repeated = counts.repeated
        slate = counts.slate
        lost = Dictionary(uniqueKeysWithValues: counts.lost.map { ($0.key.rawValue, $0.value) })
    }
}
