import MulticamMedia

/// Converts a driver's sequence numbers and timestamps to strictly increasing values, and computes the number
/// of missing frames.
///
/// This pure value type receives the arrival time as an argument.
struct FrameCounter {
    /// Sequence number and capture time of a frame in its stream.
    struct Place: Equatable {
        let sequence: Int64
        let capturedAt: ClockTime
        /// Number of frames missing directly before this frame.
        let missing: Int
        /// Expected capture time of the first missing frame.
        let firstMissingAt: ClockTime
        /// Whether the driver's timestamp was implausible and was replaced.
        let isCorrected: Bool
    }

    /// Nominal frame interval.
    var interval: Nanoseconds
    private var lastRaw: UInt32?
    private var sequence: Int64 = -1
    private var lastTime: ClockTime?

    /// Creates a counter for a stream without frames.
    ///
    /// - Parameter interval: Nominal frame interval.
    init(interval: Nanoseconds) {
        self.interval = interval
    }

    /// Capture time of the last frame; `nil` before the first frame.
    var lastCapture: ClockTime? { lastTime }

    /// Records that the driver restarts its frame count. The sequence numbers assigned by `place` continue.
    mutating func resetSequence() {
        lastRaw = nil
    }

    /// Assigns a sequence number and a capture time to a frame.
    ///
    /// - Parameters:
    ///   - raw: The driver's sequence number, which wraps at 2³².
    ///   - stamp: The driver's timestamp.
    ///   - arrival: Time when the buffer was dequeued.
    /// - Returns: A sequence number that is greater than the previous sequence number. `missing` is at most
    ///   twice the number of frames that fit into the elapsed time.
    mutating func place(_ raw: UInt32, _ stamp: DriverStamp, arrivedAt arrival: ClockTime) -> Place {
        let previousTime = lastTime
        let (time, isCorrected) = captureTime(stamp, arrival)
        var missing = 0
        if let lastRaw, let previousTime {
            // A frame count that decreases or doesn't change means that the driver restarted counting or
            // doesn't count frames. Neither case is a loss.
            let step = Int64(Int32(bitPattern: raw &- lastRaw))
            // The elapsed time limits the number of missing frames, because some drivers count fields.
            let room = ((time - previousTime).count + interval.count / 2) / max(interval.count, 1)
            missing = Int(max(0, min(step - 1, room * 2)))
        }
        lastRaw = raw
        lastTime = time
        sequence += 1 + Int64(missing)
        return Place(
            sequence: sequence, capturedAt: time, missing: missing,
            firstMissingAt: previousTime.map { $0 + interval } ?? time, isCorrected: isCorrected)
    }

    private func captureTime(
        _ stamp: DriverStamp, _ arrival: ClockTime
    ) -> (time: ClockTime, isCorrected: Bool) {
        var time = arrival - interval
        var isCorrected = false
        if let driver = stamp.time {
            // A timestamp in the future or far in the past comes from a clock other than the one in the buffer's flags.
            // The value of such a timestamp is arbitrary.
            let isNear = driver <= arrival + interval && driver >= arrival - .seconds(10)
            let start = isNear && !stamp.isStartOfExposure ? driver - interval : driver
            isCorrected = !isNear || start > arrival || start < arrival - .seconds(10)
            if !isCorrected { time = start }
        }
        guard let lastTime, time <= lastTime else { return (time, isCorrected) }
        // The time is never later than the arrival time. Otherwise, the times of a camera that is faster than its
        // nominal rate would drift ahead without limit.
        return (max(lastTime + Nanoseconds(1), min(lastTime + interval, arrival)), true)
    }
}
