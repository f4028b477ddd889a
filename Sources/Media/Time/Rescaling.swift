/// Whatever multiplies a time, or a count, by a rate does it here: numbers come from files, drivers, profiles and people, and may be
/// anything. Nothing here traps; what does not fit is the nearest number that does.
extension Int64 {
    /// A count in ticks of one clock, in those of another: nanoseconds as samples, samples as ticks of a container.
    ///
    /// Reckoned in 128 bits, so that it neither overflows on the way nor drifts.
    ///
    /// - Parameters:
    ///   - rate: Ticks of this number in a time. Above zero.
    ///   - other: Ticks of the result in the same time. Above zero.
    /// - Returns: To the nearest whole, halves away from zero; `Int64.max` or `Int64.min` where it lies beyond them.
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

    /// The sum; `Int64.max` or `Int64.min` where it lies beyond them.
    func clampedSum(_ other: Int64) -> Int64 {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .min : .max) : sum
    }

    /// The difference; `Int64.max` or `Int64.min` where it lies beyond them.
    func clampedDifference(_ other: Int64) -> Int64 {
        let (difference, isBeyond) = subtractingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .max : .min) : difference
    }

    /// The product; `Int64.max` or `Int64.min` where it lies beyond them.
    func clampedProduct(_ other: Int64) -> Int64 {
        let (product, isBeyond) = multipliedReportingOverflow(by: other)
        return isBeyond ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}

extension FixedWidthInteger {
    /// A whole number near one that is none; `min` or `max` where it lies beyond them, 0 of what is no number.
    ///
    /// - Parameters:
    ///   - value: Anything.
    ///   - rule: To the nearest where nothing is said, halves away from zero.
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
