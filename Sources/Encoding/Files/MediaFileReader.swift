internal import CMedia
public import Media

/// Reads the frames or the audio of a media file in any format that libavformat knows. Used by one thread alone.
///
/// To read both, open the file twice.
public final class MediaFileReader {
    /// The kind of stream that a reader delivers.
    public enum Media: Sendable { case video, audio }

    /// Format of a file's video stream.
    public struct VideoFacts: Sendable, Equatable {
        /// The codec's name as libavcodec spells it: `mjpeg`, `h264`.
        public let codec: String
        /// Pixel format of the frames that `nextFrame` delivers: `mjpeg` for the file's own JPEGs, else decoded `i420`.
        public let pixel: PixelFormat
        /// Width × height in pixels, each 1…16384.
        public let size: FrameSize
        /// Frames per second as the file states it; 30 where it does not.
        public let rate: FrameRate
        /// Color description as the file states it; JPEG's for `mjpeg`.
        public let color: ColorDescription
    }

    /// Format of the video stream; `nil` in a reader of audio.
    public let video: VideoFacts?
    /// Sample rate and channel count of the audio stream; `nil` in a reader of video.
    public let audio: AudioFormat?
    /// Duration as the file states it; `nil` if it does not.
    public let duration: Nanoseconds?

    private let stream: DemuxedStream
    private let packet: OwnedPacket
    /// Decoder of the stream; `nil` where JPEGs are passed on as they are.
    private let decoder: FileDecoder?
    private let frames: FileFrames
    private let resampler: InterleavedAudio?
    private var count: Int64 = 0

    /// Opens the best video or audio stream of a file.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - media: Video or audio.
    /// - Throws: When the file cannot be read, has no such stream, states no frame size, or its audio is not 1 to 8
    ///   channels at 8000 to 192 000 Hz.
    public init(path: String, media: Media) throws(EncodingError) {
        stream = try DemuxedStream(
            path: path, type: media == .video ? AVMEDIA_TYPE_VIDEO : AVMEDIA_TYPE_AUDIO)
        packet = try OwnedPacket(path)
        frames = FileFrames(path)
        duration = stream.duration
        let facts = stream.parameters.pointee
        switch media {
        case .video:
            let isJPEG = facts.codec_id == AV_CODEC_ID_MJPEG
            let size = FrameSize(width: Int(facts.width), height: Int(facts.height))
            guard (1...16384).contains(size.width), (1...16384).contains(size.height) else {
                throw EncodingError(
                    subject: path, operation: "reading", reason: "the file does not say its frame size")
            }
            let color = ColorDescription(
                matrix: facts.color_space, range: facts.color_range, pixel: AVPixelFormat(facts.format),
                height: size.height)
            decoder = isJPEG ? nil : try FileDecoder(stream)
            resampler = nil
            audio = nil
            video = VideoFacts(
                codec: String(cString: avcodec_get_name(facts.codec_id)), pixel: isJPEG ? .mjpeg : .i420,
                size: size,
                rate: stream.rate, color: isJPEG ? .jpeg : color)
        case .audio:
            let format = AudioFormat(rate: Int(facts.sample_rate), channels: Int(facts.ch_layout.nb_channels))
            guard (8_000...192_000).contains(format.rate), (1...8).contains(format.channels) else {
                throw EncodingError(
                    subject: path, operation: "reading",
                    reason:
                        "audio of \(format.channels) channels at \(format.rate) Hz: one to eight at 8000 to 192000 Hz are needed"
                )
            }
            decoder = try FileDecoder(stream)
            resampler = InterleavedAudio(path, format)
            audio = format
            video = nil
        }
    }

    /// Reads the next frame. Its `capturedAt` counts from the stream's first time stamp, its `sequence` from 0.
    ///
    /// - Returns: The frame; `nil` at the end of the file.
    /// - Throws: When reading or converting fails.
    /// - Precondition: The reader was opened for video.
    public func nextFrame() throws(EncodingError) -> CapturedFrame? {
        guard let video else { preconditionFailure("a reader of audio has no frames") }
        defer { count += 1 }
        // Where a file has no time stamps, its rate makes them.
        let fallback = Nanoseconds(video.rate.time(ofTick: count).nanoseconds)
        guard let decoder else {
            guard try stream.read(into: packet.pointer) else { return nil }
            let time = stream.time(packet.pointer.pointee.pts) ?? fallback
            return CapturedFrame(
                pixel: .mjpeg, size: video.size, color: video.color,
                capturedAt: ClockTime(nanoseconds: time.count),
                sequence: count, memory: try packet.takeBytes(stream.path), isOwned: true)
        }
        guard let frame = try decoder.next() else { return nil }
        let time = stream.time(frame.pointee.best_effort_timestamp) ?? fallback
        return try frames.frame(
            of: frame, capturedAt: ClockTime(nanoseconds: time.count), sequence: count)
    }

    /// Reads the next samples: interleaved, full scale ±1, with the time of the first one since the stream's first time
    /// stamp.
    ///
    /// - Returns: The samples and their time; `nil` at the end of the file.
    /// - Throws: When reading fails, or rate or channels change.
    /// - Precondition: The reader was opened for audio.
    public func nextAudio() throws(EncodingError) -> (samples: [Float], time: Nanoseconds)? {
        guard let resampler, let decoder, let audio else {
            preconditionFailure("a reader of frames has no audio")
        }
        guard let frame = try decoder.next() else { return nil }
        // Where a file has no time stamps, counting makes them.
        let start = FrameRate(Int64(audio.rate)).time(ofTick: count)
        let time = stream.time(frame.pointee.best_effort_timestamp) ?? Nanoseconds(start.nanoseconds)
        let samples = try resampler.samples(of: frame)
        count += Int64(samples.count / audio.channels)
        return (samples, time)
    }
}
