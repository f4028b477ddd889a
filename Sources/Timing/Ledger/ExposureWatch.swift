package import Media

/// Counts the frames that a camera leaves out by itself: in the dark nearly all webcams expose longer than their rate
/// allows, and deliver half as many without a gap in their count.
///
/// A value, fed with the interval that the camera's clock model has found.
package struct ExposureWatch {
    private let nominal: Nanoseconds
    /// Frames left out that do not add up to a whole one yet.
    private var debt = 0.0
    /// Whether the camera exposes longer than its rate allows.
    private(set) var isSlow = false
    /// The number of frames in a row that contradict `isSlow`.
    private var against = 0

    /// The share from which a slower camera has a lower rate; less is a crystal's error or a rounded interval (1/29.97 for 1/30).
    private static let tolerance = 0.05
    /// The numbers of frames in a row that begin and end a spell of darkness, so that a camera at the edge is not reported again
    /// and again.
    private static let spell = (begin: 15, end: 300)

    /// Creates a watch over a camera that is not slow.
    ///
    /// - Parameter nominal: The time between two frames at the rate that the camera was set to. Above 0.
    package init(nominal: Nanoseconds) {
        self.nominal = nominal
    }

    /// Takes note of one frame.
    ///
    /// - Parameter interval: The camera's present interval.
    /// - Returns: How many frames are missing before it, and whether the camera has just become slow.
    package mutating func frameCame(every interval: Nanoseconds) -> (missing: Int, becameSlow: Bool) {
        let excess = interval.inSeconds / nominal.inSeconds - 1
        let isLate = excess > Self.tolerance
        against = isLate == isSlow ? 0 : against + 1
        let changes = against >= (isSlow ? Self.spell.end : Self.spell.begin)
        if changes {
            isSlow.toggle()
            against = 0
        }
        debt = isLate ? debt + excess : 0
        let missing = Int(debt)
        debt -= Double(missing)
        return (missing, changes && isSlow)
    }
}
