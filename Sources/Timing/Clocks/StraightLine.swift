/// y = `intercept` + `slope` · x.
struct StraightLine: Sendable {
    var slope: Double
    var intercept: Double

    func callAsFunction(_ x: Double) -> Double { intercept + slope * x }

    /// The line that lies between two others.
    ///
    /// - Parameters:
    ///   - other: The other one.
    ///   - share: Of the other line, 0 to 1.
    /// - Returns: The line as much of the way to it.
    func blended(with other: Self, share: Double) -> Self {
        Self(
            slope: slope + share * (other.slope - slope),
            intercept: intercept + share * (other.intercept - intercept))
    }
}
