/// The running sums of a least-squares line.
struct LineSums: Sendable {
    private var n = 0.0
    private var x = 0.0
    private var y = 0.0
    private var xx = 0.0
    private var xy = 0.0

    init(_ points: [(x: Double, y: Double)] = []) {
        for point in points { add(point) }
    }

    mutating func add(_ point: (x: Double, y: Double)) { change(point, by: 1) }
    mutating func remove(_ point: (x: Double, y: Double)) { change(point, by: -1) }

    /// The line through the points, its slope drawn towards 0.
    ///
    /// - Parameter prior: The spread, in units of x², that further points at slope 0 would have.
    /// - Returns: The line y = 0 without points, a level one when they and the prior say nothing about the slope.
    func line(prior: Double) -> StraightLine {
        guard n > 0 else { return StraightLine(slope: 0, intercept: 0) }
        let (meanX, meanY) = (x / n, y / n)
        let spread = spread + prior
        let slope = spread > 0 ? (xy - n * meanX * meanY) / spread : 0
        return StraightLine(slope: slope, intercept: meanY - slope * meanX)
    }

    /// The variance of the line at `x` and that of its slope, for points of variance 1 (Draper & Smith, *Applied
    /// Regression Analysis*, 3rd edition, 3.1; the prior adds to the information about the slope).
    ///
    /// - Parameters:
    ///   - x: The place of the line.
    ///   - prior: The spread, in units of x², that further points at slope 0 would have.
    /// - Returns: Both variances; 1 and 0 while points and prior say nothing.
    func variance(at x: Double, prior: Double) -> (line: Double, slope: Double) {
        let spread = spread + prior
        guard n > 0, spread > 0 else { return (1, 0) }
        let distance = x - self.x / n
        return (1 / n + distance * distance / spread, 1 / spread)
    }

    /// The spread of the points: Σ (x − mean)².
    private var spread: Double { max(xx - x * x / n, 0) }

    private mutating func change(_ point: (x: Double, y: Double), by sign: Double) {
        n += sign
        x += sign * point.x
        y += sign * point.y
        xx += sign * point.x * point.x
        xy += sign * point.x * point.y
    }
}
