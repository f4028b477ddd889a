public import Media
internal import Monitoring
public import Plan
public import Timing

/// What `manifest.json` says of a recording: the part of a session folder that programs rely on.
///
/// Paths are relative to the folder, times are nanoseconds since T0. `docs/manifest.schema.json` is its JSON Schema.
public struct Manifest: Sendable, Equatable, Codable {
    /// What is longer is none: a manifest grows with gaps and marks, of which a hundred thousand have some 10 MB.
    public static let largestByteCount = 256 << 20

    public enum Outcome: String, Sendable, Codable {
        case recording
        case finished
        case storageFailed = "storage-failed"
        case recovered
    }

    public struct Device: Sendable, Equatable, Codable {
        public var role: String
        public var kind: String
        public var identity: String
        public var name: String
        public var format: Format
        /// Of a camera: taken off each of its time stamps, and who said so.
        public var latency_ns: Int64?
        public var latency_source: CorrectionSource?
        /// Of a microphone: added to each of its time stamps, and who said so.
        public var offset_ns: Int64?
        public var offset_source: CorrectionSource?
        /// Of a microphone: what the sound server took out of it for the program, which its own track keeps.
        public var voice: VoiceSettings? = nil
        public var clock: Clock
        /// A camera's file of what is known of each frame, a line each.
        public var metadata: String?
        /// Of a camera: the controls that it is to have, with what was read back when they were set last.
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

    /// A camera's control that was set.
    public struct Control: Sendable, Equatable, Codable {
        public var name: String
        /// What it was to be.
        public var asked: Int64
        /// What was read back; left out where it could not be.
        public var value: Int64?
        public var origin: ControlRequest.Origin
        /// Why the camera did not take it.
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

    /// A camera has `pixel`, `width`, `height` and `rate`; a microphone `channels` and `rate`.
    public struct Format: Sendable, Equatable, Codable {
        public var pixel: String?
        public var width: Int?
        public var height: Int?
        public var channels: Int?
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

    public struct Clock: Sendable, Equatable, Codable {
        /// Above 0 when the device runs fast against its nominal rate.
        public var ppm: Double
        public var jitter_us: Double
        public var residual_us: Double
        /// Whether the model could be relied on in the end: its residual below 1 ms, and the last stamps about its line.
        public var locked: Bool
        public var restarts: Int
        public var non_monotonic: Int
    }

    public struct Track: Sendable, Equatable, Codable {
        public var name: String
        /// The device's, where the track has another name: the second one of a camera is `desk.2`.
        public var role: String? = nil
        public var kind: String
        public var file: String
        public var stream: Int
        public var codec: String
        /// What encoded its frames, where they were not copied.
        public var encoder: Encoder? = nil
        public var width: Int?
        public var height: Int?
        public var rate: Double?
        public var rotation: Int?
        /// The part of the camera's stored frames that an encoded track shows, in their pixels; left out for all of them.
        public var crop: PixelRectangle? = nil
        public var color: Color?
        public var channels: Int?
        /// Since T0: 0 but for a copied H.264 track that begins with an earlier key frame, and one that a person began while the
        /// recording ran.
        public var first_ns: Int64
        /// From T0, or from `first_ns` where that is later.
        public var duration_ns: Int64
        /// Since T0, where a person ended it before the recording, or its frames ended because no encoder went on with them.
        public var ended_ns: Int64? = nil
        /// Since T0, where its audio ended before the recording, because its encoders failed. The frames of a program go on.
        public var sound_ended_ns: Int64? = nil
        /// `false` for a copied H.264 track, whose frames keep their own capture times and are never repeated.
        public var grid: Bool?
        public var frames: Frames?
        public var samples: Samples?
        /// Of audio, and of the program's. Left out where the file has not all that was measured, as on a slow disk.
        public var loudness: Loudness? = nil
        /// Files after the first, when the recording was split.
        public var parts: [String]?
        /// Where each of those begins, and in which size, in the same order.
        public var part_details: [Part]?
        /// Why the track ended before the recording did.
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

