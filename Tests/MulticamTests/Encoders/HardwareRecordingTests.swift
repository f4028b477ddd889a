import Foundation
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import MulticamVirtualDevices
import Testing

@testable import MulticamEncoding

/// Tests recordings with libavcodec's x264 as a substitute for hardware. It is opened by name, and its frame
/// layout, rate control, and placement of parameter sets differ from the software encoder's.
@Suite("recordings with hardware encoding")
struct HardwareRecordingTests {
    private static let standIn = HardwareEncoder(
        library: "libx264", node: "/dev/stand-in", device: "x264 standing in", driver: "test")
    private static let size = FrameSize(width: 640, height: 360)

    private static func profile(_ encoder: String = "auto") -> String {
        """
        cameras: { a: { device: "virtual:clap?format=yuyv", size: 640x360, rate: 30 } }
        program: { size: 640x360, rate: 30, layout: single, main: a, video: { encoder: \(encoder) } }
        tracks: { cameras: encode, video: { encoder: \(encoder) } }
        """
    }

    private static func machine(_ encoder: HardwareEncoder, streams: Int = 2) -> MachineModel {
        let entry = CostTable.Entry(nanosecondsPerPiece: 10_000, nanosecondsPerUnit: 1)
        let entries = Dictionary(uniqueKeysWithValues: WorkKind.allCases.map { ($0, entry) })
        let figures = EncoderFigures(
            sizes: [FrameSize(width: 1920, height: 1080)], pixelsPerSecond: 200e6, streams: streams,
            processor: entry, lowestPSNR: 36, lacksColorTags: false)
        return MachineModel(
            processors: 8, costs: CostTable(plain: entries, photographic: entries), freeMemory: nil,
            disk: nil,
            encoders: [TriedEncoder(encoder: encoder, outcome: .works(figures: figures))])
    }

