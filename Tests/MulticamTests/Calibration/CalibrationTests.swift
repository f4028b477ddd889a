import Foundation
import MulticamMedia
internal import MulticamSynchrony
import Testing

@testable import MulticamKit
@testable import MulticamSetup

@Suite("Calibration")
struct CalibrationTests {
    private func ms(_ value: Double) -> Nanoseconds { .seconds(rounding: value / 1000) }

    private func finding(_ role: String, in result: CalibrationResult) throws -> CalibrationFinding {
        try #require(result.findings.first { $0.role == role })
    }

    /// Because the clocks drift, the claps at whole seconds fall at different phases of the frames.
    private static let profile = """
        cameras:
          late: { device: "virtual:clap?drift=3300&size=320x180&latency=140" }
          right: { device: "virtual:clap?drift=-2700&jitter=3&size=320x180&format=yuyv" }
        microphones:
          host: { device: "virtual:clap?drift=-80&jitter=1", offset: 20ms }
          guest: { device: "virtual:clap?drift=60&rate=44100" }
        tracks: { cameras: encode, microphones: wav }
        """

    @Test(
        "a camera delay of 137 ms is measured within 2 ms, a microphone's within 1 ms, and recordings are in sync"
    )
    func late() async throws {
        let place = try StateFixture()
        let path = try place.write(Self.profile, to: "late.yaml")
        let request = SessionConfiguration(profile: path)
        func lateSetup() throws -> SessionSetup {
            var setup = try SessionSetup(request, calibrations: place.calibrations)
            if let camera = setup.cameras["late"] { setup.cameras["late"] = LateCamera(camera, by: ms(137)) }
            if let guest = setup.microphones["guest"] {
                setup.microphones["guest"] = LateMicrophone(guest, by: ms(41))
            }
            return setup
        }
        let calibration = try Calibration(try lateSetup(), clock: SimulatedClock())
        let result = try await calibration.measure()

        #expect(result.isComplete && result.problems.isEmpty)
        #expect(result.eventCount >= 10)
        let late = try finding("late", in: result)
        #expect(late.verdict == .measured)
        let latency = try #require(late.correction)
        #expect((latency - ms(137)).magnitude <= ms(2), "\(latency.inMilliseconds)")
        let estimate = try #require(late.estimate)
        #expect(estimate.uncertainty <= ms(2) && estimate.eventCount >= 10)
        #expect((latency - ms(137)).magnitude <= estimate.uncertainty)
        let right = try #require(try finding("right", in: result).correction)
        #expect(right.magnitude <= ms(2), "\(right.inMilliseconds)")
        let offset = try #require(try finding("guest", in: result).correction)
        #expect((offset + ms(41)).magnitude <= ms(1), "\(offset.inMilliseconds)")
        #expect(try finding("host", in: result).verdict == .reference)

        #expect(try calibration.save(result, in: place.calibrations) == nil)
        let calibrated = try lateSetup()
        #expect(calibrated.plan.cameras.map(\.latencySource) == [.calibration, .calibration])
        #expect(calibrated.plan.cameras[0].latency == latency)
        // The profile's value takes precedence.
        #expect(calibrated.plan.microphones.map(\.offsetSource) == [.profile, .calibration])
        #expect(calibrated.plan.microphones.map(\.offset) == [ms(20), offset])

        let recording = try await Recording(Self.profile, seconds: 5) { $0 = calibrated }
        let beeps = Reader.onsets(try Reader.audio(recording.path("audio/guest.wav")))
        #expect(beeps.count >= 4)
        let size = FrameSize(width: 320, height: 180)
        for role in ["late", "right"] {
            let white = try whiteFrames(in: recording.path("cameras/\(role).mov"), size: size)
            #expect(white.count == beeps.count)
            for (frame, beep) in zip(white, beeps) {
                // The clap occurred during the frame's exposure, which the grid may shift by half a frame.
                let second = Double(beep) / 48_000
                #expect(abs((Double(frame) + 0.5) / 30 - second) <= 1.0 / 30 + 0.003, "\(role)")
            }
        }
        let device = try #require(recording.manifest.devices.first { $0.role == "late" })
        #expect(device.latency_ns == latency.count && device.latency_source == .calibration)
        let host = try #require(recording.manifest.devices.first { $0.role == "host" })
        #expect(host.offset_ns == 20_000_000 && host.offset_source == .profile)
    }

