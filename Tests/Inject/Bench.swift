import CMulticamInject
import Foundation
import MulticamEncoding
import MulticamInputs
import MulticamMedia
import MulticamPlan
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import MulticamWriters

/// A recording of 1.5 s in simulated time with all features: copied MJPEG and H.264, an encoded track, a
/// camera that disconnects and is replaced by a slate, a program, resampled audio, a backup, listeners, and a
/// split.
struct Bench {
    /// Parent folder of the recordings.
    let folder: String

    static let seconds = 1.5
    static let roles = ["desk", "face", "gone", "side", "host", "guest"]
    private static let sizes = [
        "desk": FrameSize(width: 160, height: 96), "face": FrameSize(width: 128, height: 96),
        "gone": FrameSize(width: 96, height: 64), "side": FrameSize(width: 64, height: 48),
    ]
    private static let cameras = """
        desk: { device: "virtual:bars", format: mjpeg, size: 160x96, rate: 15 }
          face: { device: "virtual:bars?phase=20", format: h264, size: 128x96, rate: 15 }
          gone: { device: "virtual:bars?unplug=0.2", format: mjpeg, size: 96x64, rate: 10 }
        """
    private static let rest = """
        microphones:
          host: { device: "virtual:clap?rate=44100" }
          guest: { device: "virtual:tone?channels=2" }
        program: { size: 160x96, rate: 15, layout: pip, main: desk, inset: face, audio: { codec: aac, bitrate: 96k, mix: [host, guest] } }
        budget: { governor: false }
        limits: { lost_frames: 0.05 }
        """

    /// The result of a recording.
    struct Outcome {
        let result: Result<RecordingResult, any Error>
        let events: [SessionEvent]
        /// The files, keyed by path relative to the recordings folder.
        let files: [String: Data]
        let calls: [String: Int]
        let firedCount: Int
        /// Growth of the process during the recording, in bytes of memory and in descriptors.
        let memoryGrowth: Int
        let descriptorGrowth: Int
    }

