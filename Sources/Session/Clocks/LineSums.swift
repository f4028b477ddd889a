/// The running sums of a least-squares line.
struct LineSums: Sendable {
    private var n = 0.0
    private var x = 0.0
    private var y = 0.0
    private var xx = 0.0
    private var xy = 0.0

    mutating func add(_ point: (x: Double, y: Double)) { change(point, by: 1) }
    mutating func remove(_ point: (x: Double, y: Double)) { change(point, by: -1) }

    /// The line through the points, its slope drawn towards 0.
    ///
    /// - Parameter prior: In units of x²: the spread that points at slope 0 would have.
    /// - Returns: y is `intercept` + `slope` · x. Both are 0 without points.
    func line(prior: Double) -> (slope: Double, intercept: Double) {
        guard n > 0 else { return (0, 0) }
        let (meanX, meanY) = (x / n, y / n)
        let slope = (xy - n * meanX * meanY) / (xx - n * meanX * meanX + prior)
        return (slope, meanY - slope * meanX)
    }

    private mutating func change(_ point: (x: Double, y: Double), by sign: Double) {
        n += sign
        x += sign * point.x
        y += sign * point.y
        xx += sign * point.x * point.x
        xy += sign * point.x * point.y
    }
}
