import Foundation
import MulticamMedia
import MulticamPlan
import Testing

@Suite("Orientation of the computer")
struct TurnEstimateTests {
    /// Returns the acceleration of a device that is held at an angle clockwise from upright, and leaned back
    /// by another angle.
    private static func held(_ degrees: Double, leaningBack: Double = 0, by force: Double = 1) -> Acceleration
    {
        let (angle, lean) = (degrees * .pi / 180, leaningBack * .pi / 180)
        let gravity = Acceleration.gravity * force
        return Acceleration(
            x: gravity * sin(angle) * cos(lean), y: -gravity * cos(angle) * cos(lean),
            z: -gravity * sin(lean))
    }

    private static func turn(after readings: [Acceleration]) -> Rotation? {
        var estimate = RotationEstimate()
        for reading in readings { estimate.add(reading) }
        return estimate.turn
    }

    @Test(
        "the first reading selects the nearest side",
        arguments: [
            (0, Rotation.none), (44, .none), (46, .quarter), (90, .quarter), (134, .quarter), (180, .half),
            (270, .threeQuarters), (316, .none),
        ])
    func first(degrees: Double, expected: Rotation) {
        #expect(Self.turn(after: [Self.held(degrees)]) == expected)
        #expect(Self.turn(after: [Self.held(degrees, leaningBack: 60)]) == expected)
    }

    @Test("around 45° the upper side is kept, from either direction, until 60° are exceeded")
    func hysteresis() {
        for (start, side) in [(0.0, Rotation.none), (90, .quarter)] {
            let wavering = [start, 40, 50, 44, 46, 55, 35, 58, 32, 50].map { Self.held($0) }
            #expect(Self.turn(after: wavering) == side)
        }
        #expect(Self.turn(after: [0, 61, 61].map { Self.held($0) }) == .quarter)
        #expect(Self.turn(after: [90, 29, 29].map { Self.held($0) }) == Rotation.none)
    }

    @Test("a single reading does not change the side: a jolt ends before the next")
    func jolts() {
        #expect(Self.turn(after: [0, 90, 0, 90, 0].map { Self.held($0) }) == Rotation.none)
        #expect(Self.turn(after: [0, 90, 270, 90].map { Self.held($0) }) == Rotation.none)
        #expect(Self.turn(after: [0, 90, 90].map { Self.held($0) }) == .quarter)
    }

    @Test("a flat computer keeps the last side, or stays undecided without one")
    func flat() {
        let table = Acceleration(x: 0.3, y: 0.1, z: -9.8)
        #expect(Self.turn(after: [table, table]) == nil)
        #expect(Self.turn(after: [Self.held(90), table, table, table]) == .quarter)
        #expect(Self.turn(after: [table, Self.held(180)]) == .half)
        // A turn on the table is detected only when the computer is raised again.
        #expect(
            Self.turn(after: [Self.held(90), table, Self.held(270), table, Self.held(270)]) == .quarter)
    }

    @Test("acceleration during a fall or a shake is not gravity, and changes nothing")
    func moved() {
        let wild = [Self.held(90, by: 0.1), Self.held(90, by: 2), Self.held(90, by: 0.5)]
        #expect(Self.turn(after: [Self.held(0)] + wild + wild) == Rotation.none)
        #expect(Self.turn(after: wild) == nil)
    }
}
