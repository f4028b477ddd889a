public import Media

/// An estimate of which way up the computer is held, from the readings of its accelerometer. Pure.
///
/// A turn holds until gravity is more than 60° away from it, so that it does not flicker around 45°, and two readings in a row
/// agree on the same other one. It also holds while the computer lies flat, or moves so fast that gravity does not show.
public struct TurnEstimate: Sendable, Equatable {
    /// The computer's clockwise turn; `nil` until the first reading that shows it.
    public private(set) var turn: Rotation?
    /// The turn that the reading before indicated, where it is not the present one.
    private var candidate: Rotation?

    /// The sine of 25°: a computer that lies flatter is not judged, as the side that is up is chance.
    private static let leastSlope = 0.42
    /// The acceleration that hands add to gravity while they hold still, as a share of gravity.
    private static let tremor = 0.3
    /// The cosine of 60°: gravity further away from the present turn means another one.
    private static let hold = 0.5

    /// Creates an estimate without a turn.
    public init() {}

    /// Takes a reading of the accelerometer, in m/s².
    ///
    /// - Parameter felt: The reading, of about five per second.
    public mutating func take(_ felt: Acceleration) {
        let magnitude = felt.magnitude
        let slope = (felt.x * felt.x + felt.y * felt.y).squareRoot()
        guard abs(magnitude - Acceleration.gravity) <= Self.tremor * Acceleration.gravity,
            slope >= Self.leastSlope * magnitude
        else {
            candidate = nil
            return
        }
        guard let turn else {
            turn = Self.nearest(to: felt)
            return
        }
        guard Self.share(of: felt, at: turn) < Self.hold * slope else {
            candidate = nil
            return
        }
        let nearest = Self.nearest(to: felt)
        if candidate == nearest { self.turn = nearest }
        candidate = candidate == nearest ? nil : nearest
    }

    private static func nearest(to felt: Acceleration) -> Rotation {
        Rotation.allCases.max { share(of: felt, at: $0) < share(of: felt, at: $1) } ?? .none
    }

    /// The part of the acceleration that points to where gravity is at a turn.
    private static func share(of felt: Acceleration, at turn: Rotation) -> Double {
        switch turn {
        case .none: -felt.y
        case .quarter: felt.x
        case .half: felt.y
        case .threeQuarters: -felt.x
        }
    }
}
