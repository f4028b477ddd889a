import Foundation
import MulticamMedia
import MulticamSessionFolder
import MulticamSetup
import MulticamTiming
import Testing

/// Tests device faults that occur in the field. Whole recordings are verified by code strips and beeps.
@Suite("recordings with clock faults")
struct ClockFaultRecordingTests {
    private static let seconds = 26.0
    /// Time of the fault in seconds. The clock models have settled by then.
    private static let event = 12.0
    /// A frame may deviate from its tick by 0.55 intervals plus the resolution of the code strip.
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

    /// Returns the states of the clock after the fault, and the sum of its movements in seconds.
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

    /// Returns the deviations of the beeps from whole seconds, with their time in the recording.
    private func beeps(_ recording: Recording) throws -> [(time: Double, error: Double)] {
        let start = Double(recording.manifest.t0_monotonic_ns) / 1e9
        return Reader.onsets(try Reader.audio(recording.path("audio/a.wav"))).dropFirst().map { onset in
            let time = start + Double(onset) / 48_000
            return (time - start, time - time.rounded())
        }
    }

    /// - Parameters:
    ///   - recording: Recording of a microphone with a fault.
    ///   - regained: Time in seconds after which the beeps are in place again.
    ///   - moved: Expected movement of the clock, in seconds.
    ///   - silent: Expected duration of the silence, in seconds.
    /// - Throws: An error if the recording can't be read.
    private func checkRecording(
        _ recording: Recording, from regained: Double, moved: Double, silent: Range<Double>
    ) throws {
        let beeps = try beeps(recording)
        #expect(beeps.filter { $0.time > regained }.count >= Int(Self.seconds - regained))
        for beep in beeps where beep.time < Self.event || beep.time > regained {
            #expect(abs(beep.error) < 0.001, "at \(beep.time) s")
        }
        let samples = try #require(try recording.track("a").samples)
        #expect(samples.written == Int64(Self.seconds) * 48_000)
        #expect(silent.contains(Double(samples.silence) / 48_000))
        let gaps = recording.manifest.gaps
        #expect(gaps.count == 1)
        #expect(gaps.allSatisfy { abs($0.from.nanoseconds - Int64(Self.event * 1e9)) < 20_000_000 })
        let events = try clockEvents(recording)
        #expect(events.states == ["restarted", "locked"] && abs(events.moved - moved) < 0.002)
    }

    // MARK: A camera in the dark

    /// A camera in which every other frame is exposed twice as long, and the driver counts only delivered
    /// frames.
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

    @Test("a camera that goes dark is off by less than 0.1 s for a moment, and accurate again in the light")
    func dark() async throws {
        let recording = try await recorded(camera: Self.dark(from: Self.event, to: 18))
        let errors = try StripErrors(recording, "a")
        // At 15 frames per second, the nearest frame may be half an interval away.
        let darkLimit = 0.5 / 15 + 0.0015
        #expect(errors.largest(2..<Self.event) < Self.limit)
        #expect(errors.largest(Self.event..<12.3) < 0.1)
        #expect(errors.largest(12.3..<18) < darkLimit)
        #expect(errors.largest(18..<18.3) < 0.1)
        #expect(errors.largest(18.3..<Self.seconds) < Self.limit)
        // Ninety frames are missing.
        let frames = try #require(try recording.track("a").frames)
        #expect((88...92).contains(frames.lost["low-light"] ?? 0) && frames.lost.count == 1)
        #expect(recording.events.contains { $0.contains("delivers 15.0 fps instead of 30 fps") })
        let events = try clockEvents(recording)
        // At 15 frames per second with this jitter, it takes about the entire dark period to reach a
        // certainty of 1 ms.
        #expect(events.states.filter { $0 == "restarted" }.count == 2 && events.states.last == "locked")
    }

    // MARK: A suspended machine

    @Test("after a suspend, a camera that continued to count 150 frames is in place within 0.3 s")
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

    @Test("a camera suspended for 3 s with the machine, without a report, is in place within 0.3 s")
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
        // The missing frames are known; frames that arrived before the clock detected the fault were late.
        let frames = try #require(try recording.track("a").frames)
        #expect(abs((frames.lost["disconnected"] ?? 0) - 90) <= 1 && (frames.lost["late"] ?? 0) <= 9)
        #expect(abs(frames.captured + frames.lost.values.reduce(0, +) - 780) <= 2)
        let events = try clockEvents(recording)
        #expect(events.states.first == "restarted" && abs(events.moved - 3) < 0.02)
    }

    // MARK: A sound card

    @Test("a second lost by a sound card becomes silence, and beeps are in place within 0.5 s")
    func lostSecond() async throws {
        let missing = ConditionLock<Int64>(0)
        let recording = try await recorded(microphone: { audio, seconds in
            if seconds.map({ (Self.event..<Self.event + 1).contains($0) }) ?? false {
                missing.withLock { $0 += Int64(audio.frameCount) }
                return nil
            }
            return (audio.firstSample - missing.withLock { $0 }, audio.capturedAt)
        })
        try checkRecording(recording, from: Self.event + 1.5, moved: 1, silent: 1..<1.5)
    }

    @Test(
        "after a suspend, beeps of a sound card that continued to count 5 s are in place within 0.5 s")
    func audioWentOn() async throws {
        let recording = try await recorded(microphone: { audio, seconds in
            (
                audio.firstSample + (seconds.map { $0 >= Self.event } ?? false ? 5 * 44_100 : 0),
                audio.capturedAt
            )
        })
        try checkRecording(recording, from: Self.event + 0.5, moved: -5, silent: 0..<0.5)
    }
}
