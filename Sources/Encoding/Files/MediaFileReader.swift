internal import CMedia
public import Media

/// Reads the frames or the audio of a media file of any kind that libavformat knows. Used by one thread alone.
///
/// For both, open the file twice.
public final class MediaFileReader {
    public enum Media: Sendable { case video, audio }

    /// What the file says about its frames.
    public struct VideoFacts: Sendable, Equatable {
        /// The codec's name as libavcodec spells it: `mjpeg`, `h264`.
        public let codec: String
        /// As `nextFrame` delivers: the file's own JPEGs, or decoded I420.
        public let pixel: PixelFormat
        public let size: FrameSize
        public let rate: FrameRate
        public let color: ColorDescription
    }

    /// `nil` in a reader of audio.
    public let video: VideoFacts?
    /// The audio's own rate and channels; `nil` in a reader of frames.
    public let audio: AudioFormat?
    /// As the file says; `nil` if it does not.
    public let duration: Nanoseconds?

    private let stream: DemuxedStream
    private let packet: OwnedPacket
    /// `nil` where JPEGs are passed on as they are.
    private let decoder: FileDecoder?
    private let frames: FileFrames
    private let resampler: InterleavedAudio?
    private var count: Int64 = 0

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

    /// The next frame: `capturedAt` counts from the stream's first time stamp, `sequence` from 0.
    ///
    /// - Returns: `nil` at the end of the file.
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

    /// The next samples: interleaved, full scale ± 1, with the time of the first since the stream's first time stamp.
    ///
    /// - Returns: `nil` at the end of the file.
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
