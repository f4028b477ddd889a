internal import CMulticamMedia
package import MulticamMedia

/// Reads the frames or the audio of a media file in any format that libavformat supports. Not thread-safe: use it from
/// one thread only.
///
/// To read both frames and audio, open the file twice.
package final class MediaFileReader {
    /// Type of stream that a reader returns.
    package enum Media: Sendable { case video, audio }

    /// Format of a file's video stream.
    package struct VideoProperties: Sendable, Equatable {
        /// libavcodec's name of the codec, such as `mjpeg` or `h264`.
        package let codec: String
        /// Pixel format of the frames that `nextFrame` returns: `mjpeg` for unchanged JPEGs from the file, `i420` for
        /// decoded frames.
        package let pixel: PixelFormat
        /// Width × height in pixels, each 1…16384.
        package let size: FrameSize
        /// Frames per second, measured from the frames' timestamps. If the file doesn't contain timestamps, the rate
        /// stated in the stream is used.
        package let rate: FrameRate
        /// Color description stated in the file.
        package let color: ColorDescription
        /// Pixel aspect ratio of the frames; `nil` for square pixels.
        package let pixelAspect: AspectRatio?
        /// Transformation that makes the frames upright. The frames returned by `nextFrame` are already
        /// mirrored but not rotated.
        let orientation: FrameOrientation

        /// Clockwise rotation that makes the frames upright.
        package var rotation: Rotation { orientation.rotation }
    }

    /// Format of the video stream; `nil` in an audio reader.
    package let video: VideoProperties?
    /// Sample rate and channel count of the audio stream; `nil` in a video reader.
    package let audio: AudioFormat?
    /// Duration stated in the file; `nil` if the file doesn't state a duration.
    package let duration: Nanoseconds?

    private let stream: DemuxedStream
    private let packet: OwnedPacket
    /// Decoder of the stream; `nil` if JPEGs are returned unchanged.
    private let decoder: FileDecoder?
    private let frames: FileFrames
    private let resampler: InterleavedAudio?
    private var count: Int64 = 0
    private var reportedDamageCount = 0
    private var reportedJumpCount = 0

    /// Opens the best video or audio stream of a file.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - media: Video or audio.
    /// - Throws: An error if the file can't be read or doesn't contain the stream, the beginning of the
    ///   stream can't be decoded, the frame size is invalid, or the audio format is unsupported: not 1 to 8
    ///   channels at 8000 to 192 000 Hz.
    package init(path: String, media: Media) throws(EncodingError) {
        stream = try DemuxedStream(
            path: path, type: media == .video ? AVMEDIA_TYPE_VIDEO : AVMEDIA_TYPE_AUDIO, keepsOffset: true)
        packet = try OwnedPacket(path)
        frames = FileFrames(path)
        duration = stream.duration
        switch media {
        case .video:
            let facts = try VideoProbe.properties(path: path)
            decoder = facts.pixel == .mjpeg ? nil : try FileDecoder(stream)
            resampler = nil
            audio = nil
            video = facts
        case .audio:
            let facts = stream.parameters.pointee
            let format = AudioFormat(rate: Int(facts.sample_rate), channels: Int(facts.ch_layout.nb_channels))
            guard (8_000...192_000).contains(format.rate), (1...8).contains(format.channels) else {
                throw EncodingError(
                    subject: path, operation: "reading",
                    reason:
                        "the audio format (channels: \(format.channels), sample rate: \(format.rate) Hz) is not supported; only 1 to 8 channels at 8000 to 192000 Hz are supported"
                )
            }
            try AudioProbe.check(path: path)
            decoder = try FileDecoder(stream)
            resampler = InterleavedAudio(path, format)
            audio = format
            video = nil
        }
    }

    /// End time of the data read so far from all streams of the file. At the end of the file, this is the
    /// file's duration.
    package var end: Nanoseconds { stream.timeline?.end ?? .zero }

    /// Length of one timestamp tick in the file, which is the best precision of any time.
    package var tick: Nanoseconds { stream.tick }

    /// Returns the number of packets that could not be decoded since the last call.
    package func drainDamageCount() -> Int {
        let count = decoder?.damagedPackets ?? 0
        defer { reportedDamageCount = count }
        return count - reportedDamageCount
    }

    /// Returns descriptions of the timestamp jumps since the last call. Each description contains the
    /// position and the length of the jump.
    package func drainJumps() -> [String] {
        let jumps = stream.timeline?.jumps ?? []
        defer { reportedJumpCount = jumps.count }
        return jumps.dropFirst(reportedJumpCount).map { jump in
            let way = jump.length < .zero ? "backward" : "forward"
            return
                "the file's timestamps jump \(way) by \(jump.length.magnitude.displayText) at \(jump.at.text)"
        }
    }

    /// Reads the next frame. The frame's `capturedAt` is the time since the beginning of the earliest stream
    /// in the file. The frame's `sequence` counts from 0.
    ///
    /// - Returns: The frame; `nil` at the end of the file.
    /// - Throws: An error if reading or converting fails.
    /// - Precondition: The reader was opened for video.
    package func nextFrame() throws(EncodingError) -> CapturedFrame? {
        guard let video else { preconditionFailure("the reader must be opened for video") }
        defer { count += 1 }
        // If the file doesn't contain timestamps, times are computed from the frame rate.
        let fallback = Nanoseconds(video.rate.time(ofTick: count).nanoseconds)
        guard let decoder else {
            guard try stream.read(into: packet.pointer) else { return nil }
            let time = stream.time(packet.pointer.pointee.pts) ?? fallback
            let bytes = try packet.detachBytes(stream.path)
            return CapturedFrame(
                pixel: .mjpeg, size: JPEGMarkers(bytes.bytes)?.size ?? video.size, color: video.color,
                capturedAt: ClockTime(nanoseconds: time.count), sequence: count, memory: bytes, isOwned: true)
        }
        guard let frame = try decoder.nextFrame() else { return nil }
        let time = stream.time(frame.pointee.best_effort_timestamp) ?? fallback
        return try frames.frame(
            of: frame, capturedAt: ClockTime(nanoseconds: time.count), sequence: count,
            isMirrored: video.orientation.isMirrored)
    }

    /// Reads the next interleaved samples, with full scale at ±1. The returned time is that of the first
    /// sample, counted from the beginning of the earliest stream in the file.
    ///
    /// - Returns: The samples and their time; `nil` at the end of the file.
    /// - Throws: An error if reading fails, or the sample rate or channel count changes.
    /// - Precondition: The reader was opened for audio.
    package func nextAudio() throws(EncodingError) -> (samples: [Float], time: Nanoseconds)? {
        guard let resampler, let decoder, let audio else {
            preconditionFailure("the reader must be opened for audio")
        }
        guard let frame = try decoder.nextFrame() else { return nil }
        // If the file doesn't contain timestamps, times are computed from the sample count.
        let start = FrameRate(Int64(audio.rate)).time(ofTick: count)
        let time = stream.time(frame.pointee.best_effort_timestamp) ?? Nanoseconds(start.nanoseconds)
        let samples = try resampler.samples(of: frame)
        count += Int64(samples.count / audio.channels)
        return (samples, time)
    }
}

