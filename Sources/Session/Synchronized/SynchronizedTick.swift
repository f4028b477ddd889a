public import Media

/// One tick of a `SynchronizedOutput`: what each of its devices captured for it.
public struct SynchronizedTick: Sendable {
    /// What one device captured for a tick.
    public struct Entry: Sendable {
        /// The device's role.
        public let role: String
        /// What the device captured.
        public let capture: SynchronizedCapture
    }

    /// Number of the tick, from 0 on, without gaps except for the ticks that `leftOut` counts.
    public let index: Int64
    /// Time of the tick since T0: index ÷ rate.
    public let time: MediaTime
    /// How many ticks directly before this one were dropped because the handler was too slow.
    public let leftOut: Int
    /// One entry for each device, in the order of the output's roles: the main device first.
    public let entries: [Entry]

    /// What the device of a role captured, or `nil` for a role that the output does not have.
    public subscript(role: String) -> SynchronizedCapture? {
        entries.first { $0.role == role }?.capture
    }

    /// The tick with another count of dropped ticks before it.
    func after(leavingOut count: Int) -> Self {
        Self(index: index, time: time, leftOut: count, entries: entries)
    }

    /// The tick with changed captures.
    func map(_ change: (SynchronizedCapture) -> SynchronizedCapture) -> Self {
        let changed = entries.map { Entry(role: $0.role, capture: change($0.capture)) }
        return Self(index: index, time: time, leftOut: leftOut, entries: changed)
    }
}
