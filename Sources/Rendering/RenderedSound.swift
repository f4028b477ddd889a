internal import MulticamEncoding
package import MulticamInterchange
package import MulticamMedia
internal import MulticamSystem
internal import MulticamTiming

/// The audio settings of a rendering, in which the microphones of a recording are mixed, mastered, and
/// encoded.
package struct RenderedSound: Sendable {
    /// Microphone gains in decibels, by role; `nil` to use the gains of the recorded program.
    package var gains: [String: Double]?
    /// Target integrated loudness in LUFS; `nil` to leave the loudness unchanged.
    package var loudness: Double?
    /// Bit rate in bits per second.
    package var bitrate: Int
    /// Filters of the microphones by role, and of the mix (`program`); `nil` to use the filters of the recorded program.
    package var processing: [String: SoundProcessing]?

    /// Creates audio settings. The default settings reproduce the program's mix without mastering.
    package init(
        gains: [String: Double]? = nil, loudness: Double? = nil, bitrate: Int = 160_000,
        processing: [String: SoundProcessing]? = nil
    ) {
        self.processing = processing
        self.gains = gains
        self.loudness = loudness
        self.bitrate = bitrate
    }
}

/// Exports the audio of a recording as a podcast: an M4A file with chapters, title, date, and cover image, at
/// the loudness that podcast platforms require.
package enum Podcast {
    /// Target integrated loudness in LUFS that podcast platforms require.
    private static let loudness = -16.0
    private static let bitrate = 128_000

    /// Writes the podcast to `edit/podcast.m4a` and replaces an existing file. This method blocks for a long
    /// time, so don't call it from a Swift task.
    ///
    /// - Parameters:
    ///   - session: The recording to export.
    ///   - folder: Path of the session folder.
    ///   - title: The title of the podcast; `nil` to use the title of the recording.
    ///   - progress: Receives progress reports and can cancel the operation.
    /// - Returns: The path of the file, and the read errors.
    /// - Throws: `RenderError` if the export fails or is canceled. The incomplete file is then removed.
    package static func write(
        _ session: RecordedSession, in folder: String, title: String? = nil,
        progress: RenderProgress = RenderProgress()
    ) throws(RenderError) -> Renderer.Outcome {
        guard session.hasAudio else {
            throw .nothingToRender("this recording contains no audio, so a podcast can't be created.")
        }
        var renderer = Renderer(
            session, in: folder, picture: nil, sound: RenderedSound(loudness: loudness, bitrate: bitrate))
        renderer.title = title ?? session.title
        let file: ContainedFile
        do throws(FileError) {
            file = try Renderer.makeFile("edit/podcast.m4a", in: folder)
        } catch {
            throw .file(error)
        }
        return try renderer.run(to: file, replaces: true, progress: progress)
    }
}

/// Encodes the mastered mix of a recording. Samples are encoded in order. Not thread-safe.
final class SoundEncoding {
    private let mix: SessionMix
    private let mastering: Mastering
    private let encoder: any AudioEncoding
    private let first: Int64
    private let end: Int64
    private var isFinished = false

    /// Creates an encoder for a mix.
    ///
    /// - Parameters:
    ///   - mix: The mix, positioned at the first sample to encode.
    ///   - mastering: The gain and limiter to apply.
    ///   - samples: Range of sample indices to encode, counted from T0.
    ///   - bitrate: Audio bit rate in bits per second.
    /// - Throws: `EncodingError` if the encoder rejects the bit rate.
    init(
        _ mix: SessionMix, mastering: Mastering, samples: Range<Int64>, bitrate: Int
    ) throws(EncodingError) {
        self.mix = mix
        self.mastering = mastering
        (first, end) = (samples.lowerBound, samples.upperBound)
        encoder = try Codecs().makeAudioEncoder(
            channels: AudioGrid.mixChannels, bitrate: bitrate, name: "mix")
    }

    /// The stream parameters for the file header.
    var parameters: StreamParameters { encoder.parameters }
    /// One sentence for each read error so far.
    var faults: [String] { mix.faults }

    /// Encodes the next samples, up to an index.
    ///
    /// - Parameter end: Sample index, counted from T0. The stream is finished when the last sample is
    ///   reached.
    /// - Returns: The packets that are complete.
    /// - Throws: `EncodingError` if the encoder fails.
    func packets(upTo end: Int64) throws(EncodingError) -> [EncodedPacket] {
        guard !isFinished else { return [] }
        let stop = min(end, self.end)
        var packets: [EncodedPacket] = []
        while true {
            let place = max(mix.position, first)
            let samples = mix.next(upTo: stop)
            if samples.isEmpty { break }
            packets += try encoder.encode(mastering.applied(to: samples, at: place - first))
        }
        if stop == self.end {
            isFinished = true
            packets += try encoder.finish()
        }
        return packets
    }
}
