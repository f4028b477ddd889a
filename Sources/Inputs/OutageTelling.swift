internal import Media
package import SessionFolder

/// Decides which outages and returns of one device are told: a loose contact would otherwise fill the events.
///
/// Twelve events are told at once, and one more for every half second: no hand pulls and plugs a cable faster for
/// long. The first that is not told becomes a warning. The gaps in the manifest have all outages.
package struct OutageTelling {
    private let device: String
    private var allowance = Self.most
    private var regainedAt: MediaTime?
    private var isWarned = false

    private static let most: Int64 = 12
    private static let interval: Int64 = 500_000_000

    /// Creates the telling of one device.
    ///
    /// - Parameter device: The device's name for people, such as `camera desk`.
    package init(of device: String) {
        self.device = device
    }

    /// Decides whether an event is told.
    ///
    /// - Parameter event: An event of the device, in the order in which they happened.
    /// - Returns: The event to tell in its place, or `nil` for none.
    package mutating func told(_ event: SessionEvent) -> SessionEvent? {
        guard event.name == .unplug || event.name == .replug else { return event }
        regain(at: event.at)
        if allowance > 0 {
            allowance -= 1
            isWarned = false
            return event
        }
        if isWarned { return nil }
        isWarned = true
        var fields = event.fields
        fields["text"] = .string(
            "\(device) comes and goes, and not every time is told any more: the gaps in the manifest have all of them. "
                + "Look at its cable.")
        return SessionEvent(.warning, at: event.at, fields)
    }

    private mutating func regain(at time: MediaTime) {
        guard let before = regainedAt else { return regainedAt = time }
        let passed = time.nanoseconds.subtractingReportingOverflow(before.nanoseconds)
        let count = passed.overflow ? 0 : passed.partialValue / Self.interval
        guard count > 0 else { return }
        allowance = min(allowance + min(count, Self.most), Self.most)
        regainedAt = time
    }
}
