import Foundation
import Media
import SessionFolder
import Setup
import Testing
import Timing

/// What happens to devices in the field, as whole recordings judged by code strips and beeps.
@Suite("clocks in trouble, as recorded")
struct ClockFaultRecordingTests {
    private static let seconds = 26.0
    /// When it happens: by then the clocks are known.
    private static let event = 12.0
    /// Off its tick a frame may be by 0.55 intervals and what a strip can tell.
    private static let limit = 0.55 / 30 + 0.0015

    private func recorded(camera change: @escaping DisturbedCamera.Change) async throws -> Recording {
        let profile = """
            cameras: { a: { device: "virtual:clap?drift=120&jitter=8&seed=5", size: 320x180, rate: 30 } }
            """
        return try await Recording(profile, seconds: Self.seconds) { setup in
            if let camera = setup.cameras["a"] {
                setup.cameras["a"] = DisturbedCamera(camera, change: change)
            }
        }
    }

    private func recorded(microphone change: @escaping DisturbedMicrophone.Change) async throws -> Recording {
        let profile = """
            microphones: { a: { device: "virtual:clap?rate=44100&drift=-90&jitter=2&seed=5" } }
            """
        return try await Recording(profile, seconds: Self.seconds) { setup in
            if let microphone = setup.microphones["a"] {
                setup.microphones["a"] = DisturbedMicrophone(microphone, change: change)
            }
        }
    }

    /// The states that the clock went through after the event, and by how much it moved in all, in seconds.
    private func clockEvents(_ recording: Recording) throws -> (states: [String], moved: Double) {
        var (states, moved) = ([String](), 0.0)
        for line in recording.events {
            let event = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            guard event["event"] as? String == "clock", let at = event["at_ns"] as? Double,
                at > Self.event * 1e9, let state = event["state"] as? String
            else { continue }
            states.append(state)
            moved += (event["moved_us"] as? Double ?? 0) / 1e6
        }
        return (states, moved)
    }

    /// How far the beeps after the event lie off their whole seconds, by their time in the recording.
    private func beeps(_ recording: Recording) throws -> [(time: Double, error: Double)] {
        let start = Double(recording.manifest.t0_monotonic_ns) / 1e9
        return Reader.onsets(try Reader.audio(recording.path("audio/a.wav"))).dropFirst().map { onset in
            let time = start + Double(onset) / 48_000
            return (time - start, time - time.rounded())
        }
    }

    /// - Parameters:
    ///   - recording: Of a microphone that something happened to.
    ///   - regained: From when on its beeps are in place again.
    ///   - moved: By how much its clock moved, in seconds.
    ///   - silent: How long it is silent for that, in seconds.
    /// - Throws: When what was recorded cannot be read.
    private func judge(
        _ recording: Recording, from regained: Double, moved: Double, silent: Range<Double>
    ) throws {
        let beeps = try beeps(recording)
        #expect(beeps.filter { $0.time > regained }.count >= Int(Self.seconds - regained))
        for beep in beeps where beep.time < Self.event || beep.time > regained {
            #expect(abs(beep.error) < 0.001, "at \(beep.time) s")
        }
        let samples = try #require(try recording.track("a").samples)
        #expect(samples.written == Int64(Self.seconds) * 48_000)
        #expect(silent.contains(Double(samples.filled) / 48_000))
        let gaps = recording.manifest.gaps
        #expect(gaps.count == 1)
        #expect(gaps.allSatisfy { abs($0.from.nanoseconds - Int64(Self.event * 1e9)) < 20_000_000 })
        let events = try clockEvents(recording)
        #expect(events.states == ["restarted", "locked"] && abs(events.moved - moved) < 0.002)
    }

    // MARK: A camera in the dark

    /// Every other frame is exposed twice as long, and the driver counts what it delivers.
    private static func dark(from begin: Double, to end: Double) -> DisturbedCamera.Change {
        let missing = ConditionLock<Int64>(0)
        return { frame, seconds in
            let isDark = seconds.map { (begin..<end).contains($0) } ?? false
            if isDark, frame.sequence.isMultiple(of: 2) {
                missing.withLock { $0 += 1 }
                return nil
            }
            return (frame.sequence - missing.withLock { $0 }, frame.capturedAt)
        }
    }

