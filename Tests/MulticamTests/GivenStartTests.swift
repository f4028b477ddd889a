import MulticamMedia
import MulticamSession
import MulticamSessionFolder
import Testing

@Suite("Recordings with a given start time")
struct GivenStartTests {
    private static let profile = """
        cameras: { desk: { device: "virtual:clap", size: 320x180, rate: 30 } }
        microphones: { host: { device: "virtual:clap" } }
        """
    private static let now = ClockTime(nanoseconds: 1_000_000_000_000)

    @Test("T0 is the given start time, and the duration is as requested")
    func inTime() async throws {
        let start = Self.now + .milliseconds(5_123)
        let recording = try await Recording(
            Self.profile, seconds: 1, clock: SimulatedClock(start: Self.now), options: { $0.start = start })
        #expect(recording.manifest.t0_monotonic_ns == start.nanoseconds)
        #expect(try recording.track("desk").frames?.written == 30)
        #expect(try recording.track("host").samples?.written == 48_000)
    }

    @Test("T0 is the next tick of the grid if the given start time has passed")
    func late() async throws {
        let start = Self.now - .seconds(10)
        let recording = try await Recording(
            Self.profile, seconds: 1, clock: SimulatedClock(start: Self.now), options: { $0.start = start })
        let late = recording.manifest.t0_monotonic_ns - start.nanoseconds
        #expect(late > 10_000_000_000)
        let rate = FrameRate(30, per: 1)
        #expect(rate.time(ofTick: rate.ticks(before: MediaTime(nanoseconds: late))).nanoseconds == late)
        #expect(try recording.track("desk").frames?.written == 30)
    }
}
