import SeededNoise
import Testing

@testable import Timing

@Suite("the narrowest strip about points")
struct NarrowestStripTests {
    typealias Point = (x: Double, y: Double)

    private static func points(_ count: Int, seed: UInt64) -> [Point] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map {
            (Double($0 * $0 % 7 + 7 * $0), Double.random(in: -1...1, using: &generator))
        }
    }

    /// The height that the points need in this direction.
    private static func height(_ points: [Point], slope: Double) -> Double {
        let rests = points.map { $0.y - slope * $0.x }
        return (rests.max() ?? 0) - (rests.min() ?? 0)
    }

    @Test("holds all points, and no direction between any two of them makes it narrower", arguments: 1...40)
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
        "stays what it is without the points before its first support, and not without that",
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

    @Test("points on a line make a strip without height")
    func line() throws {
        let strip = try #require(NarrowestStrip((0..<9).map { (Double($0), 3 - 2 * Double($0)) }))
        #expect(abs(strip.halfHeight) < 1e-12)
        #expect(abs(strip.middle.slope + 2) < 1e-12)
        #expect(NarrowestStrip([(1, 1)]) == nil)
        #expect(NarrowestStrip([]) == nil)
    }

    @Test("its middle misses the truth of flat noise by a tenth of what least squares does, with 3600 points")
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