/// Examines the beginning of a file's video stream to determine the format of the decoded frames, their
/// orientation, and the frame rate.
enum VideoProbe {
    /// Number of timestamps that are examined: two seconds of video at 30 frames per second.
    private static let frames = 60
    /// Number of packets after which the probe fails if no frame could be decoded.
    private static let maxPacketCount = 300
    /// Default frame rate of a raw stream that doesn't state its rate, as in FFmpeg.
    private static let rawRate = FrameRate(25, per: 1)
    /// Maximum plausible frame rate of a stream without timestamps.
    private static let highestCodedRate = FrameRate(240, per: 1)

    /// Examines the video of a file.
    ///
    /// - Throws: An error if the file can't be read, doesn't contain video, or none of its first frames can be decoded.
    static func properties(path: String) throws(EncodingError) -> MediaFileReader.VideoProperties {
        let stream = try DemuxedStream(path: path, type: AVMEDIA_TYPE_VIDEO, keepsOffset: true)
        let decoder = try FileDecoder(stream)
        guard let frame = try decoder.nextFrame(maxPackets: maxPacketCount) else {
            guard decoder.packets > 0 else {
                throw EncodingError(
                    subject: path, operation: "reading",
                    reason: stream.unsupportedContentReason ?? "the file does not contain frames")
            }
            let why = decoder.damagedPackets > 0 ? ": \(EncodingError.text(decoder.lastFailure))" : ""
            throw EncodingError(
                subject: path, operation: "decoding",
                reason: "no frame of the file's \(stream.codecName) video can be decoded\(why)")
        }
        let picture = frame.pointee
        let size = FrameSize(width: Int(picture.width), height: Int(picture.height))
        guard size.isPlausible, size.width >= 2, size.height >= 2 else {
            throw EncodingError(
                subject: path, operation: "reading",
                reason: "the frame size is \(size); only 2 to 16384 pixels per side are supported")
        }
        let orientation = stream.orientation(of: frame)
        let isJPEG = stream.parameters.pointee.codec_id == AV_CODEC_ID_MJPEG
        let color = ColorDescription(
            matrix: picture.colorspace, range: picture.color_range, pixel: AVPixelFormat(picture.format),
            height: size.height)
        let pixelAspect = stream.pixelAspect(of: frame)
        let codedRate = decoder.codedRate
        let stamps = try decoder.stamps(atLeast: frames)
        return MediaFileReader.VideoProperties(
            codec: stream.codecName,
            // JPEGs that must be mirrored are returned as decoded frames.
            pixel: isJPEG && !orientation.isMirrored ? .mjpeg : .i420, size: size,
            rate: rate(of: stream, stamps, codedRate),
            color: isJPEG && color.range == .full ? .jpeg : color, pixelAspect: pixelAspect,
            orientation: orientation)
    }

