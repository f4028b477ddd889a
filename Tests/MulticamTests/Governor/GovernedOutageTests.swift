import Foundation
import MulticamMedia
import MulticamSessionFolder
import MulticamSetup
import MulticamTiming
import MulticamVirtualDevices
import Testing

@Suite("disconnected or refusing cameras under the governor")
struct GovernedOutageTests {
    /// Returns a computer that is short of memory from 2 s on, which makes the governor reduce copied
    /// cameras.
    private static func shortage(until end: Int64) -> ScriptedHost {
        ScriptedHost([
            (0, ScriptedHost.memory(isShort: false)), (2, ScriptedHost.memory(isShort: true)),
            (end, ScriptedHost.memory(isShort: false)),
        ])
    }

    private static func seconds(_ time: MediaTime) -> Double { Double(time.nanoseconds) / 1e9 }

    private struct LoggedEvent: Decodable {
        let event: String
        let track: String?
        let text: String?
        let cause: String?
    }

    /// Returns the events of one kind for a track.
    private static func events(_ event: String, of track: String, in recording: Recording) throws
        -> [LoggedEvent]
    {
        try recording.events.map { try JSONDecoder().decode(LoggedEvent.self, from: Data($0.utf8)) }
            .filter { $0.event == event && $0.track == track }
    }

    /// Checks that every tick of a track is accounted for and that losses match the causes of its gaps.
    private static func checkSums(_ recording: Recording, track name: String, frames: Int64) throws {
        let counts = try #require(try recording.track(name).frames)
        #expect(counts.written == frames)
        #expect(counts.written == counts.captured - counts.decimated + counts.duplicated + counts.slate)
        let rate = 30.0
        for (cause, prefix) in [("governor", "governor: "), ("disconnected", "unplugged")] {
            let length = recording.manifest.gaps.filter { $0.track == name && $0.cause.hasPrefix(prefix) }
                .reduce(0.0) { $0 + seconds($1.to) - seconds($1.from) }
            let lost = Double(counts.lost[cause] ?? 0)
            #expect(abs(lost - length * rate) <= 4, "\(cause): \(lost) frames in \(length) s")
        }
    }

    private static let two = """
        cameras:
          desk: { device: "virtual:clap?size=320x180&fps=30" }
          face: { device: "virtual:clap?size=320x180&fps=30&FAULTS" }
        """

    @Test("a camera unplugged while off is reported as lost once it is needed, as a separate gap")
    func unpluggedWhileOff() async throws {
        let profile = Self.two.replacing("FAULTS", with: "unplug=17&replug=36")
        let recording = try await Recording(profile, seconds: 40, host: Self.shortage(until: 18))
        #expect(recording.manifest.governor.map(\.step) == ["face on → off", "face off → on"])
        let gaps = recording.manifest.gaps.filter { $0.track == "face" }
        #expect(gaps.map { $0.cause.hasPrefix("governor: face on → off") } == [true, false])
        #expect(gaps.last?.cause == "unplugged")
        #expect(gaps.first?.to == gaps.last?.from)
        #expect(abs(Self.seconds(try #require(gaps.last?.to)) - 36) < 0.1)
        #expect(try Self.events("device-lost", of: "face", in: recording).map(\.cause) == ["unplugged"])
        #expect(try Self.events("device-restored", of: "face", in: recording).count == 1)
        try Self.checkSums(recording, track: "face", frames: 1200)
    }

    @Test("a camera unplugged while off and never restored has gaps of both causes")
    func unpluggedForGood() async throws {
        let profile = Self.two.replacing("FAULTS", with: "unplug=17")
        let recording = try await Recording(profile, seconds: 36, host: Self.shortage(until: 18))
        #expect(try Self.events("device-lost", of: "face", in: recording).count == 1)
        #expect(recording.manifest.gaps.filter { $0.track == "face" }.count == 2)
        try Self.checkSums(recording, track: "face", frames: 1080)
    }

    @Test("an unplugged camera is not reduced, and its gap is attributed only to the outage")
    func spared() async throws {
        let profile = Self.two.replacing("FAULTS", with: "unplug=1&replug=25")
        let recording = try await Recording(profile, seconds: 28, host: Self.shortage(until: 14))
        #expect(recording.manifest.governor.isEmpty)
        #expect(try recording.track("face").frames?.lost.keys.sorted() == ["disconnected"])
        #expect(try Self.events("device-lost", of: "face", in: recording).count == 1)
        #expect(try Self.events("device-restored", of: "face", in: recording).count == 1)
        try Self.checkSums(recording, track: "face", frames: 840)
    }

    private static let one = """
        cameras:
          desk: { device: "virtual:clap?FAULTS", size: 640x360, rate: 30 }
        budget: { floors: { size: 640x360, rate: 15 } }
        """

    @Test("a camera that is unplugged during a format change is reported as lost")
    func unpluggedInChange() async throws {
        // A recording without the fault determines the time of the change.
        let whole = try await Recording(
            Self.one.replacing("FAULTS", with: "seed=1"), seconds: 8, host: Self.shortage(until: 60))
        let change = try #require(whole.manifest.gaps.first)
        let unplug = (Self.seconds(change.from) + Self.seconds(change.to)) / 2
        let faults = "seed=1&unplug=\(String(format: "%.3f", unplug))&replug=7"
        let recording = try await Recording(
            Self.one.replacing("FAULTS", with: faults), seconds: 9, host: Self.shortage(until: 60))
        let gaps = recording.manifest.gaps.prefix(2)
        #expect(gaps.first?.from == change.from)
        #expect(gaps.map { $0.cause.hasPrefix("governor: desk rate 30 → 20") } == [true, false])
        #expect(gaps.last?.cause == "unplugged" && abs(Self.seconds(gaps[1].to) - 7) < 0.1)
        #expect(try Self.events("device-lost", of: "desk", in: recording).count == 1)
        #expect(try Self.events("device-restored", of: "desk", in: recording).count == 1)
    }

