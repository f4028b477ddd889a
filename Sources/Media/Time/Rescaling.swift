/// Arithmetic with times and counts that never traps on overflow. Results that don't fit into 64 bits are
/// clamped to the nearest 64-bit integer.
///
/// All code that multiplies a time or a count by a rate uses these saturating methods, because numbers from
/// files, drivers, profiles, and users can have any value.
extension Int64 {
    /// Converts a number of ticks from one tick rate to another, for example nanoseconds to samples, or
    /// samples to ticks of a container's time base.
    ///
    /// The intermediate product is computed in 128 bits if 64 bits aren't enough, so the result is exact and
    /// doesn't overflow.
    ///
    /// - Parameters:
    ///   - rate: The tick rate of this number, per second or another time unit; must be positive.
    ///   - other: The tick rate of the result, per the same time unit; must be positive.
    /// - Returns: The nearest integer, with halves rounded away from zero; clamped to `Int64.min…Int64.max`.
    package func rescaled(from rate: Int64, to other: Int64) -> Int64 {
        precondition(rate > 0 && other > 0, "both clock rates must be positive")
        guard rate != other else { return self }
        let half = self < 0 ? -(rate / 2) : rate / 2
        // Nearly all intermediate products fit into 64 bits, and 64-bit division is several times faster than
        // 128-bit division.
        let (product, isLarge) = multipliedReportingOverflow(by: other)
        if !isLarge {
            let (sum, isBeyond) = product.addingReportingOverflow(half)
            if !isBeyond { return sum / rate }
        }
        return Int64(clamping: (Int128(self) * Int128(other) + Int128(half)) / Int128(rate))
    }

    /// Returns the sum of two integers, clamped to `Int64.min` or `Int64.max`.
    func clampedSum(_ other: Int64) -> Int64 {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .min : .max) : sum
    }

    /// Returns the difference of two integers, clamped to `Int64.min` or `Int64.max`.
    func clampedDifference(_ other: Int64) -> Int64 {
        let (difference, isBeyond) = subtractingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .max : .min) : difference
    }

    /// Returns the product of two integers, clamped to `Int64.min` or `Int64.max`.
    func clampedProduct(_ other: Int64) -> Int64 {
        let (product, isBeyond) = multipliedReportingOverflow(by: other)
        return isBeyond ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}

extension FixedWidthInteger {
    /// Creates the integer nearest to a floating-point number; clamped to `min…max`, and 0 for NaN.
    ///
    /// - Parameters:
    ///   - value: Any floating-point number, including infinities and NaN.
    ///   - rule: The rounding rule; the default rounds to the nearest integer, with halves away from zero.
    @inlinable
    package init<Value: BinaryFloatingPoint>(
        rounding value: Value, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero
    ) {
        let whole = value.rounded(rule)
        guard !whole.isNaN else {
            self = 0
            return
        }
        // `max` may not be exactly representable as a floating-point number, but the next larger integer is.
        guard whole < Value(Self.max) else {
            self = .max
            return
        }
        self = whole > Value(Self.min) ? Self(whole) : .min
    }
}

extension Int64 {
    /// Creates the integer nearest to a floating-point number, like the generic initializer for all integer
    /// types. This initializer avoids generic arithmetic, because clocks and timelines call it for every
    /// frame and slice of audio.
    ///
    /// - Parameters:
    ///   - value: Any floating-point number, including infinities and NaN.
    ///   - rule: The rounding rule; the default rounds to the nearest integer, with halves away from zero.
    @inlinable
    package init(rounding value: Double, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) {
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
