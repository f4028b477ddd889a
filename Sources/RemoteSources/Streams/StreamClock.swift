internal import CMulticamMedia
internal import Glibc
internal import MulticamMedia

/// Maps the timestamps of a network stream to CLOCK_MONOTONIC.
///
/// Timestamps define a rate but not an origin. The origin comes from one of two sources. The first source is
/// the camera's wall clock, provided that the camera sends it with its frames and that it agrees with this
/// computer's clock. Otherwise, the origin is derived from the arrival times of the fastest frames of the
/// last few seconds, minus the minimum transport time. This is a value type; the caller passes the time.
struct StreamClock {
    /// Source of the capture times. The source is chosen once, so that capture times don't jump.
    private(set) var origin: TimeOrigin?
    /// Minimum time from the start of exposure to arrival, estimated without a wall clock.
    var transportDelay: Nanoseconds
    /// Part of `way` from the arrival of a frame until it is known to be complete.
    var assembly = Nanoseconds.zero
    /// Maximum backward step of timestamps from one packet to the next that doesn't count as a new origin.
    private(set) var reordering = Self.leastReordering
    /// Offset from timestamps to CLOCK_MONOTONIC.
    private var offset = Nanoseconds.zero
    /// Smallest offset from timestamp to arrival, by second of arrival.
    private var minOffsets: [(second: Int64, offset: Nanoseconds)] = []
    private var last: (stamp: Nanoseconds, arrival: ClockTime)?
    /// Offset from timestamps to CLOCK_MONOTONIC according to the camera's wall clock.
    private var wall: Nanoseconds?
    /// Total change of the camera's wall clock since the clock source was chosen.
    private var step = Nanoseconds.zero
    /// Latest change of the wall clock, until `dequeueClockChange` returns it.
    private var pendingClockChange: Nanoseconds?
    /// Time of the last report that the wall clock was set.
    private var lastReport: ClockTime?
    private var lastAdjustment: ClockTime?

    /// Window for the fastest frames, in seconds. A drift of 100 ppm amounts to one millisecond in this
    /// window.
    private static let window = 10
    /// Divergence of timestamps and arrival times above which the timestamps are considered to have a new
    /// origin.
    private static let jump = Nanoseconds.seconds(1)
    /// Sudden change of the wall clock above which the clock is considered to have been set.
    private static let minClockChange = Nanoseconds.milliseconds(50)
    /// Maximum backward step of timestamps in a stream without B-frames.
    private static let leastReordering = Nanoseconds.milliseconds(150)
    /// Maximum number of frame intervals between two successive packets in a stream with B-frames. H.264 and HEVC
    /// decoders hold at most 16 frames, so up to 16 frames are sent after a frame and shown before it.
    private static let mostReordered: Int64 = 18
    /// Minimum time between two reports that the wall clock was set.
    private static let reportInterval = Nanoseconds.seconds(10)
    /// Plausible transport times according to the camera's wall clock. Other times mean that the clock is wrong.
    private static let plausibleDelays = Nanoseconds.milliseconds(-5)...Nanoseconds.seconds(2)
    /// Maximum correction of capture times per second: larger than any clock drift, and too small to be visible.
    private static let slew = 0.002
    /// Accuracy of a camera's clock reports. Some cameras report when a frame was sent, not when it was captured.
    private static let reportAccuracy = Nanoseconds.milliseconds(10)
    /// Allowance for the camera's own processing time, which is unknown.
    private static let defaultError = Nanoseconds.milliseconds(200)

    /// Creates a clock that has no observations yet.
    ///
    /// - Parameter transportDelay: Minimum transport time of a frame.
    init(transportDelay: Nanoseconds = .zero) { self.transportDelay = transportDelay }

    /// Sets the maximum backward step of timestamps.
    ///
    /// - Parameters:
    ///   - hasReordering: Whether the order of the packets differs from the display order of their frames, as
    ///     with B-frames.
    ///   - interval: The time between two frames.
    mutating func allowReordering(_ hasReordering: Bool, interval: Nanoseconds) {
        reordering =
            hasReordering ? max(Self.leastReordering, interval * Self.mostReordered) : Self.leastReordering
    }

    /// Records the arrival of a frame or audio.
    ///
    /// - Parameters:
    ///   - stamp: The timestamp of the frame or audio in the stream.
    ///   - arrival: Arrival time.
    ///   - isRebased: Whether the timestamps may have a new origin from this frame on.
    /// - Returns: Whether the timestamps have a new origin.
    @discardableResult
    mutating func record(_ stamp: Nanoseconds, arrival: ClockTime, isRebased: Bool = false) -> Bool {
        let jump = jump(to: stamp, arrival: arrival, isRebased: isRebased)
        if let jump {
            // The offset is adjusted so that capture times remain consistent with arrival times.
            offset = offset - jump
            wall = wall.map { $0 - jump }
            minOffsets = minOffsets.map { ($0.second, $0.offset - jump) }
        }
        last = (stamp, arrival)
        let second = arrival.nanoseconds / 1_000_000_000
        let distance = Nanoseconds(arrival.nanoseconds) - stamp
        if let index = minOffsets.firstIndex(where: { $0.second == second }) {
            minOffsets[index].offset = min(minOffsets[index].offset, distance)
        } else {
            minOffsets.append((second, distance))
            minOffsets.removeAll { $0.second < second - Int64(Self.window) }
        }
        if origin == .arrival, let fastest { adjust(to: fastest - transportDelay, at: arrival) }
        return jump != nil
    }