    @Test("a camera that goes dark is off by less than 0.1 s for a moment, and in the light again by nothing")
    func dark() async throws {
        let recording = try await recorded(camera: Self.dark(from: Self.event, to: 18))
        let errors = try StripErrors(recording, "a")
        // At 15 frames a second the nearest may be as far as half of their interval.
        let darkLimit = 0.5 / 15 + 0.0015
        #expect(errors.largest(2..<Self.event) < Self.limit)
        #expect(errors.largest(Self.event..<12.3) < 0.1)
        #expect(errors.largest(12.3..<18) < darkLimit)
        #expect(errors.largest(18..<18.3) < 0.1)
        #expect(errors.largest(18.3..<Self.seconds) < Self.limit)
        // Ninety frames were left out.
        let frames = try #require(try recording.track("a").frames)
        #expect((88...92).contains(frames.lost["exposure"] ?? 0) && frames.lost.count == 1)
        #expect(recording.events.contains { $0.contains("delivers 15.0 frames a second instead of 30") })
        let events = try clockEvents(recording)
        // At 15 frames a second with so much jitter, sureness to 1 ms takes about as long as the dark lasts.
        #expect(events.states.filter { $0 == "restarted" }.count == 2 && events.states.last == "locked")
    }

    // MARK: A suspended machine

    @Test("a camera that went on while the machine slept counts on by 150: it is in place within 0.3 s")
    func cameraWentOn() async throws {
        let recording = try await recorded(camera: { frame, seconds in
            (frame.sequence + (seconds.map { $0 >= Self.event } ?? false ? 150 : 0), frame.capturedAt)
        })
        let errors = try StripErrors(recording, "a")
        #expect(errors.largest(2..<Self.event) < Self.limit)
        #expect(errors.largest(12.3..<Self.seconds) < Self.limit)
        let events = try clockEvents(recording)
        #expect(events.states.first == "restarted" && abs(events.moved + 5) < 0.02)
        let frames = try #require(try recording.track("a").frames)
        #expect(frames.lost.values.reduce(0, +) + frames.captured >= 778 && frames.captured >= 770)
    }

    @Test("a camera that slept with the machine for 3 s, of which nobody told, is in place within 0.3 s")
    func cameraSlept() async throws {
        let missing = ConditionLock<Int64>(0)
        let recording = try await recorded(camera: { frame, seconds in
            if seconds.map({ (Self.event..<Self.event + 3).contains($0) }) ?? false {
                missing.withLock { $0 += 1 }
                return nil
            }
            return (frame.sequence - missing.withLock { $0 }, frame.capturedAt)
        })
        let errors = try StripErrors(recording, "a")
        #expect(errors.largest(2..<Self.event) < Self.limit)
        #expect(errors.largest(15.3..<Self.seconds) < Self.limit)
        // What is missing is known, and what came before the clock had found out was late.
        let frames = try #require(try recording.track("a").frames)
        #expect(abs((frames.lost["away"] ?? 0) - 90) <= 1 && (frames.lost["late"] ?? 0) <= 9)
        #expect(abs(frames.captured + frames.lost.values.reduce(0, +) - 780) <= 2)
        let events = try clockEvents(recording)
        #expect(events.states.first == "restarted" && abs(events.moved - 3) < 0.02)
    }

    // MARK: A sound card

    @Test("a sound card that loses a second: what it lost is silence, and beeps are in place within 0.5 s")
    func lostSecond() async throws {
        let missing = ConditionLock<Int64>(0)
        let recording = try await recorded(microphone: { audio, seconds in
            if seconds.map({ (Self.event..<Self.event + 1).contains($0) }) ?? false {
                missing.withLock { $0 += Int64(audio.frameCount) }
                return nil
            }
            return (audio.firstSample - missing.withLock { $0 }, audio.capturedAt)
        })
        try judge(recording, from: Self.event + 1.5, moved: 1, silent: 1..<1.5)
    }

    @Test(
        "a sound card that went on while the machine slept counts on by 5 s: beeps are in place within 0.5 s")
    func audioWentOn() async throws {
        let recording = try await recorded(microphone: { audio, seconds in
            (
                audio.firstSample + (seconds.map { $0 >= Self.event } ?? false ? 5 * 44_100 : 0),
                audio.capturedAt
            )
        })
        try judge(recording, from: Self.event + 0.5, moved: -5, silent: 0..<0.5)
    }
}
