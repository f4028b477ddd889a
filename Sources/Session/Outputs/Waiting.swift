internal import Media

/// Something in a queue, and since when. By the real clock, as disks are slow in real time only.
struct Waiting<Item: Sendable>: Sendable {
    let item: Item
    private let since: ClockTime

    init(_ item: Item) {
        self.item = item
        since = RealTime.clock.now
    }

    var age: Nanoseconds { RealTime.clock.now - since }
}

private enum RealTime {
    static let clock = MonotonicClock()
}
