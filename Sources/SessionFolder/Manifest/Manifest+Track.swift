package import MulticamMedia
package import MulticamTiming

extension Manifest {
    /// A track: the recording of one camera, of one microphone or of the program.
    package struct Track: Sendable, Equatable, Codable {
        /// Name of the track: a role, a role with a number such as `desk.2`, or `program`.
        package var name: String
        /// Role of the device if the track has a different name, such as `desk.2`; `nil` if both are the same.
        package var role: String? = nil
        /// Kind of track: `camera`, `microphone`, or `program`.
        package var kind: String
        /// First file of the track, relative to the session folder.
        package var file: String
        /// Index of the track's stream in its file, starting at 0.
        package var stream: Int
        /// Codec of the track: `h264`, `mjpeg`, `aac` or `pcm_s24le`.
        package var codec: String
        /// Encoder of the frames; `nil` for copied frames and for audio.
        package var encoder: Encoder? = nil
        /// Width of the frames in pixels; `nil` for audio.
        package var width: Int?
        /// Height of the frames in pixels; `nil` for audio.
        package var height: Int?
        /// Frames per second; `nil` for audio.
        package var rate: Double?
        /// Clockwise rotation in degrees that a player applies to show the stored frames upright; `nil` for audio.
        package var rotation: Int?
        /// Pixel aspect ratio of the stored frames, for example `64:45`; `nil` for square pixels and for audio.
        package var pixel_aspect: String? = nil
        /// Crop rectangle of an encoded track, in pixels of the camera's stored frames; `nil` if frames are not
        /// cropped.
        package var crop: PixelRectangle? = nil
        /// Color matrix and range of the frames; `nil` for audio.
        package var color: Color?
        /// Number of audio channels; `nil` for a track without audio.
        package var channels: Int?
        /// Start of the track in nanoseconds since T0; negative if a copied H.264 track starts with an
        /// earlier key frame.
        package var first_ns: Int64
        /// Length of the track in nanoseconds, from T0 or from `first_ns`, whichever is later.
        package var duration_ns: Int64
        /// End of the track in nanoseconds since T0 if the track was stopped early or no encoder could
        /// continue it; otherwise `nil`.
        package var ended_ns: Int64? = nil
        /// End of the audio in nanoseconds since T0 if its encoders failed; otherwise `nil`. In this case,
        /// the frames of a program track continue.
        package var sound_ended_ns: Int64? = nil
        /// `true` for a copied H.264 track: its frames keep their own capture times and are never duplicated. For other
        /// tracks, the value is `nil`.
        package var variable_rate: Bool?
        /// Counts of the track's frames; `nil` for microphones.
        package var frames: Frames?
        /// Number of program ticks at which a visible camera's expected frame was missing, by role and cause; `nil` if
        /// there are none.
        package var missing: [String: [String: Int]]? = nil
        /// Counts of the track's samples; `nil` for video.
        package var samples: Samples?
        /// Loudness of a microphone or of the program mix; `nil` if the file lacks some of the audio.
        package var loudness: Loudness? = nil
        /// Continuation files, relative to the session folder; `nil` if the track was not split.
        package var parts: [String]?
        /// Start and frame size of each file in `parts`, in the same order.
        package var part_details: [Part]?
        /// Reason why the track ended before the recording, as a sentence; `nil` if the track didn't end
        /// early.
        package var failure: String?

        package init(
            name: String, role: String? = nil, kind: String, file: String, stream: Int, codec: String,
            encoder: Encoder? = nil, width: Int? = nil, height: Int? = nil, rate: Double? = nil,
            rotation: Int? = nil, crop: PixelRectangle? = nil, color: Color? = nil, channels: Int? = nil,
            first_ns: Int64, duration_ns: Int64, ended_ns: Int64? = nil, sound_ended_ns: Int64? = nil,
            variable_rate: Bool? = nil, frames: Frames? = nil, missing: [String: [String: Int]]? = nil,
            samples: Samples? = nil, loudness: Loudness? = nil,
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
            self.variable_rate = variable_rate
            self.frames = frames
            self.missing = missing
            self.samples = samples
            self.loudness = loudness
            self.parts = parts
            self.part_details = part_details
            self.failure = failure
        }
    }

