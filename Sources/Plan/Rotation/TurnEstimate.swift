public import Media

/// Which way up the computer is held, from what its sensor feels, one reading after the other. Pure.
///
/// A turn stands until gravity is more than 60° away from it, so that it does not flicker around 45°, and until two readings in
/// a row say the same other one. While the computer lies flat, or is moved so fast that gravity does not show, it stays what it was.
public struct TurnEstimate: Sendable, Equatable {
    /// Clockwise; `nil` until the first reading that tells.
    public private(set) var turn: Rotation?
    /// What the reading before said, where that is another.
    private var candidate: Rotation?

    /// Lying flatter than 25°, which side is up is chance: its sine.
    private static let leastSlope = 0.42
    /// What hands add to gravity while they hold still, as a share of it.
    private static let tremor = 0.3
    /// Beyond 60° another turn is meant: the cosine.
    private static let hold = 0.5

    public init() {}

    /// - Parameter felt: By the sensor, about five times a second.
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

    /// How much of gravity is felt where it would be at a turn.
    private static func share(of felt: Acceleration, at turn: Rotation) -> Double {
        switch turn {
        case .none: -felt.y
        case .quarter: felt.x
        case .half: felt.y
        case .threeQuarters: -felt.x
        }
    }
}
