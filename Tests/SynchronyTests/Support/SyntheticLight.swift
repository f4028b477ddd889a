import Glibc
import MulticamMedia
import MulticamSeededNoise

@testable import MulticamSynchrony

/// A camera with 30 frames per second that records a lamp that is turned on at some times.
struct SyntheticLight {
    /// Exposure time as a fraction of the frame interval of 33.3 ms: 0…1.
    var exposureShare = 1.0
    /// Duration of the light in seconds.
    var lasting = 0.001
    /// Standard deviation of a frame's brightness.
    var noise = 0.001
    /// Delay of the timestamps in seconds.
    var latency = 0.0
    var phase = 0.0
    static let interval = 1.0 / 30

    /// Returns the camera's events for lamps that are turned on at the given times in seconds.
    func events(at flashes: [Double], until end: Double, seed: UInt64) -> [SharpEvent] {
        var generator = SeededGenerator(seed: seed)
        var camera = CameraEventDetector()
        var events: [SharpEvent] = []
        for number in 0..<Int(end / Self.interval) {
            let start = phase + Double(number) * Self.interval
            let length = exposureShare * Self.interval
            let lit = flashes.map { max(0, min(start + length, $0 + lasting) - max(start, $0)) }
                .reduce(0, +)
            // A short flash is as bright as a long one that lights half of the exposure. Cameras encode
            // brightness with a gamma of 2.2.
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
