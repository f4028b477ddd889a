public import Media
package import Timing

extension Manifest {
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
        /// x264's preset at the beginning of the program; `nil` for other tracks.
        public var preset: String? = nil
        /// x264's constant rate factor in the program, 0…51; `nil` for other tracks.
        public var quality: Int? = nil

        package init(
            name: String, device: String? = nil, until_ns: Int64? = nil, reason: String? = nil,
            preset: String? = nil, quality: Int? = nil
        ) {
            self.preset = preset
            self.quality = quality
            self.name = name
            self.device = device
            self.until_ns = until_ns
            self.reason = reason
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
