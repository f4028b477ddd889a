internal import Media

/// How old frames of a shared screen are when they are looked at, so that each is dated by when it was composed, and the dates are as even as
/// the looks. A value: time is an argument.
///
/// A look finds the newest frame, which was composed up to an interval of the desktop's ago, and took some time to come. Of a screen that
/// stands still there is none, and it looked so at that age as well as now.
struct FrameAge {
    private var ages: [Nanoseconds] = []
    private var last = ClockTime(nanoseconds: 0)

    /// How many frames are remembered.
    private static let most = 30
    /// So many do not yet tell how different they are.
    private static let few = 10
    /// The greatest age that is believed. A desktop may date by another clock.
    private static let greatest = Nanoseconds.milliseconds(500)
    /// What is said where none is believed: a refresh of a slow monitor.
    private static let usual = Nanoseconds.milliseconds(17)

    /// Notes how long ago a frame was composed that a look has found.
    mutating func note(_ age: Nanoseconds) {
        guard age >= .zero, age <= Self.greatest else { return }
        ages = ages.suffix(Self.most - 1) + [age]
    }

    private var range: (least: Nanoseconds, most: Nanoseconds) {
        (ages.min() ?? .zero, ages.max() ?? Self.usual)
    }

    /// How far off a date may be: by more than the ages say where they are few, or are not believed.
    var error: Nanoseconds {
        let half = (range.most - range.least) / 2
        return ages.isEmpty ? Self.usual : ages.count < Self.few ? max(half, Self.usual / 2) : half
    }

    /// Dates what a look has found.
    ///
    /// - Parameter time: When it looked.
    /// - Returns: The date, later than the one before.
    mutating func date(at time: ClockTime) -> ClockTime {
        last = max(time - (range.least + range.most) / 2, last + .microseconds(1))
        return last
    }
}
