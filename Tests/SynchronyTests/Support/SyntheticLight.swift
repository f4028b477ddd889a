import Glibc
import Media
import SeededNoise

@testable import Synchrony

/// A camera of 30 frames a second that sees a lamp go on now and then.
struct SyntheticLight {
    /// Of each frame's 33.3 ms, how much it is exposed: 0…1.
    var exposureShare = 1.0
    /// How long the lamp stays on, in seconds.
    var lasting = 0.001
    /// Standard deviation of a frame's brightness.
    var noise = 0.001
    /// The time stamps are late by as many seconds.
    var latency = 0.0
    var phase = 0.0
    static let interval = 1.0 / 30

    /// What the camera tells of lamps that go on at some seconds.
    func events(at flashes: [Double], until end: Double, seed: UInt64) -> [SharpEvent] {
        var generator = SeededGenerator(seed: seed)
        var camera = CameraEvents()
        var events: [SharpEvent] = []
        for number in 0..<Int(end / Self.interval) {
            let start = phase + Double(number) * Self.interval
            let length = exposureShare * Self.interval
            let lit = flashes.map { max(0, min(start + length, $0 + lasting) - max(start, $0)) }
                .reduce(0, +)
            // A short flash is as bright as a long one that lights half of the exposure; cameras code by a gamma of 2.2.
            let light = min(lit / min(length, 2 * lasting), 1)
            let brightness = 0.2 + 0.5 * pow(light, 1 / 2.2) + noise * generator.normal()
            let event = camera.add(
                brightness: brightness,
                at: MediaTime(nanoseconds: Int64(((start + latency) * 1e9).rounded())),
                interval: .seconds(rounding: Self.interval), error: .microseconds(50))
            if let event { events.append(event) }
        }
        return events
    }
}