    private func whiteFrames(in path: String, size: FrameSize) throws -> [Int] {
        let part = PixelRectangle(x: 0, y: 90, width: 320, height: 80)
        let brightness = try Reader.brightness(path, size: size, part: part)
        let white = brightness.indices.filter { brightness[$0] > 200 }
        // A duplicated frame counts as one clap.
        return white.filter { !white.contains($0 - 1) }
    }

    @Test(
        "claps at a constant phase leave an uncertainty of one exposure: a hint is given, nothing is saved"
    )
    func samePhase() async throws {
        let place = try StateFixture()
        let text = """
            cameras: { desk: { device: "virtual:clap?size=320x180&phase=20" } }
            microphones: { host: { device: "virtual:clap" } }
            tracks: { cameras: copy, microphones: wav }
            """
        let setup = try SessionSetup(
            SessionConfiguration(profile: try place.write(text, to: "same.yaml")), calibrations: nil)
        let calibration = try Calibration(
            setup, CalibrationOptions(duration: .seconds(13)), clock: SimulatedClock())
        let result = try await calibration.measure()
        let desk = try finding("desk", in: result)
        #expect(desk.verdict == .undecided && !desk.isUsable && !result.isComplete)
        let estimate = try #require(desk.estimate)
        #expect(estimate.median.magnitude <= estimate.uncertainty)
        #expect(estimate.eventCount >= 10)
        var hints: [String] = []
        for await case .hint(let text) in calibration.events { hints.append(text) }
        #expect(hints.contains { $0.contains("the same point in desk's frame interval") })
        #expect(try calibration.save(result, in: place.calibrations) == nil)
        #expect(place.calibrations.read().content == Calibrations())
    }

