import Foundation
import MulticamMedia
import MulticamSession
import MulticamSessionFolder
import MulticamTiming
import MulticamVirtualDevices
import Testing

/// Tests two computers of a group with crystal errors far above real ones, so that two minutes are equivalent
/// to ten hours.
@Suite("recordings on a clock that follows a group's time")
struct SteeredRecordingTests {
    private static let seconds = 120
    private static let size = FrameSize(width: 320, height: 180)

    @Test(
        "the length is exact to the frame, and each clap and each frame is at its group time",
        arguments: [400.0, -400, 0])
    func recording(ppm: Double) async throws {
        let boot = ClockTime(nanoseconds: 1_000_000_000_000)
        let machine = MeasuredClock(at: boot, ppm: ppm)
        let clock = SteeredClock(machine)
        try machine.sendMeasurements(to: clock)
        // T0 is defined by a single reading, as by a node.
        let named = boot + .seconds(5)
        let utc = MeasuredClock.epoch + 5_000_000_000
        let start = clock.begin(at: named, utc: utc)
        let recording = try await Recording(
            """
            cameras: { desk: { device: "virtual:clap?jitter=2&latency=40", size: 320x180, rate: 30 } }
            microphones:
              host: { device: "virtual:clap?jitter=2&drift=30" }
              guest: { device: "virtual:clap?rate=44100&drift=-80" }
            """, seconds: Double(Self.seconds), clock: clock, options: { $0.start = start })
        #expect(try recording.track("desk").frames?.written == 30 * Self.seconds)
        #expect(try recording.track("host").samples?.written == Int64(48_000 * Self.seconds))
        #expect(try recording.track("desk").frames?.lost.isEmpty ?? false)
        let t0 = 5e9
        let whole = ClockTime(nanoseconds: 1_000_000_000)
        for name in ["host", "guest"] {
            let onsets = Reader.onsets(try Reader.audio(recording.path("audio/\(name).wav")))
            // Claps occur at whole seconds of the machine's clock.
            let wanted = (1000...(1000 + 10 + Self.seconds)).map { second in
                (machine.passed(ClockTime(nanoseconds: whole.nanoseconds * Int64(second))) - t0) / 1e9
            }.filter { $0 > 0.01 && $0 < Double(Self.seconds) - 0.05 }
            let heard = onsets.map { Double($0) / 48_000 }.filter {
                $0 > 0.01 && $0 < Double(Self.seconds) - 0.05
            }
            try #require(heard.count == wanted.count, "\(name)")
            let errors = zip(heard, wanted).map { abs($0 - $1) }
            #expect((errors.max() ?? 1) < 0.001 + MeasuredClock.bound.inSeconds, "\(name)")
        }
        let strips = try Reader.strips(recording.path("cameras/desk.mov"), size: Self.size)
        let errors = strips.enumerated().map { tick, strip in
            strip.map { strip in
                // The strip contains the machine's clock in units of 0.1 ms, modulo 2²⁴.
                let tickTime = (t0 + Double(tick) / 30 * 1e9) / (1 + ppm * 1e-6) / 1e9 + 1000
                return abs((Double(strip.time) / 1e4 - tickTime).remainder(dividingBy: 1677.7216))
            } ?? .infinity
        }
        #expect(errors.count == 30 * Self.seconds)
        #expect((errors.max() ?? 1) < 0.55 / 30 + 0.0015)
        let told = try #require(recording.manifest.group_time)
        #expect(told.followed > Self.seconds && told.refused == 0 && told.steps == 0)
        #expect(told.max_bound_ns == 30_000 && told.max_error_ns < 100_000)
        #expect(abs(told.ppm - ppm) < 5)
        #expect(abs(Double(told.gained_ns) / 1e9 - ppm * 1e-6 * Double(Self.seconds)) < 0.002)
        try recording.checkSchema()
    }

    @Test("after a minute and a split, the time references of wave files are contiguous to the sample")
    func split() async throws {
        let boot = ClockTime(nanoseconds: 1_000_000_000_000)
        let machine = MeasuredClock(at: boot, ppm: 400)
        let clock = SteeredClock(machine)
        try machine.sendMeasurements(to: clock)
        let start = clock.begin(at: boot + .seconds(5), utc: MeasuredClock.epoch + 5_000_000_000)
        let host = ControllerHost { session, second in if second == 60 { session.split() } }
        let recording = try await Recording(
            """
            microphones: { host: { device: "virtual:clap" } }
            """, seconds: 64, host: host, clock: clock, steer: { host.attach($0) },
            options: { $0.start = start })
        let track = try recording.track("host")
        let part = try #require(track.part_details?.first)
        let references = try [track.file, part.file].map { file in
            let text = try Reader.run(
                "ffprobe",
                [
                    "-v", "error", "-show_entries", "format_tags=time_reference", "-of", "csv=p=0",
                    recording.path(file),
                ])
            return try #require(
                Int64(String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)))
        }
        let samples = Int64((Double(part.first_ns) * 48e-6).rounded())
        #expect(samples > 50 * 48_000)
        #expect(abs(references[1] - references[0] - samples) <= 1)
        // T0 is unchanged, although the clock rate has changed since.
        let told = try #require(
            recording.events.lazy.compactMap { $0.firstMatch(of: /"t0_monotonic_ns":(\d+)/) }.first)
        #expect(Int64(told.1) == recording.manifest.t0_monotonic_ns)
    }
}
