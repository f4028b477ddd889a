package import Media

/// The rule that drops frames evenly, to come from one rate to a lower one.
///
/// It is the classic rule of video calls (WebRTC, `FramerateController::KeepFrame`): the next wanted time goes on by one interval
/// of the lower rate, begins at half of one, and begins anew when the frames are two intervals off.
package struct FrameDecimator: Sendable, Equatable {
    package let rate: FrameRate
    private var next: MediaTime?

    /// Creates a rule that keeps its first frame.
    ///
    /// - Parameter rate: The rate of the frames that are kept.
    package init(rate: FrameRate) {
        self.rate = rate
    }

    /// Whether to keep the frame of an instant. Instants come in order.
    package mutating func keeps(_ time: MediaTime) -> Bool {
        let interval = rate.interval.count
        guard let wanted = next, abs(wanted.nanoseconds - time.nanoseconds) < 2 * interval else {
            next = MediaTime(nanoseconds: time.nanoseconds + interval / 2)
            return true
        }
        // Ticks are whole nanoseconds: a frame that is a hundredth of an interval too early is on time.
        guard time.nanoseconds >= wanted.nanoseconds - interval / 100 else { return false }
        next = MediaTime(nanoseconds: wanted.nanoseconds + interval)
        return true
    }
}
