import Foundation
import MulticamMedia
import MulticamSeededNoise
import Testing

@testable import MulticamTiming

@Suite("a device's clock model over ten hours")
struct ClockEnduranceTests {
    struct Device: Sendable {
        let name: String
        let countsPerSecond: Double
        let partsPerMillion: Double
        /// Number of counts between timestamps. The interval is longer than for real devices, and the window
        /// is shorter accordingly, so that the test takes only seconds.
        let step: Int64
        let noise: Nanoseconds
        let allowed: Nanoseconds
    }

    static let devices: [Device] = [
        camera(30_000.0 / 1001, 180), camera(30, -120), camera(25, 20),
        microphone(44_100, 200), microphone(48_000, -200), microphone(16_000, 200),
    ]

    private static func camera(_ rate: Double, _ partsPerMillion: Double) -> Device {
        Device(
            name: "camera at \(rate)", countsPerSecond: rate, partsPerMillion: partsPerMillion, step: 12,
            noise: .milliseconds(8), allowed: .milliseconds(1))
    }

    private static func microphone(_ rate: Double, _ partsPerMillion: Double) -> Device {
        Device(
            name: "microphone at \(rate)", countsPerSecond: rate, partsPerMillion: partsPerMillion,
            step: Int64(rate) / 2, noise: .milliseconds(2), allowed: .microseconds(300))
    }

    @Test(
        "it is accurate to a millisecond if the rate varies by ±2 ppm per hour and 0.1 % of the timestamps are lost",
        arguments: devices)
    func tenHours(device: Device) {
        var generator = SeededGenerator(seed: 9)
        var clock = DeviceClock(
            nominalSecondsPerCount: 1 / device.countsPerSecond, windowLength: 300)
        let (hour, wander) = (3600.0, 2e-6)
        let swing = wander * hour / (2 * .pi)
        var worst = Nanoseconds.zero
        var count: Int64 = 0
        while Double(count) < 10 * hour * device.countsPerSecond {
            defer { count += device.step }
            guard !UInt64.random(in: 0..<1000, using: &generator).isMultiple(of: 1000) else { continue }
            // This is the integral of the rate's variation.
            let nominal = Double(count) / device.countsPerSecond
            let time =
                nominal / (1 + device.partsPerMillion * 1e-6) + swing * (cos(nominal / hour * 2 * .pi) - 1)
            let truth = ClockTime(nanoseconds: 7_000_000_000 + Int64((time * 1e9).rounded()))
            let jitter = Int64.random(in: -device.noise.count...device.noise.count, using: &generator)
            let dated = clock.estimateTime(of: count, stamped: truth + Nanoseconds(jitter))
            if nominal > 120 { worst = max(worst, (dated - truth).magnitude) }
        }
        #expect(worst < device.allowed)
        #expect(clock.restarts == 0)
        #expect(abs(clock.partsPerMillion - device.partsPerMillion) < 4)
    }
}
