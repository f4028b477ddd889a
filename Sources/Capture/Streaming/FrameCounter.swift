import Media

/// Turns a driver's sequence numbers and time stamps into rising ones, and tells how many frames are missing between
/// them.
///
/// A pure value; the arrival time is an argument.
struct FrameCounter {
    /// The number and time of a frame in its stream.
    struct Place: Equatable {
        let sequence: Int64
        let capturedAt: ClockTime
        /// Number of frames that should have come before this one.
        let missing: Int
        /// The time at which the first missing frame should have been captured.
        let firstMissingAt: ClockTime
        /// Whether the driver's time was impossible and was replaced.
        let isCorrected: Bool
    }

    /// Nominal time between two frames.
    var interval: Nanoseconds
    private var lastRaw: UInt32?
    private var sequence: Int64 = -1
    private var lastTime: ClockTime?

    /// Starts before the first frame.
    ///
    /// - Parameter interval: Nominal time between two frames.
    init(interval: Nanoseconds) {
        self.interval = interval
    }

    /// Capture time of the last frame, if any.
    var lastCapture: ClockTime? { lastTime }

    /// Notes that the driver counts anew. The sequence continues.
    mutating func streamRestarts() {
        lastRaw = nil
    }

    /// Counts and dates a frame.
    ///
    /// - Parameters:
    ///   - raw: The driver's count, which wraps at 2³².
    ///   - stamp: The driver's time stamp.
    ///   - arrival: When the buffer was taken from the driver.
    /// - Returns: A sequence higher than the last; `missing` is at most twice what the time had room for.
    mutating func place(_ raw: UInt32, _ stamp: DriverStamp, arrivedAt arrival: ClockTime) -> Place {
        let previousTime = lastTime
        let (time, isCorrected) = captureTime(stamp, arrival)
        var missing = 0
        if let lastRaw, let previousTime {
            // A step back or a standstill is a driver that counts anew or not at all, and no loss.
            let step = Int64(Int32(bitPattern: raw &- lastRaw))
            // More frames cannot be missing than the time had room for, whatever a driver counts (some count fields).
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
            // A stamp from the future, or from long ago, is by another clock than the flags say. It may be any number.
            let isNear = driver <= arrival + interval && driver >= arrival - .seconds(10)
            let start = isNear && !stamp.isStartOfExposure ? driver - interval : driver
            isCorrected = !isNear || start > arrival || start < arrival - .seconds(10)
            if !isCorrected { time = start }
        }
        guard let lastTime, time <= lastTime else { return (time, isCorrected) }
        // Never ahead of the present: a camera faster than its nominal rate would come away from it without end.
        return (max(lastTime + Nanoseconds(1), min(lastTime + interval, arrival)), true)
    }
}
