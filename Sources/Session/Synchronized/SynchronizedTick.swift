public import Media

/// One tick of a `SynchronizedOutput`: what every one of its devices has for it.
public struct SynchronizedTick: Sendable {
    /// One device of the output.
    public struct Entry: Sendable {
        public let role: String
        public let capture: SynchronizedCapture
    }

    /// From 0, without gaps but for those that `leftOut` tells of.
    public let index: Int64
    /// Since T0: index ÷ rate.
    public let time: MediaTime
    /// How many ticks just before this one the handler was too slow for.
    public let leftOut: Int
    /// In the order of the output's roles: the main device first.
    public let entries: [Entry]

    /// What a device has; `nil` for a role that the output does not have.
    public subscript(role: String) -> SynchronizedCapture? {
        entries.first { $0.role == role }?.capture
    }

    func after(leavingOut count: Int) -> Self {
        Self(index: index, time: time, leftOut: count, entries: entries)
    }

    func map(_ change: (SynchronizedCapture) -> SynchronizedCapture) -> Self {
        let changed = entries.map { Entry(role: $0.role, capture: change($0.capture)) }
        return Self(index: index, time: time, leftOut: leftOut, entries: changed)
    }
}