    @Test("a reduction reverted while a camera is unplugged takes effect when it returns")
    func returnsInWantedFormat() async throws {
        let faults = "unplug=11&replug=30"
        let recording = try await Recording(
            Self.one.replacing("FAULTS", with: faults), seconds: 34, host: Self.shortage(until: 10))
        #expect(
            recording.manifest.governor.map(\.step) == [
                "desk rate 30 → 20", "desk rate 20 → 15", "desk rate 15 → 20", "desk rate 20 → 30",
            ])
        // The steps that raise the quality cause no separate gaps, because the camera was missing.
        #expect(
            recording.manifest.gaps.map { String($0.cause.prefix(27)) } == [
                "governor: desk rate 30 → 20", "governor: desk rate 20 → 15", "unplugged",
            ])
        // In the last four seconds, the camera delivers 30 frames per second again.
        let strips = try Reader.strips(
            recording.path("cameras/desk.mov"), size: FrameSize(width: 640, height: 360))
        #expect(Set(strips.suffix(110).compactMap { $0?.frame }).count >= 108)
    }

    @Test(
        "a camera that refuses a format continues unchanged; the step is reported, withdrawn, and not tried again"
    )
    func refused() async throws {
        let asked = ConditionLock<[VideoFormat?]>([])
        let recording = try await Recording(
            """
            cameras:
              desk: { device: "virtual:clap", size: 640x480, rate: 30 }
            budget: { floors: { size: 320x240, rate: 20 } }
            """, seconds: 40, host: Self.shortage(until: 14),
            changing: { setup in
                guard let camera = setup.cameras["desk"] else { return }
                let latest = ConditionLock(camera.format)
                let refused = ConditionLock<VideoFormat?>(nil)
                setup.cameras["desk"] = TamperedCamera(
                    camera,
                    mappingRequests: { wanted in
                        asked.withLock { $0.append(wanted) }
                        guard let wanted, wanted.size != camera.format.size else {
                            if let wanted { latest.withLock { $0 = wanted } }
                            return wanted
                        }
                        refused.withLock { $0 = wanted }
                        return latest.withLock { $0 }
                    },
                    mappingEvents: { event in
                        // The synthetic camera restarts in the same format, and the requested format is
                        // refused.
                        if case .outageBegan(let time, _, true) = event,
                            let format = refused.withLock({ $0.take() })
                        {
                            return .formatRefused(format, at: time, cause: "it grants another size.")
                        }
                        if case .formatChanged = event, latest.withLock({ $0.rate == FrameRate(20) }),
                            asked.withLock({ $0.count }) == 2
                        {
                            return nil
                        }
                        return event
                    })
            })
        try recording.checkSchema()
        #expect(
            recording.manifest.governor.map(\.step) == [
                "desk rate 30 → 20", "desk size 640x480 → 320x240",
                "desk size 640x480 → 320x240 was canceled", "desk rate 20 → 30",
            ])
        #expect(asked.withLock { $0.map { $0?.description } }.count == 3)
        let warnings = try Self.events("warning", of: "desk", in: recording).compactMap(\.text)
        #expect(
            warnings == [
                "camera desk rejected the format mjpeg 320x240 at 20 and continues with mjpeg 640x480 at 20: it grants another "
                    + "size."
            ])
        #expect(try recording.track("desk").parts == nil)
    }

    @Test("a slow camera at a reduced rate is compared with the reduced rate")
    func slow() async throws {
        let recording = try await Recording(
            Self.one.replacing("FAULTS", with: "seed=1"), seconds: 12, host: Self.shortage(until: 60),
            changing: { setup in
                guard let camera = setup.cameras["desk"] else { return }
                let isLower = ConditionLock(false)
                setup.cameras["desk"] = TamperedCamera(
                    camera,
                    // Every requested format is replaced by 20 frames per second, so only the first step has
                    // an effect.
                    mappingRequests: { wanted in
                        wanted.map { VideoFormat(pixel: $0.pixel, size: $0.size, rate: FrameRate(20)) }
                    },
                    mappingEvents: { event in
                        if case .formatChanged = event { isLower.withLock { $0 = true } }
                        guard case .frame(let frame) = event, isLower.withLock({ $0 }) else {
                            return event
                        }
                        // Drops every second frame and halves the sequence, as if each exposure took two
                        // intervals.
                        guard frame.sequence.isMultiple(of: 2) else { return nil }
                        return .frame(
                            CapturedFrame(
                                pixel: frame.pixel, size: frame.size, color: frame.color,
                                capturedAt: frame.capturedAt, sequence: frame.sequence / 2,
                                memory: frame.memory, planes: frame.planes, isOwned: true))
                    })
            })
        let warnings = try Self.events("warning", of: "desk", in: recording).compactMap(\.text)
        #expect(
            warnings.contains {
                $0.hasPrefix("camera desk delivers 10.0 fps instead of 20 fps, probably because of longer")
            }, "\(warnings)")
    }
}
