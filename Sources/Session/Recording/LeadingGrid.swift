internal import Media
internal import Timing

/// The grid on whose ticks a recording and its parts end.
struct LeadingGrid: Sendable {
    /// Rate of the grid; `nil` when a recording without frames ends at any sample.
    let rate: FrameRate?

    /// The lowest rate at which an end waits for the next tick: one frame per second.
    static let slowestAwaitedRate = FrameRate(1, per: 1)

    /// Moves a time since T0 to the first tick at or after it, but not to tick 0.
    ///
    /// Below one frame per second, and without frames, the time itself holds: the wait for the tick would be too long.
    func end(_ time: MediaTime) -> MediaTime {
        guard let rate else { return max(time, MediaTime(nanoseconds: 1)) }
        guard rate >= Self.slowestAwaitedRate else { return max(time, AudioGrid.blocks.time(ofTick: 1)) }
        return rate.time(ofTick: max(rate.ticks(before: time), 1))
    }
}
