/// The noise of a device's stamps about its line: its width and its shape.
///
/// The averages forget with time: noise from half a minute ago matters less.
struct StampNoise: Sendable {
    /// The numbers of stamps over which the shape and the scale are averaged.
    private static let shapeMemory = 1200.0
    private static let scaleMemory = 300.0
    /// The scale in nanoseconds that is assumed until stamps have told it: 5 ms, as certain as four stamps are.
    private static let expectedScale = 5e6
    private static let expectedWeight = 4.0
    private static let stampsOfScale = 10.0
    /// The deviation in standard deviations from which a stamp pulls no harder (Huber, *Robust Statistics*, 1981: an efficiency
    /// of 99 % for normal noise), and E(min(z², 2²)) for it.
    private static let bend = 2.0
    private static let bendShare = 0.9205
    /// The deviation in nanoseconds up to which a stamp may always pull, however small the noise is: 50 µs.
    private static let leastPull = 5e4
    /// The kurtosis below which noise counts as flat, and above which it does not. Harter's adaptive scheme takes the minimax
    /// line below 2.2 (flat noise has 1.8, normal noise 3); here it is blended from one to the other, so that the line does not
    /// jump.
    private static let (flat, notFlat) = (2.0, 2.4)

    private var count = 0.0
    private var squares = 0.0
    private var fourths = 0.0
    private var scaleSquared = expectedScale * expectedScale

    /// Takes a stamp.
    ///
    /// - Parameter deviation: The stamp's distance from the line, in nanoseconds.
    mutating func add(_ deviation: Double) {
        count += 1
        let square = deviation * deviation
        squares += (square - squares) / min(count, Self.shapeMemory)
        fourths += (square * square - fourths) / min(count, Self.shapeMemory)
        let held = min(square, Self.bend * Self.bend * scaleSquared) / Self.bendShare
        scaleSquared += (held - scaleSquared) / min(count + Self.expectedWeight, Self.scaleMemory)
    }

    /// The standard deviation of the bulk of the stamps, in nanoseconds.
    var scale: Double {
        // The bulk is never wider than all of them, which soon tells when the noise is smaller than expected.
        let most = count < Self.stampsOfScale ? scaleSquared : min(scaleSquared, squares / Self.bendShare)
        return max(most.squareRoot(), Self.leastPull / Self.bend)
    }

    /// The standard deviation of all stamps, in nanoseconds.
    var spread: Double { squares.squareRoot() }

    /// The deviation, limited to what may pull the line.
    func held(_ deviation: Double) -> Double {
        let limit = Self.bend * scale
        return min(max(deviation, -limit), limit)
    }

    /// How flat the noise is: 1 between hard bounds, 0 where it has none, and a share between.
    var flatness: Double {
        guard squares > 0 else { return 0 }
        let kurtosis = fourths / (squares * squares)
        return min(max((Self.notFlat - kurtosis) / (Self.notFlat - Self.flat), 0), 1)
    }

    /// The largest deviation of flat noise in nanoseconds: √3 σ, and what `stampCount` stamps leave uncertain of it.
    func edge(stampCount: Int) -> Double {
        (3 * squares).squareRoot() * (1 + 2 / Double(stampCount).squareRoot())
    }
}