    private static func setup(
        _ encoder: HardwareEncoder, requestedEncoder: String = "auto", streams: Int = 2
    ) throws -> SessionSetup {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).yaml")
        try profile(requestedEncoder).write(to: file, atomically: true, encoding: .utf8)
        defer { unlink(file.path) }
        var configuration = SessionConfiguration(profile: file.path)
        configuration.machine = machine(encoder, streams: streams)
        return try SessionSetup(configuration)
    }

    /// Checks that every tick has its own frame: the frame numbers increase by one.
    private func expectWhole(_ path: String, frames: Int) throws {
        let video = try #require(try Reader.streams(path).first { $0.codec_type == "video" })
        #expect(video.codec_name == "h264" && video.frameCount == frames)
        try expect(video, lasts: Double(frames) / 30, within: 0.001)
        let numbers = try Reader.strips(path, size: Self.size).map { $0.map { Int($0.frame) } }
        #expect(numbers.count == frames && !numbers.contains(nil))
        let known = numbers.compactMap { $0 }
        #expect(zip(known, known.dropFirst()).allSatisfy { $1 == $0 + 1 }, "\(known)")
    }

    @Test(
        "program and track have every frame once in the file's declared colors, and the manifest names the encoder"
    )
    func whole() async throws {
        let setup = try Self.setup(Self.standIn)
        #expect(setup.plan.notes.contains { $0.hasPrefix("program: encoded by libx264 on /dev/stand-in.") })
        let recording = try await Done(setup, seconds: 3)
        for (name, file) in [("program", "program.mp4"), ("a", "cameras/a.mov")] {
            try expectWhole(recording.path(file), frames: 90)
            let encoder = try #require(try recording.track(name).encoder)
            #expect(encoder.name == "libx264" && encoder.device == "/dev/stand-in")
            #expect(encoder.until_ns == nil && encoder.reason == nil)
            #expect(try recording.track(name).frames?.captured == 90)
        }
        let video = try #require(try Reader.streams(recording.path("program.mp4")).first)
        #expect(video.color_range == "tv" && video.color_space == "bt709")
        #expect(video.color_primaries == "bt709" && video.color_transfer == "bt709")
        #expect(!recording.events.contains { $0.contains("\"event\":\"encoder\"") })
    }

    @Test("a split loses no frames")
    func split() async throws {
        let setup = try Self.setup(Self.standIn)
        let recording = try await Done(setup, seconds: 3, steer: { $0.split() })
        let parts = try #require(try recording.track("program").parts)
        #expect(parts.count == 1)
        let counts = try (["program.mp4"] + parts).map { file in
            try #require(try Reader.streams(recording.path(file)).first?.frameCount)
        }
        #expect(counts.reduce(0, +) == 90 && counts.allSatisfy { $0 > 0 })
    }

    @Test("if the device refuses, x264 encodes from the first frame on, and this is reported")
    func refusedAtStart() async throws {
        let missing = HardwareEncoder(
            library: "h264_vaapi", node: "/nonexistent/renderD128", device: "no card", driver: "none")
        let setup = try Self.setup(missing)
        let recording = try await Recording(Self.profile(), seconds: 2, changing: { $0 = setup })
        try expectWhole(recording.path("program.mp4"), frames: 60)
        let encoder = try #require(try recording.track("program").encoder)
        #expect(encoder.name == "h264_vaapi" && encoder.until_ns == 0)
        #expect(try #require(encoder.reason).contains("opening /nonexistent/renderD128 failed"))
        let events = recording.events.filter { $0.contains("\"event\":\"encoder\"") }
        #expect(events.count == 2 && events.allSatisfy { $0.contains("did not start") })
        try recording.checkSchema()
    }

    @Test("a recording doesn't start if the profile requires hardware and the device refuses")
    func demanded() async throws {
        let missing = HardwareEncoder(
            library: "h264_vaapi", node: "/nonexistent/renderD128", device: "no card", driver: "none")
        let setup = try Self.setup(missing, requestedEncoder: "hardware")
        let error = await #expect(throws: RecordingError.self) {
            _ = try await Recording(Self.profile(), seconds: 1, changing: { $0 = setup })
        }
        guard case .device(let device) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(device.description.contains("encoder: auto"))
    }

    @Test("a recording is refused before any device is opened if the required hardware lacks capacity")
    func noRoom() throws {
        let error = #expect(throws: SetupError.self) {
            _ = try Self.setup(Self.standIn, requestedEncoder: "hardware", streams: 1)
        }
        guard case .profile(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.isMissingDevice && reason.field == "tracks.video.encoder")
        #expect(reason.description.contains("the encoder supports 1 stream at a time"))
    }

    @Test("x264 is used if the hardware lacks capacity, and the reason is stated")
    func partly() throws {
        let plan = try Self.setup(Self.standIn, streams: 1).plan
        #expect(plan.program?.settings.hardware == Self.standIn)
        #expect(plan.cameraTracks.first?.settings.hardware == nil)
        #expect(
            plan.notes.contains { $0.hasPrefix("a: encoded by x264") && $0.contains("1 stream at a time") })
    }

    @Test(
        "if the device fails while recording, x264 continues in the same file: no tick is missing, losses are in the ledger"
    )
    func failsInTheMiddle() async throws {
        let setup = try Self.setup(Self.standIn)
        let done = try await Done(setup, seconds: 4) { settings throws(EncodingError) in
            try FailingCoder(Self.standIn, settings, atFrame: 70)
        }
        let track = try done.track("program")
        let encoder = try #require(track.encoder)
        let until = try #require(encoder.until_ns)
        #expect(encoder.name == "libx264" && encoder.device == "/dev/stand-in")
        #expect(until > 0 && until < 71 * 1_000_000_000 / 30)
        #expect(try #require(encoder.reason).contains("the device is lost"))
        let first = Int((Double(until) * 30 / 1e9).rounded())
        // Frames inside the device are replaced by the current frame at the time of the failure.
        let lost = 71 - first
        let frames = try #require(track.frames)
        #expect(frames.written == 120 && frames.lost["encoder"] == lost && frames.captured == 120 - lost)
        let path = done.path("program.mp4")
        let video = try #require(try Reader.streams(path).first)
        #expect(video.frameCount == 120)
        let numbers = try Reader.strips(path, size: Self.size).compactMap { $0.map { Int($0.frame) } }
        let wanted = (0..<120).map { $0 < first || $0 > 71 ? $0 : 71 }
        #expect(numbers.map { $0 - numbers[0] } == wanted)
        let events = done.events.filter { $0.contains("\"event\":\"encoder\"") }
        #expect(events.count == 2 && events.allSatisfy { $0.contains("the hardware encoder failed") })
        #expect(done.result.encodingFailures.isEmpty)
        // After the failure, the cost equals the cost of a plan with x264.
        let machine = try #require(setup.request?.machine)
        let fresh = HardwareCost(
            of: setup.plan.withoutHardware(for: ["program", "a"]), on: machine, duration: .seconds(4))
        let (before, after) = (try #require(done.costs.before), try #require(done.costs.after))
        #expect(before.terms.contains { $0.resource == "encoder:libx264" })
        #expect(!after.terms.contains { $0.resource.hasPrefix("encoder:") })
        func processor(_ cost: HardwareCost) -> Double? { cost.terms.first { $0.resource == "cpu" }?.used }
        #expect(processor(after) == processor(fresh))
    }

    /// A recording with x264 as a substitute for hardware, with a timeout for busy machines.
    private final class Done {
        let result: RecordingResult
        let events: [String]
        /// The cost before the recording starts, and the cost after it ends.
        let costs: (before: HardwareCost?, after: HardwareCost?)
        private let scratch: URL

        init(
            _ setup: SessionSetup, seconds: Int64,
            opening open: @escaping HardwareCoderFactory = LibraryCoder.makeFactory(for: standIn),
            steer: (MulticamSession) -> Void = { _ in }
        ) async throws {
            scratch = FileManager.default.temporaryDirectory.appending(path: "hw-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
            var options = RecordingOptions(
                parentFolder: scratch.path, name: "session", duration: .seconds(seconds), version: "0.0.0")
            options.machine = setup.request?.machine
            let session = MulticamSession(
                plan: setup.plan, cameras: setup.cameras, microphones: setup.microphones, options: options,
                clock: SimulatedClock(), codecs: Codecs(frameTimeout: .seconds(60), opening: open))
            steer(session)
            let before = session.hardwareCost
            result = try await session.recordChecked()
            costs = (before, session.hardwareCost)
            events = try String(contentsOfFile: result.folder + "/events.ndjson", encoding: .utf8)
                .split(separator: "\n").map(String.init)
        }

        deinit {
            do { try FileManager.default.removeItem(at: scratch) } catch {
                print("left behind: \(scratch.path): \(error)")
            }
        }

        func path(_ file: String) -> String { "\(result.folder)/\(file)" }

        func track(_ name: String) throws -> Manifest.Track {
            try #require(result.manifest.tracks.first { $0.name == name })
        }
    }

    /// An encoder that works during the rehearsal, then fails at one frame.
    private final class FailingCoder: HardwareCoding {
        private let inner: LibraryCoder
        private let last: Int
        private var count = 0

        init(
            _ encoder: HardwareEncoder, _ settings: VideoEncodingSettings, atFrame last: Int
        ) throws(EncodingError) {
            inner = try LibraryCoder(encoder, settings)
            self.last = last
        }

        var layout: HardwareFrame.Layout { inner.layout }
        var setup: [UInt8] { inner.setup }

        func encode(
            _ frame: HardwareFrame?, presentation: Int64, asKey: Bool
        ) throws(EncodingError) -> [CodedFrame] {
            defer { count += 1 }
            guard count != last else {
                throw EncodingError(
                    subject: "stand-in", operation: "encoding", reason: "the device is lost")
            }
            return try inner.encode(frame, presentation: presentation, asKey: asKey)
        }
    }
}
