import MulticamSeededNoise
import Testing

@testable import MulticamTiming

@Suite("the narrowest strip around points")
struct NarrowestStripTests {
    typealias Point = (x: Double, y: Double)

    private static func points(_ count: Int, seed: UInt64) -> [Point] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map {
            (Double($0 * $0 % 7 + 7 * $0), Double.random(in: -1...1, using: &generator))
        }
    }

    /// Returns the height of the points in the given direction.
    private static func height(_ points: [Point], slope: Double) -> Double {
        let rests = points.map { $0.y - slope * $0.x }
        return (rests.max() ?? 0) - (rests.min() ?? 0)
    }

    @Test("contains all points, and is not narrower in any direction between two points", arguments: 1...40)
    func narrowest(seed: UInt64) throws {
        let points = Self.points(Int(seed) + 1, seed: seed)
        let strip = try #require(NarrowestStrip(points))
        for point in points {
            #expect(abs(point.y - strip.middle(point.x)) <= strip.halfHeight + 1e-12)
        }
        for a in points {
            for b in points where b.x > a.x {
                let slope = (b.y - a.y) / (b.x - a.x)
                #expect(Self.height(points, slope: slope) >= 2 * strip.halfHeight - 1e-12)
            }
        }
    }

    @Test(
        "does not change without the points before its first support, but does without that point",
        arguments: 1...40)
    func support(seed: UInt64) throws {
        let points = Self.points(60, seed: seed)
        let strip = try #require(NarrowestStrip(points))
        let rest = try #require(NarrowestStrip(points.filter { $0.x >= strip.firstSupport }))
        #expect(abs(rest.halfHeight - strip.halfHeight) < 1e-12)
        #expect(abs(rest.middle.slope - strip.middle.slope) < 1e-12)
        let less = try #require(NarrowestStrip(points.filter { $0.x > strip.firstSupport }))
        #expect(less.halfHeight < strip.halfHeight)
    }

    @Test("its height is zero if all points are on a line")
    func line() throws {
        let strip = try #require(NarrowestStrip((0..<9).map { (Double($0), 3 - 2 * Double($0)) }))
        #expect(abs(strip.halfHeight) < 1e-12)
        #expect(abs(strip.middle.slope + 2) < 1e-12)
        #expect(NarrowestStrip([(1, 1)]) == nil)
        #expect(NarrowestStrip([]) == nil)
    }

    @Test("its middle has a tenth of the error of least squares, for uniform noise and 3600 points")
    func precision() throws {
        var (strips, lines) = (0.0, 0.0)
        for seed in 1...60 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let points = (0..<3600).map { (x: Double($0), y: Double.random(in: -1...1, using: &generator)) }
            let strip = try #require(NarrowestStrip(points)).middle(3599)
            let line = LineSums(points).line(prior: 0)(3599)
            strips += strip * strip
            lines += line * line
        }
        #expect(strips * 100 < lines)
    }
}
