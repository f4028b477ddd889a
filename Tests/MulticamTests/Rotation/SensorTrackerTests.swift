import MulticamMedia
import MulticamSetup
import Testing

@Suite("Tracking of the accelerometer")
struct SensorTrackerTests {
    /// Returns one scripted reading after another, then repeats the last one.
    private final class Script: AccelerationSensor {
        private let readings: [Result<Acceleration, SensorError>]
        private let position = ConditionLock(0)

        init(_ readings: [Result<Acceleration, SensorError>]) { self.readings = readings }

        func acceleration() throws(SensorError) -> Acceleration {
            let reading = position.broadcast { position in
                defer { position += 1 }
                return readings[min(position, readings.count - 1)]
            }
            return try reading.get()
        }

        func waitForEnd() { position.wait { [count = readings.count] in $0 > count ? true : nil } }
    }

    private static let upright = Result<Acceleration, SensorError>.success(Acceleration(x: 0, y: -9.8, z: 0))
    private static let left = Result<Acceleration, SensorError>.success(Acceleration(x: 9.8, y: 0, z: 0))
    private static let flat = Result<Acceleration, SensorError>.success(Acceleration(x: 0, y: 0, z: -9.8))
    private static let gone = Result<Acceleration, SensorError>.failure(SensorError(reason: "it is gone"))

    private func runTracker(_ readings: [Result<Acceleration, SensorError>]) -> (
        told: [MachineOrientation], turn: MachineOrientation
    ) {
        let script = Script(readings)
        let clock = SimulatedClock()
        clock.hold()
        let tracker = SensorOrientationTracker(script, clock: clock)
        let told = ConditionLock<[MachineOrientation]>([])
        let observation = tracker.observe { turn in told.withLock { $0.append(turn) } }
        clock.release()
        script.waitForEnd()
        observation.end()
        return (told.withLock { $0 }, tracker.orientation)
    }

    @Test("each turn is reported once; before the first one, the orientation is reported as undecided")
    func turns() {
        let run = runTracker([Self.flat, Self.flat, Self.upright, Self.left, Self.left, Self.flat, Self.left])
        #expect(run.told == [.undecided, .rotated(.none), .rotated(.quarter)])
        #expect(run.turn == .rotated(.quarter))
    }

    @Test("a sensor failure is reported once, with its reason; the last turn applies until it is back")
    func fails() {
        let run = runTracker([Self.upright, Self.gone, Self.gone, Self.upright, Self.upright])
        #expect(run.told == [.rotated(.none), .unknown("it is gone"), .rotated(.none)])
        let never = runTracker([Self.gone, Self.gone, Self.gone])
        #expect(never.turn == .unknown("it is gone") && never.told == [.unknown("it is gone")])
    }
}