    /// What encoded a track's frames.
    public struct Encoder: Sendable, Equatable, Codable {
        /// libavcodec's name for what was to encode it, and did from the first frame on unless `until_ns` says otherwise.
        public var name: String
        /// The node of a hardware encoder.
        public var device: String?
        /// From here on x264 encoded it, since the hardware did not: 0 for all of it.
        public var until_ns: Int64?
        /// Why.
        public var reason: String?

        package init(name: String, device: String? = nil, until_ns: Int64? = nil, reason: String? = nil) {
            self.name = name
            self.device = device
            self.until_ns = until_ns
            self.reason = reason
        }
    }

    /// The same recording in another folder: of a safety copy the recording's own, of that the copy's.
    public struct OtherFolder: Sendable, Equatable, Codable {
        public var folder: String
        public var outcome: Outcome

        package init(folder: String, outcome: Outcome) {
            self.folder = folder
            self.outcome = outcome
        }
    }

    /// A file after the first.
    public struct Part: Sendable, Equatable, Codable {
        public var file: String
        /// Where its time 0 is, since T0.
        public var first_ns: Int64
        /// Of its frames: where a governor has changed a copied camera's size, not the track's.
        public var width: Int?
        public var height: Int?

        package init(file: String, first_ns: Int64, width: Int? = nil, height: Int? = nil) {
            self.file = file
            self.first_ns = first_ns
            self.width = width
            self.height = height
        }
    }

    /// A file of media as it was when it was closed and read again.
    public struct File: Sendable, Equatable, Codable {
        public var file: String
        public var bytes: Int64
        /// The XXH3 of 128 bits of the bytes from `hashed_from` on, and then of those before it. Left out of a file that could
        /// not be finished.
        public var xxh3_128: String?
        public var hashed_from: Int64?
        /// Whether it was as written.
        public var verified: Bool
        /// What was wrong with it, as a sentence.
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

    public struct Color: Sendable, Equatable, Codable {
        public var matrix: String
        public var range: String

        package init(matrix: String, range: String) {
            self.matrix = matrix
            self.range = range
        }
    }

    public struct Frames: Sendable, Equatable, Codable {
        public var written: Int
        public var captured: Int
        public var skipped: Int
        public var repeated: Int
        public var slate: Int
        public var lost: [String: Int]
    }

    public struct Samples: Sendable, Equatable, Codable {
        public var written: Int64
        public var captured: Int64
        public var filled: Int64
        /// Samples of all channels at the device's rate that were at full scale, three or more in a row. Left out of what was
        /// recovered, where nobody knows.
        public var clipped: Int64? = nil

        package init(written: Int64, captured: Int64, filled: Int64, clipped: Int64? = nil) {
            self.written = written
            self.captured = captured
            self.filled = filled
            self.clipped = clipped
        }
    }

    public struct Machine: Sendable, Equatable, Codable {
        public var host: String
        public var system: String
        public var processors: Int

        package init(host: String, system: String, processors: Int) {
            self.host = host
            self.system = system
            self.processors = processors
        }
    }

    /// What the recording was predicted to need of the machine, and what it took. Times and memory are left out in simulated time, where they mean nothing.
    public struct Cost: Sendable, Equatable, Codable {
        /// The scarcest resource's, before the start, of the plan that ran. This and the next three are left out where nobody
        /// reckoned.
        public var hardware: Double?
        /// The scarcest first.
        public var terms: [CostTerm]?
        /// What was not known: one sentence each.
        public var unknown: [String]?
        /// What was given up before the start, in order.
        public var reductions: [Reduction]?
        /// Processor time of the process, without the threads that stand in for hardware.
        public var cpu_ns: Int64?
        /// The most memory the process held at once (`ru_maxrss`).
        public var peak_memory_bytes: Int64?
        /// Left out where nobody asked the computer.
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

