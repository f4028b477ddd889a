/// The strip of least height that holds all of some points: its middle is their minimax (Chebyshev) line.
///
/// For noise with hard, flat bounds the outermost points know far more than the mean: the line's error falls with 1/n
/// instead of 1/√n (Harter, *The Method of Least Squares and Some Alternatives*, International Statistical Review
/// 42–44, 1974–76). Its slope is that of an edge of the points' convex hull, whose two
/// halves are made in one pass (Andrew, *Another Efficient Algorithm for Convex Hulls in Two Dimensions*, Information
/// Processing Letters 9, 1979) and walked in order of slope. Time and memory grow with the number of points.
struct NarrowestStrip: Sendable {
    typealias Point = (x: Double, y: Double)

    let middle: StraightLine
    let halfHeight: Double
    /// The x of the first of the three points that hold the strip: as long as that point is in the window and no other lies
    /// outside, the strip stays what it is.
    let firstSupport: Double

    /// Computes the strip of some points; `nil` for fewer than two points.
    ///
    /// - Parameter points: The points in order of x, no two at the same.
    init?(_ points: [Point]) {
        var (upper, lower): ([Point], [Point]) = ([], [])
        for point in points {
            Self.extend(&upper, by: point, side: 1)
            Self.extend(&lower, by: point, side: -1)
        }
        guard upper.count > 1 else { return nil }
        // From the steepest rise to the steepest fall the point that touches above wanders right and the one that
        // touches below wanders left. The height falls until they pass each other.
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

    /// Adds the next point to the upper (`side` 1) or lower (−1) hull.
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