    private static func rate(
        of stream: DemuxedStream, _ stamps: [Nanoseconds], _ coded: FrameRate?
    ) -> FrameRate {
        if stream.lacksTimestamps {
            var stated: [FrameRate] = stream.statedRates
            if let coded { stated.insert(coded, at: 0) }
            return stated.first { $0 <= highestCodedRate } ?? rawRate
        }
        if let measured = MeasuredRate(stamps, tick: stream.tick) {
            return measured.rate(preferring: stream.statedRates)
        }
        return stream.statedRates.first ?? FrameRate(30)
    }
}

/// Checks that the beginning of a file's audio can be decoded. The check is needed because a decoder may
/// reject a variant of a codec that it otherwise supports.
enum AudioProbe {
    /// Number of packets after which the probe fails if no audio could be decoded: ten seconds for most codecs.
    private static let maxPacketCount = 500

    /// Decodes the first samples.
    ///
    /// - Throws: An error if the file can't be read or contains no decodable samples.
    static func check(path: String) throws(EncodingError) {
        let stream = try DemuxedStream(path: path, type: AVMEDIA_TYPE_AUDIO)
        let decoder = try FileDecoder(stream)
        guard try decoder.nextFrame(maxPackets: maxPacketCount) == nil else { return }
        guard decoder.packets > 0 else {
            throw EncodingError(
                subject: path, operation: "reading",
                reason: stream.unsupportedContentReason ?? "the file does not contain samples")
        }
        let why = decoder.damagedPackets > 0 ? ": \(EncodingError.text(decoder.lastFailure))" : ""
        throw EncodingError(
            subject: path, operation: "decoding",
            reason: "no sample of the file's \(stream.codecName) audio can be decoded\(why)")
    }
}

/// Frame rate of a file, measured from the timestamps of its frames. A rate that is stated in the file or
/// guessed by a library is often wrong: it may be a multiple of the actual frame rate, or the clock rate of
/// the timestamps. `MeasuredRate` is a value type without side effects.
struct MeasuredRate {
    /// Common frame rates. If a measured rate is close to one of these rates, the common rate is used.
    private static let commonRates =
        [10, 12, 15, 20, 24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 144, 200, 240].map { FrameRate($0) }
        + [24, 30, 48, 60, 120, 240].map { FrameRate($0 * 1000, per: 1001) }

    /// Intervals between consecutive frames, shortest first.
    private let frameIntervals: [Nanoseconds]
    /// Length of one timestamp tick in the file.
    private let tick: Nanoseconds
    /// Typical interval between frames.
    private let interval: Nanoseconds
    /// Maximum error of `interval`.
    private let error: Nanoseconds

    /// Measures the frame rate from timestamps.
    ///
    /// - Parameters:
    ///   - times: Presentation times of frames, in any order. At least three distinct times are needed.
    ///   - tick: Length of one timestamp tick in the file.
    init?(_ times: [Nanoseconds], tick: Nanoseconds) {
        let sorted = Set(times).sorted()
        let steps = zip(sorted.dropFirst(), sorted).map { $0 - $1 }.sorted()
        guard steps.count >= 2 else { return nil }
        (self.frameIntervals, self.tick) = (steps, tick)
        let median = steps[steps.count / 2]
        // The mean of the steps near the median is more precise than a single step, which is rounded to
        // timestamp ticks. Gaps between frames are ignored.
        let near = steps.filter { ($0 - median).magnitude <= max(tick, Nanoseconds(median.count / 20)) }
        interval = near.reduce(.zero, +) / Int64(near.count)
        error = max(Nanoseconds(tick.count * 2 / Int64(near.count)), Nanoseconds(interval.count / 1000))
    }

    /// Whether a frame rate agrees with the measured timestamps.
    func agrees(with rate: FrameRate) -> Bool { (rate.interval - interval).magnitude <= error }

    /// Whether a rate is the highest frame rate of a file with a variable frame rate. The rate counts as the
    /// highest one if a tenth of the frame intervals are this short. If the file were treated as having its
    /// typical rate, some frames would be dropped.
    private func isPeakRate(_ rate: FrameRate) -> Bool {
        guard rate.interval < interval else { return false }
        let room = max(tick, Nanoseconds(rate.interval.count / 20))
        return frameIntervals.count { ($0 - rate.interval).magnitude <= room } * 10 >= frameIntervals.count
    }

    /// Returns the first of the stated rates that agrees with the timestamps, otherwise a common rate, otherwise the
    /// measured rate.
    func rate(preferring stated: [FrameRate]) -> FrameRate {
        if let rate = stated.first(where: agrees) ?? stated.first(where: isPeakRate) { return rate }
        let nearest = Self.commonRates.min {
            ($0.interval - interval).magnitude < ($1.interval - interval).magnitude
        }
        if let nearest, agrees(with: nearest) { return nearest }
        return FrameRate(min(max(1 / interval.inSeconds, 0.001), 1000)) ?? FrameRate(25)
    }
}
