internal import CMedia
import Glibc
public import Media

/// Reads one stream of a recorded file from any time on, to be measured and not to be shown. Used by one thread alone.
///
/// Times are the file's own: 0 is where a player begins. What is damaged is passed over.
public final class TrackReader {
    private let stream: DemuxedStream
    private let isAudio: Bool
    private let packet: OwnedPacket
    private let brightness = FrameBrightness()
    private let frames: FileFrames
    private let audioFormat: AudioFormat
    private let isJPEG: Bool
    private var decoder: FileDecoder?
    private var resampler: InterleavedAudio?
    private var lastJPEG: (memory: SharedBytes, brightness: Double)?

    /// One frame of the file.
    public struct Look: Sendable {
        public let time: MediaTime
        /// Its mean luma: 0 black, 1 white.
        public let brightness: Double
        /// Whether it is the very frame before it again: byte for byte of a JPEG, else to the last digit of its brightness.
        public let isRepeat: Bool
    }

    /// - Parameters:
    ///   - path: The file's.
    ///   - stream: The stream's place in the file.
    ///   - media: What must be there.
    /// - Throws: When the file cannot be read, or that stream is something else.
    public init(path: String, stream: Int, media: MediaFileReader.Media) throws(EncodingError) {
        isAudio = media == .audio
        self.stream = try DemuxedStream(
            path: path, type: isAudio ? AVMEDIA_TYPE_AUDIO : AVMEDIA_TYPE_VIDEO, number: stream)
        packet = try OwnedPacket(path)
        frames = FileFrames(path)
        let facts = self.stream.parameters.pointee
        isJPEG = facts.codec_id == AV_CODEC_ID_MJPEG
        audioFormat = AudioFormat(rate: Int(facts.sample_rate), channels: Int(facts.ch_layout.nb_channels))
        guard
            !isAudio
                || ((1000...768_000).contains(audioFormat.rate) && (1...64).contains(audioFormat.channels))
        else {
            throw EncodingError(
                subject: path, operation: "reading", reason: "the file does not say its rate or channels")
        }
        try seek(to: .zero)
    }

    /// How long the stream is; `nil` where the file does not say.
    public var duration: Nanoseconds? { stream.duration }
    /// Samples per second; 0 in a reader of frames.
    public var sampleRate: Int { isAudio ? audioFormat.rate : 0 }

    /// Goes on with what can be decoded first at or before a time; what comes next may begin earlier.
    public func seek(to time: MediaTime) throws(EncodingError) {
        if time > .zero { try stream.seek(to: Nanoseconds(time.nanoseconds)) }
        lastJPEG = nil
        decoder = isJPEG && !isAudio ? nil : try FileDecoder(stream, skippingLoopFilter: !isAudio)
        resampler = isAudio ? InterleavedAudio(stream.path, audioFormat) : nil
    }

    /// - Returns: The next frame whose brightness can be told; `nil` at the end of the file.
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

    /// The next samples, all channels mixed into one, with the time of the first.
    ///
    /// - Returns: `nil` at the end of the file.
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