    /// Creates the folder and both profiles.
    init(in parent: String) throws {
        folder = Self.folder(ofProcess: getpid(), in: parent)
        let own = ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"]
        for name in own { setenv(name, folder + "/home", 1) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let side = "  side: { device: \"virtual:bars?phase=5&fps=10\", format: yuyv, size: 64x48, rate: 15 }"
        try """
        cameras:
          \(Self.cameras)
        \(side)
        \(Self.rest)
        tracks: { cameras: encode, microphones: wav, metadata: ndjson }
        """.write(toFile: folder + "/encode.yaml", atomically: true, encoding: .utf8)
        try """
        cameras:
          \(Self.cameras)
        \(Self.rest)
        tracks: { cameras: copy, microphones: wav, metadata: ndjson }
        """.write(toFile: folder + "/copy.yaml", atomically: true, encoding: .utf8)
    }

    func remove() throws { try FileManager.default.removeItem(atPath: folder) }

    /// Removes the folder of a process that died.
    static func remove(ofProcess number: pid_t) {
        let folder = folder(ofProcess: number, in: NSTemporaryDirectory())
        if FileManager.default.fileExists(atPath: folder) {
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    private static func folder(ofProcess number: pid_t, in parent: String) -> String {
        URL(fileURLWithPath: parent).resolvingSymlinksInPath().path + "/inject-\(number)"
    }

    /// Records with a fault. Removes the recording unless `isKept`.
    func record(_ fault: Fault?, isKept: Bool = false) async throws -> Outcome {
        let root = folder + "/recording"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let plan = FaultPlan(fault)
        let before = Self.usage()
        SystemCalls.begin(below: root, plan)
        defer { SystemCalls.end() }
        let (session, taps) = try makeSession(plan, in: root)
        let listener = Task {
            var events: [SessionEvent] = []
            for await event in session.events { events.append(event) }
            return events
        }
        let result: Result<RecordingResult, any Error>
        SystemCalls.limitDescriptors(plan, at: "descriptors.begin")
        do {
            result = .success(try await session.record())
        } catch {
            result = .failure(error)
        }
        SystemCalls.restoreDescriptors()
        SystemCalls.end()
        withExtendedLifetime(taps) {}
        let events = await listener.value
        let files = try Self.contents(of: root)
        let calls = plan.calls
        if !isKept { try FileManager.default.removeItem(atPath: root) }
        let after = Self.settled(before)
        return Outcome(
            result: result, events: events, files: files, calls: calls, firedCount: plan.firedCount,
            memoryGrowth: after.memory - before.memory,
            descriptorGrowth: after.descriptors - before.descriptors)
    }

    private func makeSession(_ plan: FaultPlan, in root: String) throws -> (MulticamSession, [AnyObject]) {
        let setup = try SessionSetup(SessionConfiguration(profile: folder + "/encode.yaml"))
        let copied = try SessionSetup.plan(SessionConfiguration(profile: folder + "/copy.yaml"))
        var mixed = setup.plan
        mixed.cameraTracks = copied.cameraTracks + mixed.cameraTracks.filter { $0.role == "side" }
        let clock = SimulatedClock()
        let controller = Steering(clock: clock)
        var cameras: [String: any CameraSource] = [:]
        for (role, camera) in setup.cameras {
            cameras[role] = FaultyCamera(camera, role: role, plan: plan) { start in
                if role == "desk" {
                    SystemCalls.limitDescriptors(plan, at: "descriptors.later")
                    controller.begin(at: start)
                }
            }
        }
        var microphones: [String: any MicrophoneSource] = [:]
        for (role, microphone) in setup.microphones {
            microphones[role] = FaultyMicrophone(microphone, role: role, plan: plan)
        }
        var options = RecordingOptions(
            parentFolder: root + "/a", name: "session", duration: .seconds(rounding: Self.seconds),
            version: "0.0.0")
        options.backup = Backup(parentFolder: root + "/b", content: .all)
        let frames = [
            FrameTap(role: "desk", format: .converted(.nv12)) { _ in },
            FrameTap(role: "face", format: .asCaptured) { _ in },
        ]
        let audioBlocks = [AudioTap(role: "host") { _ in }]
        let metadata = [MetadataTap(role: "gone") { _ in }]
        let together = [
            SynchronizedOutput(roles: ["desk", "face", "host"], format: .converted(.i420)) { _ in }
        ]
        let session = MulticamSession(
            plan: mixed, cameras: cameras, microphones: microphones, options: options, clock: clock,
            codecs: FaultyMachinery(
                codecs: Codecs(), plan: plan,
                roles: Dictionary(uniqueKeysWithValues: Self.sizes.map { ($1, $0) })),
            frameTaps: frames, audioTaps: audioBlocks, metadataTaps: metadata, synchronizedOutputs: together,
            host: FaultyHost(plan, own: root + "/a"))
        controller.steer(session)
        return (session, frames + audioBlocks + metadata + together)
    }

    /// Returns all files below a folder, keyed by relative path.
    private static func contents(of root: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for case let path as String in FileManager.default.enumerator(atPath: root) ?? .init() {
            var isFolder: ObjCBool = false
            let full = root + "/" + path
            guard FileManager.default.fileExists(atPath: full, isDirectory: &isFolder), !isFolder.boolValue
            else { continue }
            files[path] = try Data(contentsOf: URL(fileURLWithPath: full))
        }
        return files
    }

    private static func usage() -> (memory: Int, descriptors: Int) {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0
        return ((pages.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * 4096, descriptors)
    }

    /// Waits until detached threads have closed their descriptors.
    private static func settled(_ before: (memory: Int, descriptors: Int)) -> (memory: Int, descriptors: Int)
    {
        for _ in 0..<100 {
            let now = usage()
            if now.descriptors <= before.descriptors { return now }
            usleep(5_000)
        }
        return usage()
    }
}

/// Sets a marker in the middle of the recording and splits it there.
private final class Steering: Sendable {
    /// A weak reference, because the session retains its cameras, and one of the cameras retains this object.
    private struct Steered {
        weak var session: MulticamSession?
    }

    private let clock: SimulatedClock
    private let steered = ConditionLock(Steered())

    init(clock: SimulatedClock) { self.clock = clock }

    func steer(_ session: MulticamSession) { steered.withLock { $0.session = session } }

    func begin(at start: ClockTime) {
        clock.startThreadWhenPossible(named: "steer") { [clock, steered] in
            clock.sleep(until: start + .milliseconds(700), unless: Cancellation())
            let session = steered.withLock { $0.session }
            session?.mark("the middle")
            session?.split()
        }
    }
}
