internal import Encoding
public import Interchange
internal import Media
internal import System
internal import Timing

/// The audio of a rendered file: the microphones of a recording, mixed, mastered and encoded.
public struct RenderedSound: Sendable {
    /// Gains in decibels by role, used instead of the program's gains; `nil` for the program's gains.
    public var gains: [String: Double]?
    /// Integrated loudness in LUFS; `nil` for the loudness of the unmodified mix.
    public var loudness: Double?
    /// Bit rate in bits per second.
    public var bitrate: Int

    /// Describes the audio. By default this is the unmodified program mix.
    public init(gains: [String: Double]? = nil, loudness: Double? = nil, bitrate: Int = 160_000) {
        self.gains = gains
        self.loudness = loudness
        self.bitrate = bitrate
    }
}

/// Writes the audio of a recording as a podcast: M4A with chapters, title, date and cover, at podcast loudness.
public enum Podcast {
    /// Integrated loudness in LUFS, as required by podcast platforms.
    private static let loudness = -16.0
    private static let bitrate = 128_000

    /// Writes `edit/podcast.m4a`, replacing an existing file. The call blocks for a long time; don't make it from a
    /// Swift task.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - folder: Path of the session folder.
    ///   - title: The podcast's title. Defaults to the title of the recording.
    ///   - progress: Receives the progress and may cancel the operation.
    /// - Returns: The file, and the read errors.
    /// - Throws: `RenderError` if the rendering fails or is canceled. The incomplete file is removed.
    public static func write(
        _ session: RecordedSession, in folder: String, title: String? = nil,
        progress: RenderProgress = RenderProgress()
    ) throws(RenderError) -> Renderer.Outcome {
        guard session.isHeard else {
            throw .nothing("this recording contains no audio, so a podcast can't be created.")
        }
        var renderer = Renderer(
            session, in: folder, picture: nil, sound: RenderedSound(loudness: loudness, bitrate: bitrate))
        renderer.title = title ?? session.title
        let file: ContainedFile
        do throws(FileError) {
            file = try Renderer.madeFile("edit/podcast.m4a", in: folder)
        } catch {
            throw .file(error)
        }
        return try renderer.run(to: file, replaces: true, progress: progress)
    }
}

/// Encodes the mastered mix of a recording from the first to the last sample. Not thread-safe.
final class SoundEncoding {
    private let mix: SessionMix
    private let mastering: Mastering
    private let encoder: any AudioEncoding
    private let first: Int64
    private let end: Int64
    private var isFinished = false

    /// Starts encoding.
    ///
    /// - Parameters:
    ///   - mix: The mix, positioned at its first sample.
    ///   - mastering: The gain and limiting to apply.
    ///   - samples: Indices of the samples to encode, counted from T0.
    ///   - bitrate: Bit rate in bits per second.
    /// - Throws: An error if the encoder rejects the bit rate.
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
    /// Read errors encountered, as sentences.
    var faults: [String] { mix.faults }

    /// Encodes the samples up to an index.
    ///
    /// - Parameter end: Index counted from T0. At the last sample, the stream is finished.
    /// - Returns: The completed packets.
    /// - Throws: An error if the encoder fails.
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
