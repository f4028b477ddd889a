import Foundation
import MulticamMedia
import MulticamPlan
import MulticamSession
import MulticamSessionFolder
import MulticamTiming
import MulticamVirtualDevices
import Testing

@Suite("Camera replacement while recording")
struct LiveReplacementTests {
    private static func profile(_ tracks: String) -> String {
        """
        cameras:
          desk: { device: "virtual:clap?phase=0&size=640x360&drift=40", rate: 30 }
          face: { device: "virtual:clap?phase=5&size=320x180", rate: 30 }
        microphones: { host: { device: "virtual:tone" } }
        program: { size: 640x360, rate: 30, layout: pip, main: desk, inset: face, audio: { mix: [host] } }
        tracks: { cameras: \(tracks), microphones: wav }
        """
    }

    @Test(
        "without a program, if ticks are decided in batches, the new camera's frames are used from the first one",
        arguments: [3, 10, 17, 24, 31], [30, 60])
    func copiedAlone(phase: Int, rate: Int) async throws {
        let size = "size=320x180&fps=\(rate)"
        let host = Self.host([2: "virtual:clap?phase=\(phase)&\(size)&seed=9"])
        let recording = try await Recording(
            """
            cameras:
              desk: { device: "virtual:clap?\(size)", rate: \(rate) }
              face: { device: "virtual:clap?phase=5&\(size)", rate: \(rate) }
            tracks: { cameras: copy }
            """, seconds: 3, host: host, steer: host.attach)
        for name in ["desk", "face"] {
            let counts = try #require(try recording.track(name).frames)
            #expect(
                counts.written == 3 * rate && counts.lost.isEmpty && counts.duplicated <= 1,
                "\(name): \(counts)")
        }
        #expect(try recording.track("desk").part_details?.count == 1)
        #expect(recording.manifest.gaps.isEmpty)
    }

    /// Replaces a role's camera with a synthetic one.
    private static func replace(
        _ role: String, with selector: String, in session: MulticamSession
    ) throws {
        let source = try VirtualSources.camera(selector: selector, role: role)
        var planned = try #require(session.currentPlan.cameras.first { $0.role == role })
        (planned.selector, planned.identity, planned.format) = (
            selector, source.device.identity, source.format
        )
        try session.replaceCamera(with: source, as: planned)
    }

    private static func host(
        _ selectors: [Int: String], refusals: ConditionLock<[String]> = ConditionLock([])
    ) -> ControllerHost {
        ControllerHost { session, look in
            guard let selector = selectors[look] else { return }
            do {
                try replace("desk", with: selector, in: session)
            } catch let error as SessionChangeError {
                refusals.withLock { $0.append(error.description) }
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    private static let other = "virtual:clap?phase=11&size=640x360&drift=-60&seed=9"

    @Test(
        "a copied track continues in a new part with the new camera's frames, and nothing is missing anywhere"
    )
    func copied() async throws {
        let host = Self.host([2: Self.other])
        let recording = try await Recording(
            Self.profile("copy"), seconds: 6, host: host, steer: host.attach)
        try recording.checkSchema()
        let manifest = recording.manifest
        for name in ["desk", "face", "program"] {
            let counts = try #require(try recording.track(name).frames)
            #expect(
                counts.written == 180 && counts.lost.isEmpty && counts.slate == 0,
                "\(name): \(counts), \(manifest.devices.map(\.from_ns))")
        }
        let desk = try recording.track("desk")
        #expect(try recording.track("host").samples?.silence == 0)
        #expect(manifest.gaps.isEmpty, "\(manifest.gaps)")
        #expect(manifest.changes?.map(\.changes) == [["replace-camera desk \(Self.other)"]])
        let devices = manifest.devices.filter { $0.role == "desk" }
        #expect(devices.count == 2 && devices[0].from_ns == nil)
        #expect(abs(devices[0].clock.ppm - 40) < 60 && abs(devices[1].clock.ppm + 60) < 60)
        let part = try #require(desk.part_details?.first)
        #expect(
            desk.part_details?.count == 1
                && devices[1].from_ns.map { abs($0 - part.first_ns) < 500_000_000 } == true)
        // Every frame was captured for its tick, by one of the two cameras.
        let files = [desk.file] + (desk.parts ?? [])
        let size = FrameSize(width: 640, height: 360)
        let strips = try files.flatMap { try Reader.strips(recording.path($0), size: size) }
        #expect(strips.count == 180)
        let times = strips.compactMap { $0.map { Int($0.time) } }
        #expect(times.count == 180)
        for (before, after) in zip(times, times.dropFirst()) {
            // The values are in tenths of a millisecond. At the replacement, the phase jumps by up to half an
            // interval and back.
            #expect((150...520).contains(after - before), "\(before), \(after)")
        }
        let numbers = try Reader.strips(recording.path(files[1]), size: size).compactMap { $0?.frame }
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
        let shown = try Reader.strips(recording.path("program.mp4"), size: size).compactMap {
            $0.map { Int($0.time) }
        }
        #expect(shown.count == 180 && zip(shown, times).allSatisfy { abs($0 - $1) <= 340 })
    }

    @Test("an encoded track is scaled and stays one file for any size and rate of the new camera")
    func encoded() async throws {
        let host = Self.host([2: "virtual:clap?phase=3&size=320x180&fps=60"])
        let recording = try await Recording(
            Self.profile("encode"), seconds: 6, host: host, steer: host.attach)
        try recording.checkSchema()
        let desk = try recording.track("desk")
        let counts = try #require(desk.frames)
        #expect(counts.written == 180 && counts.lost.isEmpty && counts.decimated > 60, "\(counts)")
        #expect(desk.parts == nil && desk.width == 640)
        let stream = try #require(
            try Reader.streams(recording.path(desk.file)).first { $0.codec_type == "video" })
        #expect(stream.frameCount == 180)
        #expect(recording.manifest.gaps.isEmpty, "\(recording.manifest.gaps)")
        #expect(try recording.track("face").frames?.duplicated == 0)
        let strips = try Reader.strips(recording.path(desk.file), size: FrameSize(width: 640, height: 360))
        #expect(strips.allSatisfy { $0 != nil })
    }

    @Test("after ten replacements, lengths are exact, and each part has frames of one camera")
    func often() async throws {
        let selectors = (2...20).filter { $0 % 2 == 0 }.map { second in
            (second, "virtual:clap?phase=\(second)&size=640x360&seed=\(second)")
        }
        let host = Self.host(Dictionary(uniqueKeysWithValues: selectors))
        let recording = try await Recording(
            Self.profile("copy"), seconds: 35, host: host, steer: host.attach)
        try recording.checkSchema()
        let desk = try recording.track("desk")
        #expect(desk.parts?.count == 10)
        #expect(
            desk.frames?.written == 1050 && desk.frames?.lost.isEmpty == true,
            "\(String(describing: desk.frames))")
        let files = [desk.file] + (desk.parts ?? [])
        let counts = try files.map { try Reader.streams(recording.path($0)).first?.frameCount ?? 0 }
        #expect(counts.reduce(0, +) == 1050)
        #expect(recording.manifest.gaps.isEmpty)
        #expect(try recording.track("face").frames?.duplicated == 0)
        #expect(recording.manifest.devices.count { $0.role == "desk" } == 11)
    }

    @Test(
        "a copied H.264 track continues in a new part at the new key frame, and the gap has its cause"
    )
    func stream() async throws {
        let profile = Self.profile("copy").replacingOccurrences(
            of: "640x360&drift=40", with: "640x360&format=h264")
        let host = Self.host([2: "virtual:clap?phase=11&size=320x180&format=h264&seed=9"])
        let recording = try await Recording(profile, seconds: 8, host: host, steer: host.attach)
        try recording.checkSchema()
        let desk = try recording.track("desk")
        let counts = try #require(desk.frames)
        #expect(
            desk.variable_rate == true && counts.lost.keys.allSatisfy { $0 == "reconfigured" }, "\(counts)")
        let gaps = recording.manifest.gaps.filter { $0.track == "desk" }
        #expect(gaps.count == (counts.lost.isEmpty ? 0 : 1))
        #expect(gaps.allSatisfy { $0.cause.hasPrefix("reconfigured: replace-camera desk virtual:clap") })
        #expect(desk.part_details?.count == 1 && desk.part_details?.first?.width == 320)
        let files = [desk.file] + (desk.parts ?? [])
        let streams = try files.map { try #require(try Reader.streams(recording.path($0)).first) }
        #expect(streams.map(\.frameCount).compactMap { $0 }.reduce(0, +) == Int(counts.written))
        // Every frame of both files is decoded, which requires parameter sets in each file.
        let first = try Reader.strips(recording.path(files[0]), size: FrameSize(width: 640, height: 360))
        let second = try Reader.strips(recording.path(files[1]), size: FrameSize(width: 320, height: 180))
        #expect(first.count + second.count >= Int(counts.written) && second.allSatisfy { $0 != nil })
        for name in ["face", "program"] {
            let others = try #require(try recording.track(name).frames)
            #expect(others.written == 240 && others.slate == 0, "\(name): \(others)")
        }
        #expect(try recording.track("face").frames?.lost.isEmpty == true)
    }

    @Test(
        "a replacement while a split waits for an H.264 key frame produces decodable files with one camera each",
        arguments: [0, 200, 400, 600, 800])
    func streamAtSplit(phase: Int) async throws {
        let profile = Self.profile("copy").replacingOccurrences(
            of: "phase=0&size=640x360&drift=40", with: "phase=\(phase)&size=640x360&format=h264")
        let host = ControllerHost { session, look in
            guard look == 2 else { return }
            session.split()
            do {
                try Self.replace(
                    "desk", with: "virtual:clap?phase=11&size=320x180&format=h264&seed=9", in: session)
            } catch {
                Issue.record("\(error)")
            }
        }
        let recording = try await Recording(profile, seconds: 6, host: host, steer: host.attach)
        try recording.checkSchema()
        let desk = try recording.track("desk")
        let counts = try #require(desk.frames)
        let sizes = [640] + (desk.part_details ?? []).map { $0.width ?? 640 }
        #expect(sizes == sizes.sorted(by: >) && sizes.last == 320, "\(sizes)")
        var count = 0
        for (file, width) in zip([desk.file] + (desk.parts ?? []), sizes) {
            let stream = try #require(try Reader.streams(recording.path(file)).first)
            guard let frames = stream.frameCount, frames > 0 else { continue }
            count += frames
            let strips = try Reader.strips(
                recording.path(file), size: FrameSize(width: width, height: width * 9 / 16))
            #expect(
                strips.count == frames && strips.allSatisfy { $0 != nil },
                "\(file): \(strips.count) of \(frames)")
        }
        #expect(count == Int(counts.written), "\(counts)")
        #expect(try recording.track("face").parts?.count == 1)
        for name in ["face", "program"] {
            let others = try #require(try recording.track(name).frames)
            #expect(others.written == 180 && others.slate == 0, "\(name): \(others)")
        }
    }

    @Test("replacing a disconnected camera ends its gap")
    func away() async throws {
        let profile = Self.profile("copy").replacingOccurrences(of: "drift=40", with: "unplug=1")
        let host = Self.host([4: Self.other])
        let recording = try await Recording(profile, seconds: 7, host: host, steer: host.attach)
        let gap = try #require(recording.manifest.gaps.first { $0.track == "desk" })
        #expect(recording.manifest.gaps.count { $0.track == "desk" } == 1)
        #expect(abs(gap.from.nanoseconds - 1_000_000_000) < 50_000_000)
        #expect((4_000_000_000...6_000_000_000).contains(gap.to.nanoseconds))
        let counts = try #require(try recording.track("desk").frames)
        #expect(counts.written == 210 && counts.lost.keys.sorted() == ["disconnected"], "\(counts)")
    }

    @Test(
        "replacement is refused for the same camera, a disabled one, and another format of copied frames")
    func refused() async throws {
        let refusals = ConditionLock<[String]>([])
        let host = ControllerHost { session, look in
            let wanted = [
                1: ("desk", "virtual:clap?phase=0&size=640x360&drift=40"),
                2: ("desk", "virtual:clap?format=yuyv&size=640x360"),
                4: ("face", "virtual:clap"),
            ]
            do {
                if look == 3 { try session.apply([.enabled(role: "face", false)]) }
                guard let (role, selector) = wanted[look] else { return }
                try Self.replace(role, with: selector, in: session)
            } catch let error as SessionChangeError {
                refusals.withLock { $0.append(error.description) }
            } catch {
                Issue.record("\(error)")
            }
        }
        let recording = try await Recording(
            Self.profile("copy"), seconds: 6, host: host, steer: host.attach)
        let told = refusals.withLock { $0 }
        #expect(told.count == 3)
        #expect(told.first?.hasPrefix("camera desk already uses “Virtual camera desk”") == true, "\(told)")
        #expect(
            told.dropFirst().first?.hasPrefix("the track of camera desk is a copy of mjpeg") == true,
            "\(told)")
        #expect(told.last?.hasPrefix("camera face is off") == true, "\(told)")
        #expect(recording.manifest.changes?.map(\.changes) == [["disable face"]])
        #expect(try recording.track("desk").frames?.written == 180)
    }
}
