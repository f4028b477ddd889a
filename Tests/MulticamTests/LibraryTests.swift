import Foundation
import MulticamInputs
import MulticamMedia
import MulticamPlan
internal import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import Synchronization
import Testing

@Suite("the library in another program")
struct LibraryTests {
    /// A camera implemented by the program under test. It shows a gray square that brightens, in NV12.
    private final class BrighteningCamera: CameraSource {
        let device = CaptureDevice(
            mediaType: .video, deviceType: .screen, identity: DeviceIdentity(name: "brightening"),
            name: "brightening",
            node: "", selector: "")
        let format = VideoFormat(
            pixel: .nv12, size: FrameSize(width: 64, height: 48), rate: FrameRate(30, per: 1))
        let color = ColorDescription.bt601Limited
        let deliveryDelay = Nanoseconds.milliseconds(1)
        private let cancellation = Cancellation()
        private let threads = BoundedQueue<MediaThread>(capacity: 1)

        func start(
            on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
        ) throws(DeviceError) {
            let (format, color, cancellation) = (format, color, cancellation)
            let begin = clock.now
            let thread = try clock.startDeviceThread("brightening") {
                var number: Int64 = 0
                while clock.sleep(until: begin + format.rate.interval * (number + 1), unless: cancellation) {
                    let (planes, count) = FramePlane.packed(format.pixel, format.size)
                    let memory = SharedBytes([UInt8](repeating: UInt8(number % 200 + 16), count: count))
                    receive(
                        .frame(
                            CapturedFrame(
                                pixel: format.pixel, size: format.size, color: color,
                                capturedAt: begin + format.rate.interval * number, sequence: number,
                                memory: memory,
                                planes: planes, isOwned: true)))
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

    private static let profile = """
        cameras: { a: { device: "virtual:clap?format=nv12", size: 64x48, rate: 30, format: nv12 } }
        microphones: { m: { device: "virtual:tone" } }
        tracks: { cameras: encode, microphones: wav }
        """

    @Test("a source implemented by the program is recorded like any other")
    func source() async throws {
        let recording = try await Recording(Self.profile, seconds: 2) {
            $0.cameras["a"] = BrighteningCamera()
        }
        #expect(try recording.track("a").frames?.captured == 60)
        #expect(try Reader.streams(recording.path("cameras/a.mov")).first?.frameCount == 60)
    }

    @Test(
        "sinks receive every frame in the requested format",
        arguments: [(PixelFormat.nv12, 2), (.i420, 3), (.bgra, 1)])
    func frameTaps(pixel: PixelFormat, planeCount: Int) async throws {
        let wrong = Atomic(0)
        let tap = FrameTap(role: "a", format: .converted(pixel), capacity: 1000) { frame in
            let isRight =
                frame.pixel == pixel && frame.planes.count == planeCount
                && frame.size == FrameSize(width: 64, height: 48)
            if !isRight { wrong.add(1, ordering: .relaxed) }
        }
        _ = try await Recording(Self.profile, seconds: 1, frameTaps: [tap])
        #expect(wrong.load(ordering: .relaxed) == 0)
        #expect(tap.deliveredCount >= 30)
        #expect(tap.droppedCount == 0)
    }

    @Test("a slow sink drops frames and counts them; the recording loses none")
    func slowTap() async throws {
        let gate = Cancellation()
        let tap = FrameTap(role: "a", format: .asCaptured, capacity: 2) { _ in
            // The sink is blocked until the recording's last sample has arrived.
            while !gate.isCancelled { sched_yield() }
        }
        let last = AudioTap(role: "m", capacity: 1000) { slice in
            if slice.firstSample + Int64(slice.samples.count) >= 48_000 { gate.cancel() }
        }
        let recording = try await Recording(Self.profile, seconds: 1, frameTaps: [tap], audioTaps: [last])
        #expect(tap.droppedCount > 20)
        #expect(try recording.track("a").frames?.captured == 30)
    }

    @Test("an audio sink receives every sample of the track, in order")
    func audioTap() async throws {
        let next = Atomic<Int64>(0)
        let tap = AudioTap(role: "m", capacity: 1000) { slice in
            let samples = Int64(slice.samples.count / slice.channels)
            _ = next.compareExchange(
                expected: slice.firstSample, desired: slice.firstSample + samples, ordering: .relaxed)
        }
        _ = try await Recording(Self.profile, seconds: 1.5, audioTaps: [tap])
        #expect(next.load(ordering: .relaxed) == 72_000)
    }

    // MARK: Costs

    /// Returns a machine that is either too slow for every plan or fast enough for every plan.
    private static func machine(processors: Double) -> MachineModel {
        let entry = CostTable.Entry(nanosecondsPerPiece: 10_000, nanosecondsPerUnit: 5)
        let entries = Dictionary(uniqueKeysWithValues: WorkKind.allCases.map { ($0, entry) })
        return MachineModel(
            processors: processors, costs: CostTable(plain: entries, photographic: entries), freeMemory: nil,
            disk: nil)
    }

    private func setup(_ budget: String, _ machine: MachineModel?) throws -> SessionSetup {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).yaml")
        try "\(Self.profile)\nbudget: { \(budget) }\n".write(to: file, atomically: true, encoding: .utf8)
        defer { unlink(file.path) }
        var configuration = SessionConfiguration(profile: file.path)
        configuration.machine = machine
        return try SessionSetup(configuration)
    }

    @Test(
        "with a given machine the plan is reduced to fit, and the manifest lists the steps; without one it is not"
    )
    func reduction() async throws {
        let budget = "floors: { size: 32x24, rate: 5 }"
        let cost = try #require(try setup(budget, Self.machine(processors: 1)).reduction?.requestedCost.total)
        let reduced = try setup(budget, Self.machine(processors: cost * 0.8))
        let reduction = try #require(reduced.reduction)
        #expect(reduction.fits && reduction.steps.first?.step == "a rate 30 → 20")
        #expect(reduced.cameras["a"]?.format.rate == reduced.plan.cameras[0].format.rate)
        let recording = try await Recording(Self.profile, seconds: 1, changing: { $0 = reduced })
        #expect(recording.manifest.cost?.reductions?.map(\.step) == reduction.steps.map(\.step))
        #expect(recording.manifest.cost?.terms?.first?.resource == "cpu")
        let rate = try #require(reduced.plan.cameraTracks.first?.rate)
        #expect(try recording.track("a").frames?.written == Int(rate.frames) && rate <= FrameRate(20))
        #expect(recording.events.contains { $0.contains("\"event\":\"reduced\"") })
        try recording.checkSchema()
        let plain = try setup(budget, nil)
        #expect(plain.reduction == nil && plain.plan.cameras == reduction.requestedPlan.cameras)
    }

    @Test("a plan that must not be reduced is refused with its cost, and no device is opened")
    func refusal() throws {
        let error = #expect(throws: SetupError.self) {
            _ = try setup("policy: refuse", Self.machine(processors: 0.0001))
        }
        guard case .overBudget(let reduction) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            reduction.cost.total > 1 && reduction.steps.isEmpty && reduction.plan == reduction.requestedPlan)
        #expect(error?.description.hasPrefix("over budget: cpu ") == true)
    }
}