    /// What one resource was to be used by, of what there is of it.
    public struct CostTerm: Sendable, Equatable, Codable {
        public var resource: String
        public var used: Double
        public var explanation: String
        public var parts: [CostPart]
    }

    public struct CostPart: Sendable, Equatable, Codable {
        /// `program` or a role.
        public var owner: String
        public var used: Double
    }

    public struct Reduction: Sendable, Equatable, Codable {
        public var step: String
        public var reason: String
        /// The hardware cost.
        public var before: Double
        public var after: Double
    }

    public struct Mark: Sendable, Equatable, Codable {
        public var at_ns: Int64
        public var text: String

        package init(at_ns: Int64, text: String) {
            self.at_ns = at_ns
            self.text = text
        }
    }

    /// What was made of a recording that did not come to its end.
    public struct Recovery: Sendable, Equatable, Codable {
        /// By which version.
        public var multicam: String
        public var tracks: [RecoveredTrack]
    }

    /// What became of a track's end.
    public struct RecoveredTrack: Sendable, Equatable, Codable {
        public var track: String
        /// What was on the disk behind the common end: it stays in the file, and is not shown.
        public var cut_ns: Int64
        /// What was missing up to the common end: the last frame repeated or shown for longer, silence.
        public var filled_ns: Int64
        /// For people.
        public var text: String

        public init(track: String, cut_ns: Int64, filled_ns: Int64, text: String) {
            self.track = track
            self.cut_ns = cut_ns
            self.filled_ns = filled_ns
            self.text = text
        }
    }

    public struct GovernorStep: Sendable, Equatable, Codable {
        public var at_ns: Int64
        public var step: String
        public var reason: String

        package init(at_ns: Int64, step: String, reason: String) {
            self.at_ns = at_ns
            self.step = step
            self.reason = reason
        }
    }

    public var schema = 1
    public var multicam: String
    public var profile: String
    public var started: String
    public var t0_monotonic_ns: Int64
    public var duration_ns: Int64
    public var alignment_delay_ns: Int64
    public var outcome: Outcome
    /// Why system pressure, or a full disk, ended it before it was to end; left out where nothing did.
    public var ended_by: String?
    /// Left out where there is no safety copy.
    public var other_folder: OtherFolder?
    public var machine: Machine
    /// What the profile let it lose; left out where nothing was limited.
    public var limits: Limits? = nil
    public var devices: [Device]
    public var tracks: [Track]
    /// Every file of media. Left out while it is recorded.
    public var files: [File]?
    public var cost: Cost?
    public var governor: [GovernorStep]
    public var marks: [Mark]
    /// What people changed of the program while it was recorded; `nil` where they did not.
    public var changes: [Change]? = nil
    /// That were taken while it was recorded; `nil` where none was.
    public var stills: [Still]? = nil
    public var gaps: [Gap]
    /// Left out where the recording came to its end.
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
    /// Rounded to what is known: 0.01 ppm, 0.1 µs.
    ///
    /// - Parameters:
    ///   - model: The device's.
    ///   - corrected: Stamps that were impossible, and that the model never saw.
    package init(_ model: DeviceClock, corrected: Int = 0) {
        ppm = Self.rounded(model.partsPerMillion, 100)
        jitter_us = Self.rounded(Double(model.jitter.count) / 1000, 10)
        residual_us = Self.rounded(Double(model.residual.count) / 1000, 10)
        locked = model.isLocked
        restarts = model.restarts
        non_monotonic = model.nonMonotonic + corrected
    }

    /// Adding 0 turns −0 into 0.
    package static func rounded(_ value: Double, _ parts: Double) -> Double {
        (value * parts).rounded() / parts + 0
    }
}

extension Manifest.Frames {
    package init(_ counts: FrameCounts) {
        written = counts.written
        captured = counts.captured
        skipped = counts.skipped
        repeated = counts.repeated
        slate = counts.slate
        lost = Dictionary(uniqueKeysWithValues: counts.lost.map { ($0.key.rawValue, $0.value) })
    }
}
