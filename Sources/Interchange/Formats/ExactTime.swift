public import Media

/// A time in seconds as an exact fraction, in lowest terms: editors must not round where frames begin.
public struct ExactTime: Sendable, Hashable {
    /// Numerator in units of `1 / scale` seconds.
    public let value: Int64
    /// Units in a second, above zero.
    public let scale: Int64

    /// The beginning of everything.
    public static let zero = ExactTime(0, over: 1)

    /// Makes `value / scale` seconds; what does not fit is clamped.
    private init(_ value: Int128, over scale: Int128) {
        var (a, b) = (value.magnitude, scale.magnitude)
        while b != 0 { (a, b) = (b, a % b) }
        let divisor = Int128(max(a, 1))
        self.value = Int64(clamping: value / divisor)
        self.scale = max(1, Int64(clamping: scale / divisor))
    }

    /// The instant of a frame at a rate, counted from 0.
    public init(frame: Int64, at rate: FrameRate) {
        self.init(Int128(frame) * Int128(rate.seconds), over: Int128(rate.frames))
    }

    /// Difference and sum of times, exactly.
    static func - (left: Self, right: Self) -> Self {
        Self(
            Int128(left.value) * Int128(right.scale) - Int128(right.value) * Int128(left.scale),
            over: Int128(left.scale) * Int128(right.scale))
    }

    static func + (left: Self, right: Self) -> Self { left - (.zero - right) }

    /// The time in frames at a rate, which may lie between two frames.
    public func frames(at rate: FrameRate) -> Double {
        Double(value) * Double(rate.frames) / (Double(scale) * Double(rate.seconds))
    }

    /// The nearest frame at a rate.
    public func nearestFrame(at rate: FrameRate) -> Int64 {
        let product = Int128(value) * Int128(rate.frames)
        let divisor = Int128(scale) * Int128(rate.seconds)
        return Int64(clamping: (2 * product + (product < 0 ? -divisor : divisor)) / (2 * divisor))
    }
}
