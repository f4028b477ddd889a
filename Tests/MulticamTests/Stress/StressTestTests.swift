import Foundation
import FoundationXML
import MulticamMedia
import MulticamMonitoring
internal import MulticamSession
import MulticamSetup
import MulticamStressTest
import Testing

@Suite("Stress tests of synthetic bundles")
struct StressTestTests {
    /// A stress test in simulated time and its folder.
    private final class Stress {
        let result: StressResult
        let events: [StressEvent]
        private let scratch: URL

        var certificate: StressCertificate { result.certificate }

        init(
            _ profile: String, _ kinds: Set<StressKind>, each: Double = 2, soak: Double = 4,
            keeps: Bool = false,
            host: (any HostReading)? = nil, steer: (StressTest) -> Void = { _ in }
        ) async throws {
            scratch = FileManager.default.temporaryDirectory.appending(
                path: "multicam-stress-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
            let file = scratch.appending(path: "bundle.yaml")
            try profile.write(to: file, atomically: true, encoding: .utf8)
            let test = try StressTest(
                SessionConfiguration(profile: file.path),
                StressOptions(
                    kinds: kinds, runDuration: .seconds(rounding: each),
                    soakDuration: .seconds(rounding: soak),
                    output: scratch.path + "/out", keepsMedia: keeps, version: "0.0.0"),
                clock: SimulatedClock(),
                host: host)
            steer(test)
            result = try await test.run()
            var events: [StressEvent] = []
            for await event in test.events { events.append(event) }
            self.events = events
        }

        deinit {
            do {
                try FileManager.default.removeItem(at: scratch)
            } catch {
                print("left behind: \(scratch.path): \(error)")
            }
        }

        /// Returns the names of the files in the folder.
        var files: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: result.folder).sorted() }
        }

        /// Validates the certificate against the project's JSON Schema, and the page as XML.
        func check() throws {
            let schema = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
                path: "../../../docs/stress.schema.json")
            let check =
                "import json, sys, jsonschema; jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))"
            try Reader.run("python3", ["-c", check, result.folder + "/certificate.json", schema.path])
            let page = try String(contentsOfFile: result.folder + "/report.html", encoding: .utf8)
            let body = try #require(page.split(separator: "\n", maxSplits: 1).last)
            _ = try XMLDocument(xmlString: String(body))
            let words = ["<script", "http://", "https://", "url(", "@import"]
            let plain = page.replacing("http://www.w3.org/2000/svg", with: "")
            #expect(!words.contains { plain.contains($0) }, "the page fetches nothing")
        }
    }

    @Test(
        "A bundle without losses passes; its subsets are not tested, its media are deleted, and its figures are present"
    )
    func held() async throws {
        let stress = try await Stress(
            """
            cameras:
              desk: { device: "virtual:clap?size=320x180&fps=30&format=mjpeg" }
              face: { device: "virtual:clap?size=160x120&fps=30&format=mjpeg" }
            microphones: { host: { device: "virtual:clap" } }
            """, [.sets, .climb, .soak])
        let certificate = stress.certificate
        #expect(certificate.verdict == .held && certificate.outcome == .finished)
        #expect(
            certificate.summary.first?.contains("passed: all 2 cameras ran together as configured for 4 s")
                == true)
        #expect(certificate.sets?.runs.map(\.title) == ["as configured"])
        #expect(certificate.climb?.runs.map(\.step) == [0, 1] && certificate.climb?.failure == nil)
        let soak = try #require(certificate.soak)
        #expect(soak.duration_ns == 4_000_000_000 && soak.tracks.map(\.captured) == [120, 120, 192_000])
        let course = try #require(soak.course)
        #expect(course.at_ns.count >= 3)
        #expect(course.cameras["desk"]?.rate.dropFirst().allSatisfy { abs($0 - 30) < 1.5 } == true)
        #expect(try #require(soak.measured?.camera_bytes_per_second) > 10_000)
        #expect(try #require(soak.measured?.bytes_per_second) > 10_000)
        #expect(soak.measured?.processors == nil, "in simulated time processor time means nothing")
        #expect(try stress.files == ["certificate.json", "report.html"])
        try stress.check()
    }

    @Test("A camera with a lossy cable is identified, and the others run together without it")
    func lossy() async throws {
        let stress = try await Stress(
            """
            cameras:
              a: { device: "virtual:clap?size=160x120&fps=30&format=mjpeg" }
              b: { device: "virtual:clap?size=160x120&fps=30&format=mjpeg&drop=0.2" }
              c: { device: "virtual:clap?size=160x120&fps=30&format=mjpeg" }
            """, [.sets])
        let runs = try #require(stress.certificate.sets?.runs)
        let found = runs.map { "\($0.cameras.map(\.role).joined()) \($0.verdict.rawValue)" }
        #expect(found == ["abc failed", "a held", "b failed", "c held", "ac held"])
        #expect(runs[0].cause == .bus && runs[0].reasons.first?.contains("b lost") == true)
        #expect(stress.certificate.verdict == .failed)
        #expect(stress.certificate.summary.first?.contains("Cause: the bus") == true)
        try stress.check()
    }

    @Test(
        "Two cameras share a USB 2 bus up to its capacity, and a climb finds the limit")
    func bus() async throws {
        let stress = try await Stress(
            """
            cameras:
              a: { device: "virtual:clap?bus=stress-test&format=yuyv", size: 640x480, rate: 30 }
              b: { device: "virtual:clap?bus=stress-test&format=yuyv", size: 640x480, rate: 30 }
            tracks: { cameras: encode, microphones: none }
            """, [.climb], each: 1)
        let climb = try #require(stress.certificate.climb)
        #expect(climb.runs[0].verdict == .notRun && climb.runs[0].cause == .bus)
        #expect(climb.runs[0].reasons.first?.contains("enough free bandwidth") == true)
        #expect(
            try #require(climb.runs[0].predicted?.hardware) > 1, "the plan knows before what the bus refuses")
        #expect(climb.failure?.cause == .bus && climb.failure?.change == "a 640x480 → 1280x720 at 15")
        let highest = try #require(climb.runs.last { $0.verdict == .held })
        #expect(highest.cameras.map(\.description) == ["a yuyv 640x480 at 15", "b yuyv 640x480 at 15"])
        let used = highest.predicted?.terms.first { $0.resource.hasPrefix("usb:") }?.used
        #expect(try #require(used) <= 1, "what the plan lets pass runs")
        #expect(stress.certificate.verdict == .failed)
        try stress.check()
    }

    @Test("A camera that cannot start is reported with its reason and excluded from all sets")
    func refusing() async throws {
        let stress = try await Stress(
            """
            cameras:
              a: { device: "virtual:clap?size=160x120&fps=30&format=mjpeg" }
              b: { device: "virtual:clap?size=160x120&fps=30&format=mjpeg&drop=1" }
            """, [.sets])
        let runs = try #require(stress.certificate.sets?.runs)
        #expect(runs.map(\.verdict) == [.notRun, .held, .notRun])
        #expect(
            runs[0].cause == .device && runs[0].reasons.first?.contains("delivered no usable data") == true)
        #expect(stress.certificate.verdict == .failed)
        try stress.check()
    }

    @Test("A climb raises sizes and rates to the maximum that the profile leaves open")
    func climb() async throws {
        let stress = try await Stress(
            """
            cameras: { a: { device: "virtual:clap?size=320x180&format=mjpeg", rate: 30 } }
            """, [.climb])
        let climb = try #require(stress.certificate.climb)
        #expect(climb.runs.map { $0.cameras[0].rate } == [30, 15, 30, 60])
        #expect(climb.runs.allSatisfy { $0.verdict == .held } && climb.highest == 3 && climb.failure == nil)
        #expect(stress.certificate.summary.contains { $0.contains("no step failed") })
    }

    @Test("a failed climb step is repeated and reported; a failure of the profile is the verdict")
    func failure() async throws {
        let stress = try await Stress(
            """
            cameras: { a: { device: "virtual:clap?size=160x120&format=mjpeg&drop=0.3", rate: 30 } }
            """, [.climb])
        let climb = try #require(stress.certificate.climb)
        #expect(climb.runs.map(\.step) == [0, 1, 1] && climb.highest == nil)
        #expect(climb.failure?.cause == .bus && climb.failure?.step == 1)
        #expect(stress.certificate.summary.contains { $0.contains("failed first. Cause: the bus.") })
        #expect(stress.certificate.verdict == .failed)
        try stress.check()
    }

    @Test("A soak reports a disconnected camera with its time, even if the losses are within the limit")
    func unplugged() async throws {
        let stress = try await Stress(
            """
            cameras:
              a: { device: "virtual:clap?size=160x120&unplug=2&replug=4.5" }
              b: { device: "virtual:clap?size=160x120" }
            limits: { lost_frames: 0.9 }
            """, [.soak], soak: 8)
        let soak = try #require(stress.certificate.soak)
        #expect(soak.verdict == .failed && soak.cause == .device)
        #expect(soak.reasons == ["a was disconnected or silent once, for a total of 2.5 s (unplugged)."])
        let lost = try #require(soak.course?.cameras["a"]?.lost)
        #expect(lost.keys.sorted() == ["disconnected"])
        let away = try #require(lost["disconnected"])
        #expect(away.first == 0 && abs((away.last ?? 0) - 75) <= 3, "\(away)")
        #expect(soak.course?.cameras["b"]?.lost.isEmpty == true)
        #expect(soak.course?.cameras["a"]?.rate.contains(0) == true)
        try stress.check()
    }

    @Test("A silent microphone fails a soak if the profile limits silence")
    func silent() async throws {
        let stress = try await Stress(
            """
            cameras: { a: { device: "virtual:clap?size=160x120" } }
            microphones: { m: { device: "virtual:silence" } }
            limits: { silence: 2s }
            """, [.soak], soak: 4)
        #expect(stress.certificate.soak?.reasons == ["microphone m has been silent for 2.0 s."])
        #expect(stress.certificate.verdict == .failed)
    }

    /// A computer that overheats in its third second.
    private final class HotHost: HostReading {
        private let readings = ConditionLock(0)

        func read(folder: String, at time: ClockTime) -> HostState {
            let count = readings.withLock { looks in
                looks += 1
                return looks
            }
            var state = HostState()
            state.zones = [
                ThermalZone(
                    name: "cpu", temperature: Temperature(degrees: count > 2 ? 99 : 60),
                    passive: Temperature(degrees: 80), critical: Temperature(degrees: 100))
            ]
            state.missing = [MissingSource(.power, "this computer is a script")]
            return state
        }
    }

    @Test("Heat fails a soak, and the certificate has its range, its peak, and missing sources")
    func hot() async throws {
        let stress = try await Stress(
            "cameras: { a: { device: \"virtual:clap?size=160x120\" } }", [.soak], soak: 6, host: HotHost())
        let certificate = stress.certificate
        #expect(certificate.soak?.cause == .pressure)
        #expect(certificate.soak?.reasons.first?.contains("cpu is at 99 °C") == true)
        #expect(certificate.environment.temperature == .init(60, 99))
        #expect(certificate.environment.pressure_peak == .shutdown)
        #expect(certificate.environment.missing == [MissingSource(.power, "this computer is a script")])
        #expect(certificate.soak?.course?.temperature.contains(99) == true)
        try stress.check()
    }

    @Test("A test stopped before its first run reports the lack of a result")
    func stopped() async throws {
        let stress = try await Stress(
            "cameras: { a: { device: \"virtual:clap?size=160x120\" } }", [.sets, .soak], steer: { $0.stop() })
        #expect(stress.certificate.outcome == .stopped && stress.certificate.verdict == nil)
        #expect(stress.certificate.runs.isEmpty)
        #expect(stress.certificate.summary.first?.contains("no result is available") == true)
        try stress.check()
    }

    @Test("Media are kept on request, in one session folder per run")
    func kept() async throws {
        let stress = try await Stress(
            "cameras: { a: { device: \"virtual:clap?size=160x120&fps=30&format=mjpeg\" } }", [.sets],
            keeps: true)
        #expect(try stress.files == ["certificate.json", "report.html", "set-01"])
        let movie = try Reader.streams(stress.result.folder + "/set-01/cameras/a.mov")
        #expect(movie.first?.frameCount == 60)
    }

    @Test("A profile without a camera is refused with a sentence")
    func noCamera() throws {
        let scratch = FileManager.default.temporaryDirectory.appending(
            path: "multicam-deaf-\(UUID().uuidString).yaml")
        try "microphones: { m: { device: \"virtual:clap\" } }".write(
            to: scratch, atomically: true, encoding: .utf8)
        defer { unlink(scratch.path) }
        let error = #expect(throws: SetupError.self) {
            _ = try StressTest(
                SessionConfiguration(profile: scratch.path),
                StressOptions(kinds: [.sets], output: "/tmp", version: "0"))
        }
        #expect(error?.description.contains("does not record a camera") == true)
    }
}
