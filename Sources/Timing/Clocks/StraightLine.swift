internal import MulticamMedia

/// A straight line given by y = `intercept` + `slope` · x.
struct StraightLine: Sendable {
    var slope: Double
    var intercept: Double

    func callAsFunction(_ x: Double) -> Double { intercept + slope * x }

    /// Returns the weighted mean of this line and another line.
    ///
    /// - Parameters:
    ///   - other: The other line, which is the result if `share` is 1.
    ///   - share: Weight of the other line, 0…1.
    /// - Returns: The weighted mean of the two lines.
    func blended(with other: Self, share: Double) -> Self {
        Self(
            slope: slope + share * (other.slope - slope),
            intercept: intercept + share * (other.intercept - intercept))
    }
}

/// Running sums from which a least-squares line is computed.
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

    /// Returns the least-squares line through the points, with the slope pulled toward 0 by the prior.
    ///
    /// - Parameter prior: Spread of additional virtual points that lie on a horizontal line, in units of x².
    /// - Returns: The fitted line, which is y = 0 if there are no points, and horizontal if the points and
    ///   the prior don't determine the slope.
    func line(prior: Double) -> StraightLine {
        guard n > 0 else { return StraightLine(slope: 0, intercept: 0) }
        let (meanX, meanY) = (x / n, y / n)
        let spread = spread + prior
        let slope = spread > 0 ? (xy - n * meanX * meanY) / spread : 0
        return StraightLine(slope: slope, intercept: meanY - slope * meanX)
    }

    /// Returns the variance of the line at `x` and the variance of its slope, for points of variance 1
    /// (Draper & Smith, *Applied Regression Analysis*, 3rd edition, 3.1). The prior contributes to the
    /// information about the slope.
    ///
    /// - Parameters:
    ///   - x: Position on the line.
    ///   - prior: Spread of additional virtual points that lie on a horizontal line, in units of x².
    /// - Returns: The two variances, which are 1 and 0 if the points and the prior don't contain any
    ///   information.
    func variance(at x: Double, prior: Double) -> (line: Double, slope: Double) {
        let spread = spread + prior
        guard n > 0, spread > 0 else { return (1, 0) }
        let distance = x - self.x / n
        return (1 / n + distance * distance / spread, 1 / spread)
    }

    /// Spread of the points, which is Σ (x − mean)².
    private var spread: Double { max(xx - x * x / n, 0) }

    private mutating func change(_ point: (x: Double, y: Double), by sign: Double) {
        n += sign
        x += sign * point.x
        y += sign * point.y
        xx += sign * point.x * point.x
        xy += sign * point.x * point.y
    }
}

/// The least-squares line through the points that agree best with each other (least trimmed squares, with the
/// concentration steps of Rousseeuw & Van Driessen, *Computing LTS Regression for Large Data Sets*, 2006).
/// Excluded points don't influence the line.
enum TrimmedLine {
    /// Number of concentration steps, which is sufficient for convergence with a few dozen points.
    private static let steps = 6

    /// Fits a line to the given fraction of the points, choosing the points that agree best.
    ///
    /// - Parameters:
    ///   - points: The points in any order. At least one point is required.
    ///   - share: Fraction of the points that the line must fit. The value must be greater than 0 and at most
    ///     1.
    /// - Returns: The fitted line, which is a horizontal line through the median if the points don't
    ///   determine a slope.
    static func fitted(to points: [(x: Double, y: Double)], share: Double) -> StraightLine {
        let kept = max(Int(rounding: share * Double(points.count), .up), min(points.count, 2))
        // Concentration steps find only a local optimum, so two searches are made. One search starts with all
        // points; the other search starts with the horizontal line through the median.
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

/// The strip of minimum height that contains all given points. The middle of the strip is the minimax
/// (Chebyshev) line of the points.
///
/// For noise with hard bounds, the outermost points contain far more information than the mean of all points:
/// the error of the line decreases with 1/n instead of 1/√n (Harter, *The Method of Least Squares and Some
/// Alternatives*, International Statistical Review 42–44, 1974–76). The slope of the strip is the slope of an
/// edge of the points' convex hull. The two halves of the hull are built in one pass (Andrew, *Another
/// Efficient Algorithm for Convex Hulls in Two Dimensions*, Information Processing Letters 9, 1979) and
/// traversed in order of slope. Computation time and memory use are proportional to the number of points.
struct NarrowestStrip: Sendable {
    typealias Point = (x: Double, y: Double)

    let middle: StraightLine
    let halfHeight: Double
    /// The x coordinate of the first of the three points that define the strip. The strip remains valid while
    /// this point is in the window and no other point is outside the strip.
    let firstSupport: Double

    /// Computes the narrowest strip that contains the given points; returns `nil` for fewer than two points.
    ///
    /// - Parameter points: The points in ascending order of x, without equal x coordinates.
    init?(_ points: [Point]) {
        var (upper, lower): ([Point], [Point]) = ([], [])
        for point in points {
            Self.extend(&upper, by: point, side: 1)
            Self.extend(&lower, by: point, side: -1)
        }
        guard upper.count > 1 else { return nil }
        // As the slope of the strip decreases from the steepest rise to the steepest fall, the upper contact
        // point moves right and the lower contact point moves left. The height of the strip decreases until
        // the two points pass each other.
        var (above, below) = (0, lower.count - 1)
        var slope = 0.0
        var first = 0.0
        while upper[above].x < lower[below].x {
            let upperSlope = Self.slope(upper[above], upper[above + 1])
            let lowerSlope = Self.slope(lower[below - 1], lower[below])
            slope = max(upperSlope, lowerSlope)
            first = min(upper[above].x, lower[below].x)
            if upperSlope >= lowerSlope {
                above += 1
            } else {
                below -= 1
                first = min(first, lower[below].x)
            }
        }
        let top = upper[above].y - slope * upper[above].x
        let bottom = lower[below].y - slope * lower[below].x
        middle = StraightLine(slope: slope, intercept: (top + bottom) / 2)
        halfHeight = (top - bottom) / 2
        firstSupport = first
    }

    /// Adds the next point to the upper hull (`side` is 1) or to the lower hull (`side` is −1).
    private static func extend(_ hull: inout [Point], by point: Point, side: Double) {
        while hull.count > 1 {
            let (a, b) = (hull[hull.count - 2], hull[hull.count - 1])
            let turn = (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x)
            guard side * turn >= 0 else { break }
            hull.removeLast()
        }
        hull.append(point)
    }

    private static func slope(_ a: Point, _ b: Point) -> Double { (b.y - a.y) / (b.x - a.x) }
}
