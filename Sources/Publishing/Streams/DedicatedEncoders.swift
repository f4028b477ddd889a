internal import MulticamEncoding
internal import MulticamInputs
internal import MulticamMedia

/// A separate x264 encoder for one live output. The encoder's bit rate, frame rate, and size adapt to the network.
///
/// Only one thread encodes at a time: the thread of the current tap, which changes when the tap reconnects.
/// Any thread may change the settings.
final class DedicatedVideoEncoder: @unchecked Sendable {
    private struct Wanted {
        var level: LiveRatePolicy.Level
        var needsKey = false
    }

    /// An encoder stream with a fixed size and frame rate.
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
    // Only the encoding thread accesses this property. The slot's lock ensures that one tap ends before the next
    // starts.
    private var running: Running?

    init(_ name: String, _ level: LiveRatePolicy.Level) {
        self.name = name
        wanted = ConditionLock(Wanted(level: level))
    }

    /// The requested level, which takes effect when frames of the level's size arrive.
    var level: LiveRatePolicy.Level { wanted.withLock { $0.level } }

    /// Changes the encoder's level, starting with the next frame.
    func change(to level: LiveRatePolicy.Level) { wanted.withLock { $0.level = level } }

    /// Encodes the next frame as a key frame.
    func requestKey() { wanted.withLock { $0.needsKey = true } }

    /// Encodes a frame.
    ///
    /// - Parameter frame: An I420 frame.
    /// - Returns: One packet; empty if the frame is in another format.
    /// - Throws: `EncodingError` if x264 fails.
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

    /// Returns the current stream, or a new one if the frame's size, its color description, or the requested
    /// frame rate has changed.
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

/// A separate AAC encoder for the mix of one live output. Only one thread encodes at a time: the thread of
/// the current tap.
final class DedicatedAudioEncoder: @unchecked Sendable {
    private struct Running {
        let encoder: any AudioEncoding
        let channels: Int
        let first: ClockTime
        /// Index of the next sample in the stream.
        var next: Int64
    }

    private let name: String
    // Only the encoding thread accesses this property. The slot's lock ensures that one tap ends before the next
    // starts.
    private var running: Running?

    private static let bitrate = 160_000

    init(_ name: String) { self.name = name }

    /// Encodes a slice of audio. A slice that doesn't directly follow the previous one starts a new stream.
    ///
    /// - Returns: The finished packets.
    /// - Throws: `EncodingError` if the encoder fails.
    func encode(_ slice: AudioTap.Slice) throws(EncodingError) -> [PublishedPacket] {
        guard (1...2).contains(slice.channels) else { return [] }
        var running: Running
        if let known = self.running, known.next == slice.firstSample, known.channels == slice.channels {
            running = known
        } else {
            running = Running(
                encoder: try Codecs().makeAudioEncoder(
                    channels: slice.channels, bitrate: Self.bitrate, name: name),
                channels: slice.channels, first: slice.capturedAt, next: slice.firstSample)
        }
        running.next += Int64(slice.samples.count / slice.channels)
        self.running = running
        let parameters = running.encoder.parameters
        let scale = parameters.timeScale
        return try running.encoder.encode(slice.samples).map { packet in
            let time = running.first + .duration(of: packet.presentation, perSecond: scale)
            return PublishedPacket(
                bytes: packet.bytes, presentedAt: time, decodedAt: time,
                duration: .duration(of: packet.duration, perSecond: scale), isKey: true,
                parameters: parameters)
        }
    }
}

/// Adapts a separate encoder to a congested network. The policy first reduces the bit rate, then the frame
/// rate, then the frame size. When the network recovers, the level is raised gradually. The policy is a value
/// type without side effects, and is updated once per second.
struct LiveRatePolicy {
    /// Measurements taken over one second.
    struct Measurement: Equatable {
        /// Age of the oldest bytes that are waiting to be sent, either in the live output's queue or in the
        /// protocol implementation.
        var queuedDuration = Nanoseconds.zero
        /// Number of frames that the queue dropped during this second.
        var droppedFrames: Int64 = 0
        /// Fraction of SRT packets that were lost before retransmission; 0 if the protocol doesn't report
        /// losses.
        var lostShare = 0.0
        /// Round-trip time; `nil` if the protocol doesn't report a round-trip time.
        var roundTrip: Nanoseconds?
        /// Number of bits sent during this second.
        var sentBits = 0
    }

