/// y = `intercept` + `slope` · x.
struct StraightLine: Sendable {
    var slope: Double
    var intercept: Double

    func callAsFunction(_ x: Double) -> Double { intercept + slope * x }

    /// The line that lies between two others.
    ///
    /// - Parameters:
    ///   - other: The line at share 1.
    ///   - share: The share of the other line, 0…1.
    /// - Returns: The line that lies so far on the way to the other one.
    func blended(with other: Self, share: Double) -> Self {
        Self(
            slope: slope + share * (other.slope - slope),
            intercept: intercept + share * (other.intercept - intercept))
    }
}
