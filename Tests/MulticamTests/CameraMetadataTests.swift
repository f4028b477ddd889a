import Foundation
import MulticamInputs
import MulticamMedia
import MulticamSessionFolder
import MulticamSetup
import MulticamWriters
import Testing

@Suite("camera metadata")
struct CameraMetadataTests {
    private final class Log: Sendable {
        private let entries = ConditionLock<[CameraMetadata]>([])
        var all: [CameraMetadata] { entries.withLock { $0 } }
        func tap(_ role: String) -> MetadataTap {
            MetadataTap(role: role, capacity: 10_000) { entry in self.entries.withLock { $0.append(entry) } }
        }
    }

    private struct Line: Decodable {
        var sequence: Int64?
        var captured_ns: Int64
        var stamp_ns: Int64?
        var arrival_ns: Int64?
        var lost: String?
        var count: Int?
        var uvc: [String: Int64]?
    }

    private func lines(_ recording: Recording, _ role: String) throws -> [Line] {
        try String(contentsOfFile: recording.path("cameras/\(role).ndjson"), encoding: .utf8)
            .split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    private static let profile = """
        cameras:
          a: { device: "virtual:clap?drop=0.1&latency=20&seed=3", size: 160x90, rate: 30, latency: 15ms }
          b: { device: "virtual:clap?corrupt=0.1&jitter=2", size: 160x90, rate: 30 }
          c: { device: "virtual:clap?unplug=1&replug=2.5", size: 160x90, rate: 30 }
          d: { device: "virtual:clap?unplug=2", size: 160x90, rate: 30 }
        tracks: { cameras: copy, metadata: ndjson }
        """

    @Test("every frame has an entry, and every lost frame has its cause, matching the loss ledger")
    func lines() async throws {
        let recording = try await Recording(Self.profile, seconds: 4)
        for role in ["a", "b", "c", "d"] {
            let lines = try lines(recording, role)
            let frames = try #require(try recording.track(role).frames)
            // The frame of tick 0 may have been captured up to half an interval before T0.
            let good = lines.filter { $0.lost == nil }
            #expect((frames.captured - 1...frames.captured + 1).contains(good.count), "\(role)")
            var lost: [String: Int] = [:]
            for line in lines { if let cause = line.lost { lost[cause, default: 0] += line.count ?? 1 } }
            #expect(lost.keys.sorted() == frames.lost.keys.sorted(), "\(role)")
            for (cause, count) in frames.lost { #expect(abs((lost[cause] ?? 0) - count) <= 1, "\(role)") }
            #expect(lines.allSatisfy { (0..<4_000_000_000).contains($0.captured_ns) && $0.uvc == nil })
            #expect(good.allSatisfy { $0.sequence != nil && $0.stamp_ns != nil && $0.count == nil })
            let sequences = good.compactMap(\.sequence)
            #expect(sequences == Set(sequences).sorted())
            #expect(
                recording.manifest.devices.first { $0.role == role }?.metadata == "cameras/\(role).ndjson")
        }
    }

    @Test("timestamp, capture time, and arrival time are consistent, and the latency separates the first two")
    func times() async throws {
        let recording = try await Recording(Self.profile, seconds: 2)
        let good = try lines(recording, "a").filter { $0.lost == nil }
        for line in good {
            let (stamp, arrival) = (try #require(line.stamp_ns), try #require(line.arrival_ns))
            // This camera's timestamps are exact.
            #expect(abs(stamp - 15_000_000 - line.captured_ns) < 100_000)
            // The camera delivers complete frames, with a latency of 20 ms.
            #expect(abs(arrival - stamp - 53_333_333) < 100_000)
        }
        // Frames that were lost on the bus get the sequence numbers missing between their neighbors.
        var numbers: [Int64] = []
        for line in try lines(recording, "a") {
            let first = try #require(line.sequence)
            numbers += (0..<Int64(line.count ?? 1)).map { first + $0 }
        }
        let first = try #require(numbers.first)
        #expect(numbers == Array(first..<first + Int64(numbers.count)))
    }

    @Test("library clients receive the same metadata, and a file is written only on request")
    func tap() async throws {
        let log = Log()
        let profile = Self.profile.replacing(", metadata: ndjson", with: "")
        let (asked, tapped) = (
            try await Recording(Self.profile, seconds: 2),
            try await Recording(profile, seconds: 2, metadataTaps: [log.tap("a")])
        )
        let lines = try lines(asked, "a")
        #expect(log.all.map(\.sequence) == lines.map(\.sequence))
        #expect(log.all.map(\.capturedAt.nanoseconds) == lines.map(\.captured_ns))
        #expect(log.all.map { $0.lost?.rawValue } == lines.map(\.lost))
        #expect(!FileManager.default.fileExists(atPath: tapped.path("cameras/a.ndjson")))
        #expect(tapped.manifest.devices.allSatisfy { $0.metadata == nil })
    }

    /// A custom camera that delivers a header clock with each frame, and reports once that the clock is
    /// unavailable.
    private final class CountingCamera: DetailedCameraSource {
        let device = CaptureDevice(
            mediaType: .video, deviceType: .screen, identity: DeviceIdentity(name: "counting"),
            name: "counting",
            node: "", selector: "")
        let format = VideoFormat(
            pixel: .nv12, size: FrameSize(width: 64, height: 48), rate: FrameRate(30, per: 1))
        let color = ColorDescription.bt601Limited
        let deliveryDelay = Nanoseconds.milliseconds(1)
        private let isHeaderClockRequested = ConditionLock(false)
        private let cancellation = Cancellation()
        private let threads = BoundedQueue<MediaThread>(capacity: 1)

        func requestHeaderClock() { isHeaderClockRequested.withLock { $0 = true } }

        func start(
            on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
        ) throws(DeviceError) {
            let (format, color, cancellation) = (format, color, cancellation)
            let (begin, isAsked) = (clock.now, isHeaderClockRequested.withLock { $0 })
            let thread = try clock.startDeviceThread("counting") {
                receive(.headerClockMissing(at: begin, cause: "the node is\u{1b}[2J busy."))
                var number: Int64 = 0
                while clock.sleep(until: begin + format.rate.interval * (number + 1), unless: cancellation) {
                    let (planes, count) = FramePlane.packed(format.pixel, format.size)
                    let time = begin + format.rate.interval * number
                    let header = UVCHeaderClock(
                        presentationTime: UInt32(truncatingIfNeeded: number &* 1_600_000), sourceClock: 7,
                        busFrame: nil, hostTime: time, hostFrame: 2047)
                    receive(
                        .frame(
                            CapturedFrame(
                                pixel: format.pixel, size: format.size, color: color, capturedAt: time,
                                sequence: number,
                                memory: SharedBytes(
                                    [UInt8](repeating: UInt8(number % 200 + 16), count: count)),
                                planes: planes, isOwned: true, headerClock: isAsked ? header : nil)))
                    number += 1
                }
            }
            _ = threads.tryEnqueue(thread)
        }

        func stop() {
            cancellation.cancel()
            threads.finish()
            threads.dequeue()?.join()
        }
    }

    @Test("the metadata contains the camera's clock, and its absence is reported once in printable form")
    func headerClock() async throws {
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap?format=nv12", size: 64x48, rate: 30, format: nv12 } }
            tracks: { cameras: encode, metadata: ndjson }
            """, seconds: 1
        ) { $0.cameras["a"] = CountingCamera() }
        let lines = try lines(recording, "a")
        #expect(lines.count == 30)
        for line in lines {
            let uvc = try #require(line.uvc)
            #expect(uvc["pts"] == (line.sequence ?? -1) * 1_600_000)
            #expect(uvc["stc"] == 7 && uvc["sof"] == nil && uvc["host_sof"] == 2047)
            #expect(uvc["host_ns"] == recording.manifest.t0_monotonic_ns + (line.stamp_ns ?? 0))
        }
        let warnings = recording.events.filter { $0.contains("\"event\":\"warning\"") }
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("camera a is recorded without its packet timestamps") == true)
        #expect(!recording.events.joined().contains("\u{1b}"))
    }

    @Test("a source without a request provides no clock and causes no warning")
    func unasked() async throws {
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap?format=nv12", size: 64x48, rate: 30, format: nv12 } }
            tracks: { cameras: encode }
            """, seconds: 1
        ) { $0.cameras["a"] = CountingCamera() }
        #expect(!recording.events.contains { $0.contains("\"event\":\"warning\"") })
    }
}