    /// Encoder settings that the policy adapts: bit rate, frame rate, and frame size.
    struct Level: Equatable {
        var size: FrameSize
        var rate: FrameRate
        var bitrate: Int
    }

    /// The level that the user requested.
    let full: Level
    /// The level that the network currently supports.
    private(set) var level: Level
    /// Two counters: seconds since the last reduction, and seconds since the last congestion or increase.
    private var ticksSinceReduction = 0
    private var ticksWithoutCongestion = 0
    private var isHalfRate = false
    private var isHalfSize = false
    /// Shortest round-trip time measured so far. If the current round-trip time is longer, the difference is
    /// the queuing delay in the network.
    private var minRoundTrip: Nanoseconds?

    /// Age of waiting bytes above which the network is considered congested.
    private static let overloadThreshold = Nanoseconds.milliseconds(400)
    /// Age of waiting bytes below which the network is considered to have spare capacity.
    private static let recoveryThreshold = Nanoseconds.milliseconds(150)
    /// Maximum fraction of lost packets that retransmission can compensate for.
    private static let mostLost = 0.15
    /// Maximum difference between the current and the shortest round-trip time before the network counts as
    /// congested.
    private static let mostRoundTrip = Nanoseconds.milliseconds(200)
    /// Seconds to wait until a reduction takes effect.
    private static let reductionInterval = 2
    /// Seconds without congestion before the level is increased.
    private static let increaseInterval = 10

    /// Creates a policy that starts with the requested level.
    init(_ full: Level) { (self.full, level) = (full, full) }

    /// Evaluates the measurements of one second, and adapts the level.
    ///
    /// - Returns: The new level for the encoder.
    mutating func update(_ measurement: Measurement) -> Level {
        ticksSinceReduction += 1
        if let roundTrip = measurement.roundTrip { minRoundTrip = min(minRoundTrip ?? roundTrip, roundTrip) }
        let queued = (measurement.roundTrip ?? .zero) - (minRoundTrip ?? .zero)
        let isFull =
            measurement.queuedDuration > Self.overloadThreshold || measurement.droppedFrames > 0
            || queued > Self.mostRoundTrip
        if isFull || measurement.lostShare > Self.mostLost {
            ticksWithoutCongestion = 0
            // Fewer or smaller frames don't help against losses that aren't caused by congestion.
            if ticksSinceReduction > Self.reductionInterval, isFull || level.bitrate > full.bitrate / 4 {
                lower(measurement)
            }
        } else if measurement.queuedDuration < Self.recoveryThreshold {
            ticksWithoutCongestion += 1
            if ticksWithoutCongestion >= Self.increaseInterval {
                ticksWithoutCongestion = 0
                raise()
            }
        } else {
            ticksWithoutCongestion = 0
        }
        return level
    }

    private mutating func lower(_ measurement: Measurement) {
        ticksSinceReduction = 0
        let least = full.bitrate / 4
        if level.bitrate > least {
            // The number of bits sent during a congested second shows the network's capacity, so the bit rate
            // doesn't have to be reduced step by step.
            let taken =
                measurement.queuedDuration > Self.overloadThreshold
                ? measurement.sentBits * 9 / 10 : level.bitrate
            level.bitrate = max(least, min(level.bitrate * 3 / 4, max(taken, least)))
        } else if !isHalfRate {
            isHalfRate = true
            level.rate = FrameRate(full.rate.frames, per: full.rate.seconds * 2)
        } else if !isHalfSize {
            isHalfSize = true
            level.size = FrameSize(width: full.size.width / 4 * 2, height: full.size.height / 4 * 2)
        }
    }

    private mutating func raise() {
        if isHalfSize {
            isHalfSize = false
            level.size = full.size
        } else if isHalfRate {
            isHalfRate = false
            level.rate = full.rate
        } else {
            level.bitrate = min(full.bitrate, level.bitrate + full.bitrate / 10)
        }
    }
}