    /// Returns the difference between the steps of timestamps and arrivals if the timestamps have a new
    /// origin; otherwise `nil`. In a session with several streams, timestamps jump when the camera's wall
    /// clock is set.
    private func jump(to stamp: Nanoseconds, arrival: ClockTime, isRebased: Bool) -> Nanoseconds? {
        guard let last else { return nil }
        let step = stamp - last.stamp
        let apart = step - (arrival - last.arrival)
        guard apart.magnitude > Self.minClockChange else { return nil }
        // Network delays never make a frame arrive before its capture.
        let isEarly = origin == .wallClock && time(of: stamp) - arrival > Self.minClockChange
        let goesBack = step < .zero - reordering
        // A packet may be ahead of the previous one by as much as it may be behind.
        let isJump =
            apart.magnitude > Self.jump
            && (step.magnitude > max(Self.jump, reordering) || step < .zero && !hasReordering)
        return isRebased || isJump || isEarly || goesBack ? apart : nil
    }

    /// Records the capture time of a frame according to the camera's wall clock.
    ///
    /// - Parameters:
    ///   - stamp: The frame's timestamp in the stream.
    ///   - time: The camera's wall clock at the capture, converted to CLOCK_MONOTONIC using this computer's
    ///     wall clock.
    ///   - arrival: Arrival time.
    mutating func record(_ stamp: Nanoseconds, captured time: ClockTime, arrival: ClockTime) {
        let distance = Nanoseconds(time.nanoseconds) - stamp
        wall = distance
        guard origin == .wallClock else { return }
        let change = distance - step - offset
        if change.magnitude > Self.minClockChange {
            step = distance - offset
            if lastReport.map({ arrival - $0 >= Self.reportInterval }) ?? true {
                (pendingClockChange, lastReport) = (change, arrival)
            }
        }
        adjust(to: distance - step, at: arrival)
    }

    /// Returns the step of the camera's wall clock relative to this computer's clock since the last call, positive or
    /// negative. Returns `nil` if the camera's clock hasn't been set, or if a change was reported recently.
    mutating func dequeueClockChange() -> Nanoseconds? {
        defer { pendingClockChange = nil }
        return pendingClockChange
    }

    private var hasReordering: Bool { reordering > Self.leastReordering }

    private var fastest: Nanoseconds? { minOffsets.map(\.offset).min() }

    /// Transport time of the fastest frames according to the camera's wall clock; `nil` if that clock is
    /// missing or wrong.
    var measuredTransportDelay: Nanoseconds? {
        guard let wall, let fastest, Self.plausibleDelays.contains(fastest - wall) else { return nil }
        return fastest - wall
    }

    /// Chooses the source of capture times from now on.
    mutating func chooseOrigin() {
        if let way = measuredTransportDelay, let wall {
            (origin, offset, self.transportDelay) = (.wallClock, wall, max(way, .zero))
        } else {
            (origin, offset) = (.arrival, (fastest ?? .zero) - transportDelay)
        }
    }

    /// Returns the capture time for a timestamp.
    func time(of stamp: Nanoseconds) -> ClockTime { ClockTime(nanoseconds: (stamp + offset).count) }

    /// Maximum error of capture times.
    ///
    /// If the camera's wall clock is used, its error is at most the measured transport time, because no frame arrives
    /// before its capture, even if the clock is slow. Without a wall clock, the camera's own processing time is
    /// unknown.
    var error: Nanoseconds {
        origin == .wallClock ? max(transportDelay - assembly, Self.reportAccuracy) : Self.defaultError
    }

    private mutating func adjust(to target: Nanoseconds, at time: ClockTime) {
        let passed = lastAdjustment.map { min(max(time - $0, .zero), .seconds(1)) } ?? .zero
        lastAdjustment = time
        let most = Nanoseconds.seconds(rounding: passed.inSeconds * Self.slew)
        offset = offset + min(max(target - offset, -most), most)
    }
}

/// A camera's wall clock, mapped to CLOCK_MONOTONIC using this computer's wall clock.
enum WallClock {
    /// Returns the capture time of a packet according to the camera's wall clock; `nil` if the camera hasn't
    /// sent its wall clock.
    static func capture(of packet: UnsafeMutablePointer<AVPacket>) -> ClockTime? {
        var size = 0
        guard let data = av_packet_get_side_data(packet, AV_PKT_DATA_PRFT, &size),
            size >= MemoryLayout<AVProducerReferenceTime>.size
        else { return nil }
        let microseconds = UnsafeRawPointer(data).loadUnaligned(as: AVProducerReferenceTime.self).wallclock
        return monotonic(wall: .microseconds(microseconds))
    }

    /// Converts a wall clock time to CLOCK_MONOTONIC, using the current difference between the two clocks.
    ///
    /// - Parameter time: Time since 1970.
    /// - Returns: The same instant on CLOCK_MONOTONIC.
    static func monotonic(wall time: Nanoseconds) -> ClockTime {
        ClockTime(nanoseconds: (time - read(CLOCK_REALTIME) + read(CLOCK_MONOTONIC)).count)
    }

    private static func read(_ clock: clockid_t) -> Nanoseconds {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(Int64(time.tv_sec)) + Nanoseconds(Int64(time.tv_nsec))
    }
}
