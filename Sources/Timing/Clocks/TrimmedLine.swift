internal import Media

/// The least-squares line through those points that agree best on one (least trimmed squares, by the concentration steps
/// of Rousseeuw & Van Driessen, *Computing LTS Regression for Large Data Sets*, 2006): as many others as are left out may
/// lie anywhere.
enum TrimmedLine {
    /// Enough for the steps to settle on the tens of points that are asked about.
    private static let steps = 6

    /// Fits a line to the share of the points that agrees best on one.
    ///
    /// - Parameters:
    ///   - points: The points in any order; at least one.
    ///   - share: The share of the points that the line has to fit, above 0 and at most 1.
    /// - Returns: The line; the level one through the middle for points that say nothing else.
    static func fitted(to points: [(x: Double, y: Double)], share: Double) -> StraightLine {
        let kept = max(Int(rounding: share * Double(points.count), .up), min(points.count, 2))
        // The steps find the nearest solution: one search begins at all points, one at the level line through the middle.
        let level = StraightLine(slope: 0, intercept: points.map(\.y).sorted()[points.count / 2])
        var best = (squares: Double.infinity, line: level)
        for start in [LineSums(points).line(prior: 0), level] {
            var line = start
            var squares = 0.0
            for _ in 0..<steps {
                let rests = points.map { point in (point, rest: abs(point.y - line(point.x))) }
                let nearest = rests.sorted { $0.rest < $1.rest }.prefix(kept)
                squares = nearest.reduce(0) { $0 + $1.rest * $1.rest }
                line = LineSums(nearest.map(\.0)).line(prior: 0)
            }
            if squares < best.squares { best = (squares, line) }
        }
        return best.line
    }
}
