import MulticamMedia
import MulticamSeededNoise
import Testing

@testable import MulticamTiming

/// Tests three cameras after ten hours. The clock model receives every twelfth frame, and every frame of the
/// last minute.
@Suite("frames on the grid after ten hours")
struct TenHourAlignmentTests {
    private struct Camera {
        let rate: Double
        let drift: Double
        let latency: Nanoseconds
    }

    private static let cameras = [
        Camera(rate: 30_000.0 / 1001, drift: 180, latency: .milliseconds(60)),
        Camera(rate: 30, drift: -120, latency: .milliseconds(105)),
        Camera(rate: 25, drift: 20, latency: .milliseconds(150)),
    ]
    private static let end = ClockTime(nanoseconds: 36_000_000_000_000)
    private static let grid = FrameRate(30, per: 1)
    private static let ticks: Int64 = 30 * 50

    /// Returns the last fifty seconds on the grid: the distance of each new frame from its tick, and the
    /// counts.
    private func shown(_ camera: Camera, seed: UInt64) -> (errors: [Nanoseconds], counts: FrameCounts) {
        var device = SimulatedDevice(
            countsPerSecond: camera.rate, partsPerMillion: camera.drift, noise: .flat(.milliseconds(8)),
            seed: seed)
        var clock = DeviceClock(nominalSecondsPerCount: 1 / camera.rate)
        var generator = SeededGenerator(seed: seed)
        let start = Self.end - .seconds(51)
        var aligner = TrackAligner<ClockTime>(
            start: start, rate: Self.grid, cameraInterval: .seconds(rounding: 1 / camera.rate))
        var errors: [Nanoseconds] = []
        var (count, next) = (Int64(0), Int64(0))
        while device.truth(count) < Self.end {
            let truth = device.truth(count)
            let isDense = truth > Self.end - .seconds(60)
            defer { count += isDense ? 1 : 12 }
            guard !UInt64.random(in: 0..<1000, using: &generator).isMultiple(of: 1000) else { continue }
            let dated = clock.estimateTime(of: count, stamped: device.stamp(count))
            guard isDense else { continue }
            aligner.add(truth, capturedAt: dated)
            // A frame is delivered after its exposure and its latency. Ticks are processed 0.3 s later.
            let now = truth + .seconds(rounding: 1 / camera.rate) + camera.latency - .milliseconds(300)
            while next < Self.ticks {
                let tick = start + Nanoseconds(Self.grid.time(ofTick: next).nanoseconds)
                guard tick <= now else { break }
                if case .show(let frame) = aligner.choose(tick: next) { errors.append(frame - tick) }
                next += 1
            }
        }
        return (errors, aligner.counts)
    }

    @Test("every frame is within 0.55 intervals of its tick, and all tracks have the same number of frames")
    func cameras() {
        for (index, camera) in Self.cameras.enumerated() {
            let (errors, counts) = shown(camera, seed: UInt64(index) + 31)
            #expect(counts.written == Self.ticks && counts.slate == 0)
            let limit = Nanoseconds.seconds(rounding: 0.55 / camera.rate + 0.001)
            #expect(errors.allSatisfy { $0.magnitude <= limit })
            #expect(Double(errors.count) > 49.8 * min(camera.rate, 30))
            #expect(counts.captured - counts.decimated == errors.count && counts.duplicated < 300)
        }
    }
}
