public import Media

/// Why a measurement of the group's time does not steer the session clock.
public enum ClockRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// Its bound is negative, or so wide that it says nothing.
    case bound(Nanoseconds)
    /// It was measured before the last one, or is not of the present.
    case notOfNow
    /// It is so far from where the group's time was expected: one of the clocks was set, or the measurement is wrong.
    case step(Nanoseconds)
    /// The group's time would run so fast against `CLOCK_MONOTONIC`, in parts per million: no crystal does.
    case rate(Double)

    /// What is wrong, as the end of a sentence.
    public var description: String {
        switch self {
        case .bound(let bound): "a bound of \(bound.text) says nothing: at most 1s"
        case .notOfNow: "it is not of the present, or older than the last one"
        case .step(let length):
            "it is \(length.text) from where the group's time was expected: a step is not followed"
        case .rate(let ppm):
            "the group's time would run at \(Int64(rounding: ppm)) ppm: no crystal is more than 500 off"
        }
    }
}
