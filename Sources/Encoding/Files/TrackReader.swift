internal import CMedia
import Glibc
public import Media

/// Reads one stream of a recorded file from any time on, to measure it or to show it again. Used by one thread alone.
///
/// Times are the file's own: 0 is where a player begins. Damaged frames are skipped.
public final class TrackReader {
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
    /// Whether nothing was read yet, so that the reader is at the file's beginning.
    private var isFresh = true

    /// Time and brightness of one frame of the file.
    public struct Look: Sendable {
        /// Time of the frame since the file's time 0.
        public let time: MediaTime
        /// Mean luma of the frame: 0 black, 1 white.
        public let brightness: Double
        /// Whether the frame repeats the one before it: byte for byte for a JPEG, else by exactly equal brightness.
        public let isRepeat: Bool
    }

    /// Opens a stream at the beginning of the file.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - stream: Index of the stream in the file.
    ///   - media: The kind of media that the stream must have.
    ///   - isMeasured: Whether frames are only measured, so that their decoder may skip what the eye alone needs. Otherwise those
    ///     before the file's time 0, which others need, are given out too.
    /// - Throws: When the file cannot be read, or the stream is missing, of another kind, or without rate or channels; when frames
    ///   are to be shown and the file does not say their size.
    public init(
        path: String, stream: Int, media: MediaFileReader.Media, isMeasured: Bool = true
    ) throws(EncodingError) {
        isAudio = media == .audio
        self.isMeasured = isMeasured
        self.stream = try DemuxedStream(
            path: path, type: isAudio ? AVMEDIA_TYPE_AUDIO : AVMEDIA_TYPE_VIDEO, number: stream)
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
                subject: path, operation: "reading", reason: "the file does not say its frame size")
        }
        guard
            !isAudio
                || ((1000...768_000).contains(audioFormat.rate) && (1...64).contains(audioFormat.channels))
        else {
            throw EncodingError(
                subject: path, operation: "reading", reason: "the file does not say its rate or channels")
        }
        try seek(to: .zero)
    }

    /// Duration of the stream, or else of the file; `nil` where the file does not state it.
    public var duration: Nanoseconds? { stream.duration }
    /// Time of the first frame or sample that a player shows, since the file's time 0; `nil` where the file does not state it.
    public var begin: MediaTime? { stream.begin.map { MediaTime(nanoseconds: $0.count) } }
    /// Samples per second and channel; 0 in a reader of video.
    public var sampleRate: Int { isAudio ? audioFormat.rate : 0 }
    /// Number of audio channels; 0 in a reader of video.
    public var channels: Int { isAudio ? audioFormat.channels : 0 }

    /// Continues at the last key frame or audio packet at or before `time`; what is read next may begin earlier than
    /// `time`.
    public func seek(to time: MediaTime) throws(EncodingError) {
        if time > .zero || !isFresh { try stream.seek(to: Nanoseconds(time.nanoseconds)) }
        isFresh = false
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
    /// - Returns: Its time and brightness; `nil` at the end of the file.
    /// - Throws: When reading fails.
    /// - Precondition: The reader was opened for video.
    public func nextLook() throws(EncodingError) -> Look? {
        precondition(!isAudio, "a reader of audio has no frames")
        return isJPEG ? try nextJPEG() : try nextDecoded()
    }

    private func nextJPEG() throws(EncodingError) -> Look? {
        while try stream.read(into: packet.pointer) {
            guard let time = stream.fileTime(packet.pointer.pointee.pts) else { continue }
            let memory = try packet.takeBytes(stream.path)
            let at = MediaTime(nanoseconds: time.count)
            if let lastJPEG, lastJPEG.memory.hasSameBytes(as: memory) {
                return Look(time: at, brightness: lastJPEG.brightness, isRepeat: true)
            }
            guard let mean = brightness.mean(ofJPEG: memory) else { continue }
            lastJPEG = (memory, mean)
            return Look(time: at, brightness: mean, isRepeat: false)
        }
        return nil
    }

    private var lastBrightness: Double?

    private func nextDecoded() throws(EncodingError) -> Look? {
        while let frame = try decoder?.next() {
            guard let time = stream.fileTime(frame.pointee.best_effort_timestamp) else { continue }
            let frame = try frames.frame(
                of: frame, capturedAt: ClockTime(nanoseconds: time.count), sequence: 0)
            guard let mean = brightness.mean(of: frame) else { continue }
            defer { lastBrightness = mean }
            return Look(
                time: MediaTime(nanoseconds: time.count), brightness: mean, isRepeat: mean == lastBrightness)
        }
        return nil
    }

    /// Reads the next frame to be shown: the file's own JPEG, else decoded.
    ///
    /// - Returns: The frame and its time. A JPEG that repeats the one before byte for byte is the same object, so that nobody decodes
    ///   it again. `nil` at the end of the file.
    /// - Throws: When reading or converting fails.
    /// - Precondition: The reader was opened for video.
    public func nextFrame() throws(EncodingError) -> (frame: CapturedFrame, time: MediaTime)? {
        precondition(!isAudio, "a reader of audio has no frames")
        guard isJPEG else {
            while let decoded = try decoder?.next() {
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
            let memory = try packet.takeBytes(stream.path)
            if let lastFrame, lastFrame.memory.hasSameBytes(as: memory) { return (lastFrame, at) }
            let frame = CapturedFrame(
                pixel: .mjpeg, size: frameSize, color: .jpeg, capturedAt: ClockTime(nanoseconds: time.count),
                sequence: 0, memory: memory, isOwned: true)
            lastFrame = frame
            return (frame, at)
        }
        return nil
    }

    /// The time of each frame from the reader's place to the end of the file, and whether it can be decoded without others, in
    /// order, without decoding any: below 0 for those that the file hides. It reads the rest of the file; `seek` begins anew.
    ///
    /// - Throws: When reading fails.
    public func frameTimes() throws(EncodingError) -> [(time: MediaTime, isKey: Bool)] {
        var times: [(time: MediaTime, isKey: Bool)] = []
        while try stream.read(into: packet.pointer) {
            guard let time = stream.fileTime(packet.pointer.pointee.pts) else { continue }
            let isKey = packet.pointer.pointee.flags & AV_PKT_FLAG_KEY != 0
            times.append((MediaTime(nanoseconds: time.count), isKey))
        }
        return times.sorted { $0.time < $1.time }
    }

    /// Reads the next samples with all their channels: interleaved, full scale ±1, with the time of the first one.
    ///
    /// - Returns: The samples and their time; `nil` at the end of the file.
    /// - Throws: When reading fails, or rate or channels change.
    /// - Precondition: The reader was opened for audio.
    public func nextSamples() throws(EncodingError) -> (samples: [Float], time: MediaTime)? {
        precondition(isAudio, "a reader of frames has no audio")
        while let frame = try decoder?.next(), let resampler {
            guard let time = stream.fileTime(frame.pointee.best_effort_timestamp) else { continue }
            return (try resampler.samples(of: frame), MediaTime(nanoseconds: time.count))
        }
        return nil
    }

    /// Reads the next samples, all channels mixed into one, full scale ±1, with the time of the first one since the
    /// file's time 0.
    ///
    /// - Returns: The samples and their time; `nil` at the end of the file.
    /// - Throws: When reading fails, or rate or channels change.
    /// - Precondition: The reader was opened for audio.
    public func nextAudio() throws(EncodingError) -> (samples: [Float], time: MediaTime)? {
        precondition(isAudio, "a reader of frames has no audio")
        while let frame = try decoder?.next(), let resampler {
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
