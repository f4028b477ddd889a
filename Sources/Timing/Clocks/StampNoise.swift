/// How a device's stamps scatter about its line: how widely, and in which shape.
///
/// Averages that forget with time: what the noise was half a minute ago matters less.
struct StampNoise: Sendable {
    /// Averages over about as many stamps: of the shape, of the scale.
    private static let shapeMemory = 1200.0
    private static let scaleMemory = 300.0
    /// Until stamps have told: 5 ms, as sure as four stamps are.
    private static let expectedScale = 5e6
    private static let expectedWeight = 4.0
    private static let stampsOfScale = 10.0
    /// Beyond as many standard deviations a stamp pulls no harder (Huber, *Robust Statistics*, 1981: an efficiency of
    /// 99 % for normal noise), and what E(min(z², 2²)) is for it.
    private static let bend = 2.0
    private static let bendShare = 0.9205
    /// However quiet it is, so far a stamp may pull: 50 µs.
    private static let leastPull = 5e4
    /// Harter's adaptive scheme: minimax for a kurtosis below 2.2 (flat noise has 1.8, normal noise 3). Blended here
    /// from one to the other, so that the line does not jump.
    private static let (flat, notFlat) = (2.0, 2.4)

    private var count = 0.0
    private var squares = 0.0
    private var fourths = 0.0
    private var scaleSquared = expectedScale * expectedScale

    /// - Parameter deviation: Of a stamp from the line, in nanoseconds.
    mutating func add(_ deviation: Double) {
        count += 1
        let square = deviation * deviation
        squares += (square - squares) / min(count, Self.shapeMemory)
        fourths += (square * square - fourths) / min(count, Self.shapeMemory)
        let held = min(square, Self.bend * Self.bend * scaleSquared) / Self.bendShare
        scaleSquared += (held - scaleSquared) / min(count + Self.expectedWeight, Self.scaleMemory)
    }

    /// The standard deviation that the bulk of the stamps has, in nanoseconds.
    var scale: Double {
        // The bulk is never wider than all of them, which soon tells when the noise is smaller than expected.
        let most = count < Self.stampsOfScale ? scaleSquared : min(scaleSquared, squares / Self.bendShare)
        return max(most.squareRoot(), Self.leastPull / Self.bend)
    }

    /// The standard deviation of all stamps, in nanoseconds.
    var spread: Double { squares.squareRoot() }

    /// The deviation held to what may pull the line.
    func held(_ deviation: Double) -> Double {
        let limit = Self.bend * scale
        return min(max(deviation, -limit), limit)
    }

    /// 1 when the noise is flat between hard bounds, 0 when it is not, and a share between.
    var flatness: Double {
        guard squares > 0 else { return 0 }
        let kurtosis = fourths / (squares * squares)
        return min(max((Self.notFlat - kurtosis) / (Self.notFlat - Self.flat), 0), 1)
    }

    /// Where flat noise ends: √3 σ, and what `stampCount` stamps leave unsure of it. In nanoseconds.
    func edge(stampCount: Int) -> Double {
        (3 * squares).squareRoot() * (1 + 2 / Double(stampCount).squareRoot())
    }
}
