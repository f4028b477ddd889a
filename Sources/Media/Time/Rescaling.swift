/// Products, sums and conversions of times and counts that never trap: what does not fit is clamped to the nearest number
/// that does.
///
/// Everything that multiplies a time or a count by a rate uses them, since numbers from files, drivers, profiles and people
/// may be anything.
extension Int64 {
    /// Converts a count of ticks of one rate to ticks of another: nanoseconds to samples, samples to ticks of a container.
    ///
    /// The product is formed in 128 bits where 64 are too few, so it neither overflows nor drifts.
    ///
    /// - Parameters:
    ///   - rate: Ticks per second, or per any other time, that this number counts. Above zero.
    ///   - other: Ticks of the result in the same time. Above zero.
    /// - Returns: The nearest whole number, halves away from zero; clamped to `Int64.min…Int64.max`.
    public func rescaled(from rate: Int64, to other: Int64) -> Int64 {
        precondition(rate > 0 && other > 0, "clocks have rates above zero")
        guard rate != other else { return self }
        let half = self < 0 ? -(rate / 2) : rate / 2
        // Nearly all products fit 64 bits, which are divided several times faster.
        let (product, isLarge) = multipliedReportingOverflow(by: other)
        if !isLarge {
            let (sum, isBeyond) = product.addingReportingOverflow(half)
            if !isBeyond { return sum / rate }
        }
        return Int64(clamping: (Int128(self) * Int128(other) + Int128(half)) / Int128(rate))
    }

    /// The sum, or `Int64.max` or `Int64.min` where it lies beyond them.
    func clampedSum(_ other: Int64) -> Int64 {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or `Int64.max` or `Int64.min` where it lies beyond them.
    func clampedDifference(_ other: Int64) -> Int64 {
        let (difference, isBeyond) = subtractingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .max : .min) : difference
    }

    /// The product, or `Int64.max` or `Int64.min` where it lies beyond them.
    func clampedProduct(_ other: Int64) -> Int64 {
        let (product, isBeyond) = multipliedReportingOverflow(by: other)
        return isBeyond ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}

extension FixedWidthInteger {
    /// Makes the whole number nearest to a floating-point number; clamped to `min…max`, and 0 for NaN.
    ///
    /// - Parameters:
    ///   - value: Any floating-point number, infinities and NaN included.
    ///   - rule: The direction of rounding; to the nearest, halves away from zero, by default.
    @inlinable
    public init<Value: BinaryFloatingPoint>(
        rounding value: Value, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero
    ) {
        let whole = value.rounded(rule)
        guard !whole.isNaN else {
            self = 0
            return
        }
        // `max` itself may be no floating-point number; the next one above it is.
        guard whole < Value(Self.max) else {
            self = .max
            return
        }
        self = whole > Value(Self.min) ? Self(whole) : .min
    }
}

extension Int64 {
    /// Makes the whole number nearest to a floating-point number, as the initializer of all integers does; without generic
    /// arithmetic, since clocks and time lines call it for every frame and slice.
    ///
    /// - Parameters:
    ///   - value: Any floating-point number, infinities and NaN included.
    ///   - rule: The direction of rounding; to the nearest, halves away from zero, by default.
    @inlinable
    public init(rounding value: Double, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) {
        let whole = value.rounded(rule)
        guard !whole.isNaN else {
            self = 0
            return
        }
        guard whole < 0x1p63 else {
            self = .max
            return
        }
        self = whole > -0x1p63 ? Int64(whole) : .min
    }
}
