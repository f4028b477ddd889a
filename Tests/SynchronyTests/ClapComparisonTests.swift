import Glibc
import MulticamMedia
import MulticamSeededNoise
import Testing

@testable import MulticamSynchrony

/// A camera with unsynchronized frames, recorded on a grid as the aligner does it.
private struct SyntheticCamera {
    let frame = 1.0 / 30
    /// Distance of the camera's frames from their ticks at T0, in frames (−0.5…0.5), and its drift in frames
    /// per second.
    var phase: Double
    var drift = 0.0
    /// Delay of the written track, in seconds.
    var shift = 0.0

    /// Returns the event of a flash at `time` in the recording, with its possible range.
    func event(_ time: Double) -> SharpEvent {
        // This frame was exposed during the flash. Duplicates and decimation keep the phase between −0.55 and
        // 0.55.
        var phase = phase + drift * time
        phase -= (phase / 1.0).rounded()
        let number = ((time - phase * frame) / frame).rounded(.down)
        let tick = number * frame + shift
        let (early, late) = (0.55 * frame + 0.001, 1.55 * frame + 0.001)
        return SharpEvent(
            earliest: MediaTime(nanoseconds: Int64((tick - early) * 1e9)),
            latest: MediaTime(nanoseconds: Int64((tick + late) * 1e9)), strength: 10)
    }
}

@Suite("Comparison of claps")
struct ClapComparisonTests {
    private let frame = Nanoseconds(33_333_333)
    private let tolerance = SyncTolerance()

    private func audio(_ time: Double) -> SharpEvent {
        SharpEvent(
            earliest: MediaTime(nanoseconds: Int64(time * 1e9) - 25_000),
            latest: MediaTime(nanoseconds: Int64(time * 1e9)), strength: 10)
    }

    private func isApart(_ comparison: ClapComparison?) throws -> Bool {
        tolerance.isExceeded(by: try #require(comparison).whole, frame: frame)
    }

    private func times(_ generator: inout SeededGenerator, count: Int, areRandom: Bool) -> [Double] {
        let begin = generator.fraction()
        return (0..<count).map { begin + Double($0) * 1 + (areRandom ? 0.4 * generator.fraction() : 0) }
    }

    @Test(
        "4000 aligned recordings with any phase and one or more claps are aligned with audio and with each other"
    )
    func aligned() throws {
        var generator = SeededGenerator(seed: 1)
        for index in 0..<4000 {
            let times = times(&generator, count: [1, 2, 5, 30][index % 4], areRandom: index % 8 < 4)
            let drift = index % 16 < 8 ? 0 : (generator.fraction() - 0.5) * 0.01
            let cameras = (0..<2).map { _ in SyntheticCamera(phase: generator.fraction() - 0.5, drift: drift)
            }
            let events = cameras.map { camera in times.map { camera.event($0) } }
            let heard = times.map { audio($0) }
            let seen = ClapComparison(heard, events[0], areAudio: false, areFrames: false)
            #expect(try !isApart(seen), "\(cameras[0])")
            #expect(try #require(seen).whole.leastMagnitude == .zero)
            #expect(
                try !isApart(ClapComparison(events[0], events[1], areAudio: false, areFrames: true)),
                "\(cameras)")
        }
    }

    @Test(
        "A camera that is 2, 3, or 5 frames early or late relative to a microphone is detected at any phase",
        arguments: [(2.0, 0.95), (-2, 0.95), (3, 1), (-3, 1), (5, 1), (-5, 1)])
    func shifted(frames: Double, least: Double) throws {
        var generator = SeededGenerator(seed: 2)
        var found = 0
        for _ in 0..<400 {
            let times = times(&generator, count: 10, areRandom: false)
            let camera = SyntheticCamera(phase: generator.fraction() - 0.5, shift: frames / 30)
            let comparison = ClapComparison(
                times.map { audio($0) }, times.map { camera.event($0) }, areAudio: false, areFrames: false)
            if try isApart(comparison) { found += 1 }
            let whole = try #require(comparison).whole
            #expect((whole.offset.inSeconds - frames / 30).magnitude <= whole.uncertainty.inSeconds + 1e-9)
        }
        #expect(Double(found) >= least * 400, "\(found)")
    }

    @Test("Cameras that show every clap two frames apart are not aligned; one frame apart, they are")
    func cameras() throws {
        for (frames, expected) in [(0, false), (1, false), (2, true), (-2, true), (4, true)] {
            let times = (0..<10).map { Double($0) + 0.51 }
            let camera = SyntheticCamera(phase: 0.2)
            let other = SyntheticCamera(phase: 0.2, shift: Double(frames) / 30)
            let comparison = ClapComparison(
                times.map { camera.event($0) }, times.map { other.event($0) }, areAudio: false,
                areFrames: true)
            #expect(try isApart(comparison) == expected, "\(frames)")
        }
    }

    @Test(
        "With claps at varying phases, an offset of 0.7 frames is detected and measured to a tenth of a frame",
        arguments: [0.7, -0.7, 0])
    func sweeping(frames: Double) throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<20 {
            // The phase passes through one whole frame per minute.
            let camera = SyntheticCamera(
                phase: generator.fraction() - 0.5, drift: 1.0 / 60, shift: frames / 30)
            let times = times(&generator, count: 120, areRandom: true)
            let comparison = ClapComparison(
                times.map { audio($0) }, times.map { camera.event($0) }, areAudio: false, areFrames: false)
            let whole = try #require(comparison).whole
            #expect((whole.offset.inSeconds * 30 - frames).magnitude < 0.15)
            #expect(try isApart(comparison) == (frames != 0))
        }
    }

    @Test("Audio tracks more than 5 ms apart are not aligned, and a wrong clap does not affect the median")
    func audioBlocks() throws {
        for (milliseconds, expected) in [
            (0.0, false), (4.9, false), (-4.9, false), (5.2, true), (-5.2, true),
        ] {
            let times = (0..<9).map { Double($0) }
            let late = times.map { audio($0 + milliseconds / 1000 + ($0 == 4 ? 0.004 : 0)) }
            let whole = try #require(
                ClapComparison(times.map { audio($0) }, late, areAudio: true, areFrames: false)
            ).whole
            #expect(abs(whole.offset.inMilliseconds - milliseconds) < 0.05)
            #expect(tolerance.isExceeded(by: whole, frame: nil) == expected)
        }
    }

    @Test("Unrelated events do not give a result")
    func untrusted() {
        var generator = SeededGenerator(seed: 4)
        var told = 0
        for _ in 0..<100 {
            let lists = (0..<2).map { _ in
                (0..<Int(3 + 6 * generator.fraction())).map { _ in 60 * generator.fraction() }.sorted().map {
                    audio($0)
                }
            }
            if ClapComparison(lists[0], lists[1], areAudio: true, areFrames: false) != nil { told += 1 }
        }
        #expect(told == 0)
    }
}
