internal import CMulticamMedia
import Glibc
package import MulticamMedia
internal import MulticamSystem

/// Reads one stream of a recorded file, starting at any time, for measurement or playback. Not thread-safe:
/// use it from one thread only.
///
/// All times are file times: 0 is the start of playback in a player. Damaged frames are skipped.
package final class TrackReader {
    private let stream: DemuxedStream
    private let isAudio: Bool
    private let packet: OwnedPacket
    private let brightness = FrameBrightness()
    private let frames: FileFrames
    private let frameSize: FrameSize
    private let audioFormat: AudioFormat
    private let isJPEG: Bool
    private var decoder: FileDecoder?
    private var resampler: InterleavedAudio?
    private let isMeasured: Bool
    private var lastJPEG: (memory: SharedBytes, brightness: Double)?
    private var lastFrame: CapturedFrame?
    /// Whether the reader is still at the beginning of the file because nothing has been read.
    private var isAtStart = true

    /// Time and brightness of one frame of the file.
    package struct BrightnessSample: Sendable {
        /// File time of the frame.
        package let time: MediaTime
        /// Mean luma of the frame: 0 black, 1 white.
        package let brightness: Double
        /// Whether the frame repeats the previous one. JPEGs are compared byte for byte. Frames in other
        /// formats are repeats if their brightness is exactly equal.
        package let isRepeat: Bool
    }

    /// Opens a stream at the beginning of the file.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - stream: Index of the stream in the file.
    ///   - media: Required media type of the stream.
    ///   - isMeasured: Whether frames are only measured. If `true`, the decoder skips steps that only affect
    ///     visual quality. If `false`, the reader also returns the frames before the file's time 0, which
    ///     later frames refer to.
    /// - Throws: An error if the file can't be read, the stream is missing or has another media type, or the
    ///   file doesn't state the stream's sample rate or channel count. Unless `isMeasured` is set, also an
    ///   error if the file doesn't state the frame size.
    package convenience init(
        path: String, stream: Int, media: MediaFileReader.Media, isMeasured: Bool = true
    ) throws(EncodingError) {
        try self.init(
            try DemuxedStream(
                path: path, address: "file:" + path, formats: DemuxedStream.recordedFormats,
                type: media == .audio ? AVMEDIA_TYPE_AUDIO : AVMEDIA_TYPE_VIDEO, number: stream),
            media, isMeasured: isMeasured)
    }

    /// Opens a stream of a recorded file, as `init(path:stream:media:isMeasured:)` does, without following
    /// links.
    ///
    /// - Parameters:
    ///   - name: Name of the file relative to the session folder.
    ///   - folder: Path of the session folder.
    ///   - stream: Index of the stream in the file.
    ///   - media: Required media type of the stream.
    ///   - isMeasured: Whether frames are only measured.
    /// - Throws: The same errors as `init(path:stream:media:isMeasured:)`.
    package convenience init(
        _ name: String, in folder: String, stream: Int, media: MediaFileReader.Media,
        isMeasured: Bool = true
    ) throws(EncodingError) {
        let file: ContainedFile
        do throws(FileError) { file = try ContainedFile(name, in: folder) } catch {
            throw EncodingError(file: error)
        }
        try self.init(
            try DemuxedStream(
                recorded: file, type: media == .audio ? AVMEDIA_TYPE_AUDIO : AVMEDIA_TYPE_VIDEO,
                number: stream),
            media, isMeasured: isMeasured)
    }

    private init(
        _ demuxed: DemuxedStream, _ media: MediaFileReader.Media, isMeasured: Bool
    ) throws(EncodingError) {
        let path = demuxed.path
        isAudio = media == .audio
        self.isMeasured = isMeasured
        stream = demuxed
        packet = try OwnedPacket(path)
        frames = FileFrames(path)
        let facts = self.stream.parameters.pointee
        isJPEG = facts.codec_id == AV_CODEC_ID_MJPEG
        frameSize = FrameSize(width: Int(facts.width), height: Int(facts.height))
        audioFormat = AudioFormat(rate: Int(facts.sample_rate), channels: Int(facts.ch_layout.nb_channels))
        guard
            isAudio || isMeasured
                || ((1...16384).contains(frameSize.width) && (1...16384).contains(frameSize.height))
        else {
            throw EncodingError(
                subject: path, operation: "reading", reason: "the file does not specify the frame size")
        }
        guard
            !isAudio
                || ((1000...768_000).contains(audioFormat.rate) && (1...64).contains(audioFormat.channels))
        else {
            throw EncodingError(
                subject: path, operation: "reading",
                reason: "the file does not specify the sample rate or the channel count")
        }
        try seek(to: .zero)
    }

    /// Duration of the stream, or of the file as a fallback; `nil` if the file states neither.
    package var duration: Nanoseconds? { stream.duration }
    /// File time of the first frame or sample that a player presents; `nil` if the file doesn't state this
    /// time.
    package var startTime: MediaTime? { stream.startTime.map { MediaTime(nanoseconds: $0.count) } }
    /// Samples per second per channel; 0 in a video reader.
    package var sampleRate: Int { isAudio ? audioFormat.rate : 0 }
    /// Number of audio channels; 0 in a video reader.
    package var channels: Int { isAudio ? audioFormat.channels : 0 }

    /// Continues reading at the last key frame or audio packet at or before `time`. The next frame or samples
    /// may start before `time`.
    package func seek(to time: MediaTime) throws(EncodingError) {
        if time > .zero || !isAtStart { try stream.seek(to: Nanoseconds(time.nanoseconds)) }
        isAtStart = false
        lastJPEG = nil
        lastFrame = nil
        decoder =
            isJPEG && !isAudio
            ? nil
            : try FileDecoder(
                stream, skippingLoopFilter: !isAudio && isMeasured, showsHidden: !isAudio && !isMeasured)
        resampler = isAudio ? InterleavedAudio(stream.path, audioFormat) : nil
    }

    /// Reads the next frame whose brightness can be measured.
    ///
    /// - Returns: The time and brightness of the frame; `nil` at the end of the file.
    /// - Throws: An error if reading fails.
    /// - Precondition: The reader was opened for video.
    package func nextBrightness() throws(EncodingError) -> BrightnessSample? {
        precondition(!isAudio, "the reader must be opened for video")
        return isJPEG ? try nextJPEG() : try nextDecoded()
    }

    private func nextJPEG() throws(EncodingError) -> BrightnessSample? {
        while try stream.read(into: packet.pointer) {
            guard let time = stream.fileTime(packet.pointer.pointee.pts) else { continue }
            let memory = try packet.detachBytes(stream.path)
            let at = MediaTime(nanoseconds: time.count)
            if let lastJPEG, lastJPEG.memory.hasSameBytes(as: memory) {
                return BrightnessSample(time: at, brightness: lastJPEG.brightness, isRepeat: true)
            }
            guard let mean = brightness.mean(ofJPEG: memory) else { continue }
            lastJPEG = (memory, mean)
            return BrightnessSample(time: at, brightness: mean, isRepeat: false)
        }
        return nil
    }

    private var lastBrightness: Double?

    private func nextDecoded() throws(EncodingError) -> BrightnessSample? {
        while let frame = try decoder?.nextFrame() {
            guard let time = stream.fileTime(frame.pointee.best_effort_timestamp) else { continue }
            let frame = try frames.frame(
                of: frame, capturedAt: ClockTime(nanoseconds: time.count), sequence: 0)
            guard let mean = brightness.mean(of: frame) else { continue }
            defer { lastBrightness = mean }
            return BrightnessSample(
                time: MediaTime(nanoseconds: time.count), brightness: mean, isRepeat: mean == lastBrightness)
        }
        return nil
    }

    /// Reads the next frame for display. JPEGs are returned unchanged; other frames are decoded.
    ///
    /// - Returns: The frame and its time; `nil` at the end of the file. Consecutive JPEGs with identical
    ///   bytes are returned as the same object, so that the image isn't decoded twice.
    /// - Throws: An error if reading or converting fails.
    /// - Precondition: The reader was opened for video.
    package func nextFrame() throws(EncodingError) -> (frame: CapturedFrame, time: MediaTime)? {
        precondition(!isAudio, "the reader must be opened for video")
        guard isJPEG else {
            while let decoded = try decoder?.nextFrame() {
                guard let time = stream.fileTime(decoded.pointee.best_effort_timestamp) else { continue }
                let frame = try frames.frame(
                    of: decoded, capturedAt: ClockTime(nanoseconds: time.count), sequence: 0)
                return (frame, MediaTime(nanoseconds: time.count))
            }
            return nil
        }
        while try stream.read(into: packet.pointer) {
            guard let time = stream.fileTime(packet.pointer.pointee.pts) else { continue }
            let at = MediaTime(nanoseconds: time.count)
            let memory = try packet.detachBytes(stream.path)
            if let lastFrame, lastFrame.memory.hasSameBytes(as: memory) { return (lastFrame, at) }
            // A slate among a camera's frames may have a different color range from the camera's frames.
            let frame = CapturedFrame(
                pixel: .mjpeg, size: frameSize, color: JPEGMarkers(memory.bytes)?.color ?? .jpeg,
                capturedAt: ClockTime(nanoseconds: time.count), sequence: 0, memory: memory, isOwned: true)
            lastFrame = frame
            return (frame, at)
        }
        return nil
    }

    /// Returns the time of each frame from the current position to the end of the file, in order, and whether
    /// the frame can be decoded independently. The frames aren't decoded. Frames that the file's edit list
    /// hides have negative times. This method reads to the end of the file; call `seek` before reading again.
    ///
    /// - Throws: An error if reading fails.
    package func frameTimes() throws(EncodingError) -> [(time: MediaTime, isKey: Bool)] {
        var times: [(time: MediaTime, isKey: Bool)] = []
        while try stream.read(into: packet.pointer) {
            guard let time = stream.fileTime(packet.pointer.pointee.pts) else { continue }
            let isKey = packet.pointer.pointee.flags & AV_PKT_FLAG_KEY != 0
            times.append((MediaTime(nanoseconds: time.count), isKey))
        }
        return times.sorted { $0.time < $1.time }
    }

    /// Reads the next interleaved samples of all channels, with full scale at ±1. The returned time is the
    /// file time of the first sample.
    ///
    /// - Returns: The samples and their time; `nil` at the end of the file.
    /// - Throws: An error if reading fails, or the sample rate or channel count changes.
    /// - Precondition: The reader was opened for audio.
    package func nextSamples() throws(EncodingError) -> (samples: [Float], time: MediaTime)? {
        precondition(isAudio, "the reader must be opened for audio")
        while let frame = try decoder?.nextFrame(), let resampler {
            guard let time = stream.fileTime(frame.pointee.best_effort_timestamp) else { continue }
            return (try resampler.samples(of: frame), MediaTime(nanoseconds: time.count))
        }
        return nil
    }

    /// Reads the next samples, mixed to mono, with full scale at ±1. The returned time is the file time of
    /// the first sample.
    ///
    /// - Returns: The samples and their time; `nil` at the end of the file.
    /// - Throws: An error if reading fails, or the sample rate or channel count changes.
    /// - Precondition: The reader was opened for audio.
    package func nextMonoSamples() throws(EncodingError) -> (samples: [Float], time: MediaTime)? {
        precondition(isAudio, "the reader must be opened for audio")
        while let frame = try decoder?.nextFrame(), let resampler {
            guard let time = stream.fileTime(frame.pointee.best_effort_timestamp) else { continue }
            let samples = try resampler.samples(of: frame)
            let count = samples.count / audioFormat.channels
            let mixed = [Float](unsafeUninitializedCapacity: count) { buffer, filled in
                if let target = buffer.baseAddress {
                    media_mix_channels(samples, target, Int32(audioFormat.channels), count)
                }
                filled = count
            }
            return (mixed, MediaTime(nanoseconds: time.count))
        }
        return nil
    }
}

extension SharedBytes {
    fileprivate func hasSameBytes(as other: SharedBytes) -> Bool {
        count == other.count && memcmp(start, other.start, count) == 0
    }
}