    @Test("files recorded 137 ms apart are measured and then recorded in sync")
    func files() async throws {
        let place = try StateFixture()
        let (size, phases) = (FrameSize(width: 160, height: 96), (0..<10).map { ($0 * 7) % 10 })
        // The claps are unevenly spaced, one at each tenth of a frame.
        let claps = phases.enumerated().map { 1 + 1.3 * Double($0) + (Double($1) + 0.4) / 300 }
        let audio = claps.map { "between(t,\($0),\($0 + 0.04))*sin(2*PI*1000*(t-\($0)))" }
        let light = claps.map { clap in
            // This frame is exposed during the clap, according to timestamps that are 137 ms late.
            "eq(N,\(Int(((clap + 0.137) * 30).rounded(.down))))"
        }
        let seconds = 15
        try Reader.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i",
                "aevalsrc='0.5*(\(audio.joined(separator: "+")))':s=48000:d=\(seconds)",
                place.folder + "/beeps.wav",
            ])
        try Reader.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i",
                "color=0x303030:s=160x96:r=30:d=\(seconds),format=yuvj420p,"
                    + "geq=lum='if(\(light.joined(separator: "+")),240,48)':cb=128:cr=128",
                "-c:v", "mjpeg", "-q:v", "3", place.folder + "/late.mov",
            ])
        let profile = """
            cameras: { desk: { device: "file:\(place.folder)/late.mov" } }
            microphones: { host: { device: "file:\(place.folder)/beeps.wav" } }
            tracks: { cameras: copy, microphones: wav }
            """
        let request = SessionConfiguration(profile: try place.write(profile, to: "files.yaml"))
        let setup = try SessionSetup(request, calibrations: place.calibrations)
        let calibration = try Calibration(setup, clock: SimulatedClock())
        let result = try await calibration.measure()
        let desk = try finding("desk", in: result)
        #expect(desk.estimate?.eventCount == 10)
        #expect((try #require(desk.correction) - ms(137)).magnitude <= ms(2))
        #expect(try #require(desk.estimate).uncertainty <= ms(2.5))
        _ = try calibration.save(result, in: place.calibrations)

        let calibrated = try SessionSetup(request, calibrations: place.calibrations)
        #expect(calibrated.plan.cameras[0].latencySource == .calibration)
        let recording = try await Recording(profile, seconds: 14) { $0 = calibrated }
        let brightness = try Reader.brightness(
            recording.path("cameras/desk.mov"), size: size,
            part: PixelRectangle(x: 0, y: 0, width: 160, height: 96))
        let white = brightness.indices.filter { brightness[$0] > 150 }
        let beeps = Reader.onsets(try Reader.audio(recording.path("audio/host.wav")))
        #expect(beeps.count == claps.count)
        for beep in beeps {
            let second = Double(beep) / 48_000
            #expect(white.contains { abs((Double($0) + 0.5) / 30 - second) <= 1.0 / 30 + 0.003 }, "\(second)")
        }
    }

    @Test("disconnected devices and devices that detect no claps are reported")
    func unhelpful() async throws {
        let place = try StateFixture()
        let text = """
            cameras:
              blind: { device: "virtual:bars?size=320x180" }
              gone: { device: "virtual:clap?size=320x180&unplug=2.5" }
            microphones: { host: { device: "virtual:clap" }, deaf: { device: "virtual:silence" } }
            tracks: { cameras: copy, microphones: wav }
            """
        let setup = try SessionSetup(
            SessionConfiguration(profile: try place.write(text, to: "deaf.yaml")), calibrations: nil)
        let calibration = try Calibration(
            setup, CalibrationOptions(duration: .seconds(8)), clock: SimulatedClock())
        let result = try await calibration.measure()
        #expect(result.eventCount >= 7)
        #expect(!result.hasUsableFinding && !result.isComplete)
        #expect(result.problems.count == 1)
        #expect(result.problems.first?.hasPrefix("gone was disconnected (unplugged)") == true)
        for role in ["blind", "gone", "deaf"] {
            #expect(try finding(role, in: result).verdict == .tooFewEvents)
        }
        var missed: [[String]] = []
        var hints: [String] = []
        for await event in calibration.events {
            if case .detected(_, _, let others, _) = event { missed.append(others) }
            if case .hint(let text) = event { hints.append(text) }
        }
        #expect(missed.count == result.eventCount && missed.last == ["blind", "gone", "deaf"])
        #expect(missed.allSatisfy { $0.contains("blind") && $0.contains("deaf") })
        #expect(hints.count == 3 && hints.contains(result.problems))
    }

    @Test("calibration requires a microphone as reference, and another device")
    func refused() throws {
        let place = try StateFixture()
        func refusal(_ text: String, _ options: CalibrationOptions = CalibrationOptions()) throws -> String {
            let setup = try SessionSetup(
                SessionConfiguration(profile: try place.write(text, to: "refused.yaml")), calibrations: nil)
            let error = #expect(throws: CalibrationError.self) { try Calibration(setup, options) }
            guard case .usage(let sentence)? = error else { return "" }
            return sentence
        }
        let camera = """
            cameras: { a: { device: "virtual:clap" }, b: { device: "virtual:clap" } }
            tracks: { cameras: copy }
            """
        #expect(try refusal(camera).contains("(cameras: 2, microphones: 0)"))
        let microphone = """
            microphones: { a: { device: "virtual:clap" } }
            tracks: { microphones: wav }
            """
        #expect(try refusal(microphone).contains("(cameras: 0, microphones: 1)"))
        let two = """
            microphones: { a: { device: "virtual:clap" }, b: { device: "virtual:clap" } }
            tracks: { microphones: wav }
            """
        #expect(try refusal(two, CalibrationOptions(reference: "c")).contains("a, b"))
    }
}