    /// The encoder of a track's frames.
    package struct Encoder: Sendable, Equatable, Codable {
        /// libavcodec name of the encoder that started the track. This encoder encoded all frames unless `until_ns` is
        /// set.
        package var name: String
        /// Device node of a hardware encoder; `nil` for a software encoder.
        package var device: String?
        /// Time when x264 replaced failed hardware, in nanoseconds since T0; 0 if x264 encoded the whole track. The
        /// value is `nil` if the hardware did not fail.
        package var until_ns: Int64?
        /// Reason why x264 replaced the hardware encoder; `nil` if the hardware encoder wasn't replaced.
        package var reason: String?
        /// x264 preset at the start of the track; `nil` for hardware.
        package var preset: String? = nil
        /// x264 constant rate factor of the program, 0…51; `nil` for other tracks.
        package var quality: Int? = nil

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
    package struct Part: Sendable, Equatable, Codable {
        /// Path of the file, relative to the session folder.
        package var file: String
        /// Position of the file's time 0, in nanoseconds since T0.
        package var first_ns: Int64
        /// Width of this file's frames in pixels. The width differs from the track's width if the governor changed the
        /// size of a copied camera.
        package var width: Int?
        /// Height of this file's frames in pixels. The height may differ from the track's height for the same reason as
        /// `width`.
        package var height: Int?

        package init(file: String, first_ns: Int64, width: Int? = nil, height: Int? = nil) {
            self.file = file
            self.first_ns = first_ns
            self.width = width
            self.height = height
        }
    }

    /// Color encoding of a track's frames.
    package struct Color: Sendable, Equatable, Codable {
        /// Matrix between RGB and YCbCr, for example `bt709`.
        package var matrix: String
        /// Range of the samples, for example `limited`.
        package var range: String

        package init(matrix: String, range: String) {
            self.matrix = matrix
            self.range = range
        }
    }

    /// The counts of a track's frames, where `written` equals `captured` − `decimated` + `duplicated` +
    /// `slate`.
    package struct Frames: Sendable, Equatable, Codable {
        /// Number of frames in the track's files.
        package var written: Int
        /// Number of good frames that the device delivered since T0.
        package var captured: Int
        /// Number of good frames omitted from the track because the camera's frame rate is higher than the
        /// track's.
        package var decimated: Int
        /// Number of ticks that repeat the previous frame, because the camera's frame rate is lower than the
        /// track's or because a frame was lost.
        package var duplicated: Int
        /// Number of ticks that show a slate, a card with the camera's name.
        package var slate: Int
        /// Lost frames by cause, with the raw values of `LossCause` as keys. Causes without lost frames are omitted.
        package var lost: [String: Int]
    }

    /// The counts of a track's samples per channel at 48 kHz, where `written` equals `captured` + `silence`.
    package struct Samples: Sendable, Equatable, Codable {
        /// Number of samples per channel in the track's files.
        package var written: Int64
        /// Number of samples per channel in the track's files that were captured by the microphone.
        package var captured: Int64
        /// Number of silence samples per channel in the track's files that replace missing audio.
        package var silence: Int64
        /// Number of clipped samples in all channels at the device's sample rate. Samples are clipped if they
        /// belong to a run of three or more at full scale. The value is `nil` if unknown.
        package var clipped: Int64? = nil

        package init(written: Int64, captured: Int64, silence: Int64, clipped: Int64? = nil) {
            self.written = written
            self.captured = captured
            self.silence = silence
            self.clipped = clipped
        }
    }
}

extension Manifest.Samples {
    /// Creates the manifest entry from sample counts.
    ///
    /// - Parameters:
    ///   - counts: Number of samples per channel, by their fate.
    ///   - clipped: Number of clipped samples of all channels.
    package init(_ counts: SampleCounts, clipped: Int64) {
        self.init(
            written: counts.total, captured: counts.captured, silence: counts.totalSilence, clipped: clipped)
    }
}

extension Manifest.Frames {
    /// Creates the manifest entry from frame counts.
    package init(_ counts: FrameCounts) {
        written = counts.written
        captured = counts.captured
        decimated = counts.decimated
        duplicated = counts.duplicated
        slate = counts.slate
        lost = Dictionary(uniqueKeysWithValues: counts.lost.map { ($0.key.rawValue, $0.value) })
    }
}

extension Manifest {
    /// The other folder of a recording with a backup. In the recording's manifest, this is the backup; in the
    /// backup's manifest, this is the recording.
    package struct OtherFolder: Sendable, Equatable, Codable {
        /// Path of the other folder.
        package var folder: String
        /// Outcome of the recording in that folder.
        package var outcome: Outcome

        package init(folder: String, outcome: Outcome) {
            self.folder = folder
            self.outcome = outcome
        }
    }

    /// A media file, and the result of verifying it after it was closed.
    package struct File: Sendable, Equatable, Codable {
        /// Path of the file, relative to the session folder.
        package var file: String
        /// Size of the file in bytes.
        package var bytes: Int64
        /// XXH3-128 checksum, as 32 hex digits, of the bytes from `hashed_from` to the end, followed by the preceding
        /// bytes; `nil` if the file was not finalized.
        package var xxh3_128: String?
        /// Byte offset where the checksum starts; `nil` if the file could not be finalized.
        package var hashed_from: Int64?
        /// Whether the file was identical to the written data when read back.
        package var verified: Bool
        /// Description of the file's fault, as a sentence; `nil` if the file is intact.
        package var fault: String?

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
}

extension Manifest {
    /// Loudness of a track's audio as written, from T0 to its end (ITU-R BS.1770-4, EBU R 128). A value is
    /// `nil` if the track didn't contain enough audio to measure. For the program, the mix is measured before
    /// encoding; AAC encoding changes the values by about 0.2 LU.
    package struct Loudness: Sendable, Equatable, Codable {
        /// Integrated loudness in LUFS.
        package var integrated_lufs: Double?
        /// Loudness range (LRA) in LU.
        package var range_lu: Double?
        /// Highest true peak in dBTP.
        package var true_peak_dbtp: Double?

        /// Creates the entry from measured values, rounded to 0.01.
        package init(_ loudness: MulticamMedia.Loudness) {
            func rounded(_ value: Double?) -> Double? { value.map { Clock.rounded($0, 100) } }
            integrated_lufs = rounded(loudness.integrated)
            range_lu = rounded(loudness.range)
            true_peak_dbtp = rounded(loudness.truePeak)
        }
    }
}
