internal import Encoding
internal import Media

/// A publication's own x264 stream, whose bit rate, rate and size follow the network.
///
/// One thread at a time encodes, the tap's; another one may be the next tap's after a reconnection. Any thread may change what is wanted.
final class OwnVideoEncoder: @unchecked Sendable {
    private struct Wanted {
        var level: LiveRatePolicy.Level
        var needsKey = false
    }

    /// A stream of one size and rate.
    private struct Running {
        let encoder: H264Encoder
        let size: FrameSize
        let rate: FrameRate
        let color: ColorDescription
        let first: ClockTime
        var bitrate: Int
        var tick: Int64 = -1
    }

    private let name: String
    private let wanted: ConditionLock<Wanted>
    // Only the thread that encodes touches it; the end of one tap and the beginning of the next are ordered by the slot's lock.
    private var running: Running?

    init(_ name: String, _ level: LiveRatePolicy.Level) {
        self.name = name
        wanted = ConditionLock(Wanted(level: level))
    }

    /// What it makes, or will make when frames of that size come.
    var level: LiveRatePolicy.Level { wanted.withLock { $0.level } }

    /// Makes something else from the next frame on.
    func change(to level: LiveRatePolicy.Level) { wanted.withLock { $0.level = level } }

    /// Makes the next frame a key frame.
    func requestKey() { wanted.withLock { $0.needsKey = true } }

    /// Encodes a frame.
    ///
    /// - Parameter frame: An I420 frame.
    /// - Returns: One packet, none for a frame in another format.
    /// - Throws: `EncodingError` when x264 fails.
    func encode(_ frame: CapturedFrame) throws(EncodingError) -> [PublishedPacket] {
        guard frame.pixel == .i420, frame.planes.count == 3 else { return [] }
        let (level, needsKey) = wanted.withLock { wanted in
            defer { wanted.needsKey = false }
            return (wanted.level, wanted.needsKey)
        }
        var running = try self.running(for: frame, level)
        defer { self.running = running }
        if running.bitrate != level.bitrate {
            running.encoder.change(bitrate: level.bitrate)
            running.bitrate = level.bitrate
        }
        let elapsed = MediaTime(frame.capturedAt, since: running.first)
        let tick = max(
            elapsed.nanoseconds.rescaled(
                from: running.rate.seconds * Nanoseconds.seconds(1).count, to: running.rate.frames),
            running.tick + 1)
        running.tick = tick
        let parameters = running.encoder.parameters
        return try running.encoder.encode(
            i420: frame.memory, planes: frame.planes, tick: tick, asKey: needsKey
        ).map { packet in
            PublishedPacket(
                bytes: packet.bytes, presentedAt: frame.capturedAt, decodedAt: frame.capturedAt,
                duration: running.rate.interval, isKey: packet.isKey, parameters: parameters)
        }
    }

    /// The stream that goes on, or a new one where the frame's size, its colours or the wanted rate are others.
    private func running(
        for frame: CapturedFrame, _ level: LiveRatePolicy.Level
    ) throws(EncodingError) -> Running {
        if let running, running.size == frame.size, running.rate == level.rate, running.color == frame.color {
            return running
        }
        return Running(
            encoder: try H264Encoder(
                live: name, size: frame.size, rate: level.rate, bitrate: level.bitrate, color: frame.color),
            size: frame.size, rate: level.rate, color: frame.color, first: frame.capturedAt,
            bitrate: level.bitrate)
    }
}
