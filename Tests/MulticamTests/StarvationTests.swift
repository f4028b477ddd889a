import Foundation
import Glibc
import MulticamMedia
import MulticamSessionFolder
import Testing

/// Simulated time in which one thread is stopped for a while, or constantly gets too little processor time.
private final class StarvingClock: SteppingClock {
    /// The time at which the thread is paused, and the length of the pause, in seconds since the clock was
    /// created.
    private let pause: (at: Double, length: Double)?
    /// The time that the thread takes to read the clock. It represents all its work between two readings.
    private let cost: Nanoseconds
    private let thread: String
    private let base = SimulatedClock()
    private let begin: ClockTime
    private let starved = ConditionLock<(thread: pthread_t?, hasPaused: Bool)>((nil, false))

    init(_ thread: String, pause: (at: Double, length: Double)? = nil, cost: Nanoseconds = .zero) {
        self.thread = thread
        self.pause = pause
        self.cost = cost
        begin = base.now
    }

    /// Elapsed simulated seconds.
    var seconds: Double { (base.now - begin).inSeconds }

    private var isStarved: Bool {
        let current = pthread_self()
        return starved.withLock { $0.thread == current }
    }

    var now: ClockTime {
        if cost > .zero, isStarved, seconds > 2 { base.sleep(until: base.now + cost, unless: Cancellation()) }
        return base.now
    }

    func date(of instant: ClockTime) -> Date { base.date(of: instant) }
    var isRealTime: Bool { false }

    func sleep(until deadline: ClockTime, unless cancellation: Cancellation) -> Bool {
        var deadline = deadline
        if let pause, isStarved, deadline >= begin + .seconds(rounding: pause.at) {
            let isFirst = starved.withLock { state in
                defer { state.hasPaused = true }
                return !state.hasPaused
            }
            if isFirst { deadline = deadline + .seconds(rounding: pause.length) }
        }
        return base.sleep(until: deadline, unless: cancellation)
    }

    func startThread(
        named name: String, _ body: sending @escaping () -> Void
    ) throws(ThreadError) -> MediaThread {
        guard name == thread else { return try base.startThread(named: name, body) }
        return try base.startThread(named: name) { [starved] in
            starved.withLock { $0.thread = pthread_self() }
            body()
        }
    }

    func hold() { base.hold() }
    func release() { base.release() }
}

@Suite("a starved recorder")
struct StarvationTests {
    private static let profile = """
        cameras: { desk: { device: "virtual:clap?seed=3", size: 320x180, rate: 30 } }
        microphones: { host: { device: "virtual:clap?seed=4" } }
        program: { size: 320x180, rate: 30, layout: single }
        tracks: { cameras: copy, microphones: wav }
        """

    @Test("overdue frames are not encoded, but every tick, copied frame, and sample is present")
    func bulk() async throws {
        let recording = try await Recording(
            Self.profile, seconds: 10, clock: StarvingClock("timeline", pause: (4, 3)))
        let program = try #require(try recording.track("program").frames)
        let (late, lost) = (program.lost["late"] ?? 0, program.lost.values.reduce(0, +))
        #expect((75...90).contains(late) && lost == late)
        #expect(program.written == 300 && program.captured + program.duplicated == 300)
        let camera = try #require(try recording.track("desk").frames)
        #expect(camera.lost.isEmpty && camera.captured == 300 && camera.written == 300)
        let samples = try #require(try recording.track("host").samples)
        #expect(samples.silence == 0 && samples.written == 480_000)
    }

    @Test("a pause of half a second loses no frame and no sample")
    func shortPause() async throws {
        let recording = try await Recording(
            Self.profile, seconds: 6, clock: StarvingClock("timeline", pause: (4, 0.5)))
        #expect(try recording.track("program").frames?.lost == [:])
        #expect(try recording.track("program").frames?.captured == 180)
        #expect(try recording.track("host").samples?.silence == 0)
    }

    @Test("a microphone's thread without processor time for 0.7 s loses no sample")
    func lateAudio() async throws {
        let recording = try await Recording(
            Self.profile, seconds: 6, clock: StarvingClock("mic:host", pause: (4, 0.7)))
        let samples = try #require(try recording.track("host").samples)
        #expect(samples.silence == 0 && samples.written == 288_000)
        #expect(recording.manifest.gaps.isEmpty)
        let onsets = Reader.onsets(try Reader.audio(recording.path("audio/host.wav"))).dropFirst()
        let start = Double(recording.manifest.t0_monotonic_ns) / 1e9
        #expect(onsets.count >= 5)
        for onset in onsets {
            let time = start + Double(onset) / 48_000
            #expect(abs(time - time.rounded()) < 0.001)
        }
    }

    @Test("the recording waits for audio that is late at the end")
    func lateAtEnd() async throws {
        let recording = try await Recording(
            Self.profile, seconds: 5, clock: StarvingClock("mic:host", pause: (4.8, 0.7)))
        let samples = try #require(try recording.track("host").samples)
        #expect(samples.silence == 0 && samples.written == 240_000)
    }

    @Test("a recorder that cannot catch up ends within two seconds of its end time")
    func end() async throws {
        // Each tick takes three times its interval.
        let clock = StarvingClock("timeline", cost: .milliseconds(100))
        let recording = try await Recording(Self.profile, seconds: 8, clock: clock)
        #expect(clock.seconds < 11)
        let duration = Double(recording.manifest.duration_ns) / 1e9
        #expect(duration < 8)
        let ticks = Int((duration * 30).rounded())
        #expect(try recording.track("program").frames?.written == ticks)
        #expect(try recording.track("desk").frames?.written == ticks)
        #expect(try recording.track("host").samples?.written == Int64((duration * 48_000).rounded()))
    }
}
