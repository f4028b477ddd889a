import Foundation
import Glibc
import MulticamControl
import MulticamInputs
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import Synchronization
import Testing

@testable import MulticamKit

@Suite("Recordings with live output")
struct PublishedRecordingTests {
    private static let profile = """
        cameras:
          desk: { device: "virtual:clap?phase=0&size=320x180", rate: 30 }
          face: { device: "virtual:bars?size=160x120", rate: 30 }
        microphones: { host: { device: "virtual:clap" } }
        program: { size: 320x180, rate: 30, layout: pip, main: desk, inset: face, audio: { mix: [host] } }
        tracks: { cameras: copy, microphones: wav }

        """

    private static func status(
        _ state: LiveOutputStatus.State, _ text: String? = nil, sent: Int64 = 0, dropped: Int64 = 0
    ) -> LiveOutputStatus {
        var status = LiveOutputStatus(
            name: "show", kind: .srt, state: state, text: text, since: ClockTime(nanoseconds: .max))
        (status.sentFrames, status.droppedFrames) = (sent, dropped)
        return status
    }

    @Test(
        "the manifest and events contain live times since T0, sent and dropped frames, and reasons"
    )
    func manifest() async throws {
        let host = ControllerHost { session, look in
            switch look {
            case 1: session.updateLiveOutput(Self.status(.connected, sent: 100))
            case 2:
                session.updateLiveOutput(Self.status(.waiting, "the network is away.", sent: 130, dropped: 4))
            case 3: session.updateLiveOutput(Self.status(.connected, sent: 130, dropped: 20))
            case 4: session.updateLiveOutput(Self.status(.connected, sent: 160, dropped: 20))
            default: break
            }
        }
        let recording = try await Recording(
            Self.profile, seconds: 5, host: host,
            steer: { session in
                host.attach(session)
                session.updateLiveOutput(Self.status(.connecting, sent: 90, dropped: 1))
            })
        try recording.checkSchema()
        let liveOutput = try #require(recording.manifest.live_outputs?.first)
        #expect(liveOutput.name == "show" && liveOutput.kind == "srt")
        #expect(liveOutput.sent_frames == 70 && liveOutput.dropped_frames == 19)
        #expect(liveOutput.reasons == ["the network is away."])
        #expect(liveOutput.connected.count == 2)
        let first = try #require(liveOutput.connected.first)
        #expect((800_000_000...1_200_000_000).contains(first.to_ns - first.from_ns))
        #expect(liveOutput.connected.last?.to_ns == recording.manifest.duration_ns)
        let events = recording.events.filter { $0.contains(#""event":"live-output""#) }
        #expect(events.count == 4)
        #expect(events[0].contains(#""at_ns":0"#) && events[0].contains(#""state":"connecting""#))
        #expect(events[2].contains(#""text":"the network is away.""#))
        // A recording that was recovered after a crash contains the same data.
        let recovered = RecordedEvents(try [UInt8](recording.bytes("events.ndjson"))).liveOutputs(
            since: [], until: MediaTime(nanoseconds: recording.manifest.duration_ns))
        #expect(recovered.map(\.connected) == [liveOutput.connected])
        #expect(recovered.first?.reasons == liveOutput.reasons)
        // The counts are from the last event.
        #expect(recovered.first?.sent_frames == 40 && recovered.first?.dropped_frames == 19)
    }

    @Test("without live output the manifest has an empty list")
    func none() async throws {
        let recording = try await Recording(Self.profile, seconds: 1)
        try recording.checkSchema()
        #expect(recording.manifest.live_outputs == [])
        let text = String(decoding: try recording.bytes("manifest.json"), as: UTF8.self)
        #expect(text.contains("\"live_outputs\" : ["))
    }

    @Test(
        "live output does not change files or program packets, even if the sending process is erratic and slow; only a few events of it are stored"
    )
    func bytes() async throws { try await SingleThreadExecutor.run(Self.bytes) }

    private static func bytes() async throws {
        let standIn = try FakeLiveProgram()
        defer { standIn.remove() }
        let publisher = LivePublisher(socket: "/tmp/media", program: standIn.program)
        // Status reports of this output start before the recording and continue during it.
        publisher.publish(
            LiveOutput(name: "show", address: try LiveOutputAddress("srt://restless:1")))
        #expect(
            try await FakeLiveProgram.wait {
                let calls = try standIn.calls()
                return !calls.isEmpty && publisher.status("show").map { $0.text != nil } ?? false
            })
        let plain = try await Recording(Self.profile, seconds: 5)
        let taken = Atomic(0)
        let taps = [
            PacketTap { _ in taken.add(1, ordering: .relaxed) },
            PacketTap(capacity: 2) { _ in usleep(20_000) },
        ]
        let published = try await Recording(
            Self.profile, seconds: 5,
            steer: { session in
                publisher.serve(session)
                for tap in taps { #expect(throws: Never.self) { try session.attach(tap) } }
            })
        #expect(taken.load(ordering: .relaxed) > 150)
        let call = try #require(try standIn.calls().last)
        kill(call.process, SIGKILL)
        await publisher.end()
        for file in plain.manifest.files ?? [] {
            if file.file.hasSuffix(".mp4") {
                // The interleaving of frames and audio in this file varies, even without live output.
                #expect(
                    try Reader.packets(plain.path(file.file)) == Reader.packets(published.path(file.file)),
                    "\(file.file)")
            } else {
                #expect(try plain.bytes(file.file) == published.bytes(file.file), "\(file.file)")
            }
        }
        #expect(plain.manifest.files?.count == 4)
        #expect(plain.manifest.tracks == published.manifest.tracks)
        let told = published.events.filter { $0.contains(#""event":"live-output""#) }
        #expect((1...200).contains(told.count), "\(told.count)")
        // The `started` event contains the folder, which differs.
        #expect(
            published.events.filter { !told.contains($0) && !$0.contains("folder") }
                == plain.events.filter { !$0.contains("folder") })
        let liveOutput = try #require(published.manifest.live_outputs?.first)
        #expect(liveOutput.reasons.count <= 20)
    }

    /// A recording with the live outputs of a profile. The process that sends them is killed once.
    private struct ProfileOutputs {
        /// The states of the live outputs `show`, which starts with the recording, and `spare`, which starts with
        /// the session; `nil` for an output that wasn't started.
        typealias States = (show: LiveOutputStatus.State?, spare: LiveOutputStatus.State?)

        let notes: [String]
        let keyFile: String
        /// The states on standby.
        let before: States
        /// Whether frames were sent before the process was killed.
        let isSent: Bool
        /// Whether `show` was connected again in a second process.
        let isBack: Bool
        let status: ControlStatus
        /// The states after the end of the recording.
        let after: States
        let manifest: Manifest
        let events: [SessionEvent]
        /// The content of all JSON files in the session folder.
        let files: String
        /// The live outputs and the plan as text.
        let setup: String

        init() async throws {
            let standIn = try FakeLiveProgram()
            defer { standIn.remove() }
            keyFile = standIn.folder.path + "/key"
            try "srt://host:9000?passphrase=0123456789secret\n".write(
                toFile: keyFile, atomically: true, encoding: .utf8)
            let place = try MediaServerFixture(
                """
                \(MediaServerFixture.profile)
                publish:
                  show: { url_from: { file: \(keyFile) } }
                  spare: { url: "pulse:Studio", start: session }
                  seldom: { url: "v4l2:/dev/video9", start: command }
                """, seconds: 300)
            defer { place.remove() }
            notes = place.setup.plan.notes
            setup = "\(place.setup.liveOutputs)" + JSONText.line(place.setup.plan)
            let told = Task { await place.session.events.reduce(into: [SessionEvent]()) { $0.append($1) } }
            let publisher = LivePublisher(of: place.server, program: standIn.program)
            func states() -> States { (publisher.status("show")?.state, publisher.status("spare")?.state) }
            publisher.serve(place.session, place.setup.liveOutputs)
            _ = try await FakeLiveProgram.wait { publisher.status("spare")?.state == .connected }
            before = states()
            try await place.session.standBy()
            let person = Self.killOnce(standIn, publisher, place.session)
            let result = try await place.session.recordChecked()
            person.thread.join()
            let seen = person.seen.withLock { $0 }
            (isSent, isBack) = (seen.isSent, seen.isBack)
            status = try #require(seen.status)
            after = states()
            publisher.serve(nil)
            await place.session.close()
            await publisher.end()
            manifest = result.manifest
            events = await told.value
            files = try FileManager.default.contentsOfDirectory(atPath: result.folder)
                .filter { $0.contains("json") }
                .map { name in
                    let file = URL(fileURLWithPath: result.folder + "/" + name)
                    return String(decoding: try Data(contentsOf: file), as: UTF8.self)
                }
                .joined()
        }

        private typealias Seen = (isSent: Bool, isBack: Bool, status: ControlStatus?)

        /// Kills the process once it has sent frames, and stops the recording once a second process sends them.
        ///
        /// A separate thread is used, because a task would have to wait for its turn among all tests.
        private static func killOnce(
            _ standIn: FakeLiveProgram, _ publisher: LivePublisher, _ session: MulticamSession
        ) -> (thread: MediaThread, seen: ConditionLock<Seen>) {
            let seen = ConditionLock<Seen>((false, false, nil))
            let thread = MediaThread.startWhenPossible(name: "test:person") {
                let isSent = FakeLiveProgram.waitBlocking {
                    publisher.status("show").map { $0.sentFrames > 100 } ?? false
                }
                let isBack = FakeLiveProgram.waitBlocking {
                    let calls = try standIn.calls()
                    if calls.count == 1, let call = calls.first { kill(call.process, SIGKILL) }
                    return calls.count == 2 && publisher.status("show")?.state == .connected
                }
                let status = ControlStatus(session.status, plan: session.currentPlan, folder: nil, cost: nil)
                seen.withLock { $0 = (isSent, isBack, status) }
                session.stop()
            }
            return (thread, seen)
        }

        func liveOutput(_ name: String) throws -> Manifest.LiveOutput {
            try #require(manifest.live_outputs?.first { $0.name == name })
        }
    }

    /// The recording takes long, so several tests share it.
    private static let profileOutputs = Task {
        try await SingleThreadExecutor.run { try await ProfileOutputs() }
    }

    @Test("a live output of a profile starts and ends with the recording, with the session, or on command")
    func starts() async throws {
        let outputs = try await Self.profileOutputs.value
        #expect(outputs.before.show == nil && outputs.before.spare == .connected)
        #expect(outputs.status.live_outputs.map(\.name) == ["show", "spare", "seldom"])
        #expect(outputs.status.live_outputs.map(\.state) == ["connected", "connected", "off"])
        #expect(outputs.after.show == nil && outputs.after.spare != nil)
        #expect(outputs.manifest.outcome == .finished)
        #expect(Set(try #require(outputs.manifest.live_outputs).map(\.name)) == ["show", "spare"])
        #expect(try outputs.liveOutput("spare").connected.first?.from_ns == 0)
        let isConnected = outputs.events.contains { event in
            if case .liveOutput(let output) = event.content { output.state == .connected } else { false }
        }
        #expect(isConnected)
    }

    @Test(
        "a live output continues in a new process if its process is killed, and the manifest has the reason")
    func killed() async throws {
        let outputs = try await Self.profileOutputs.value
        #expect(outputs.isSent && outputs.isBack)
        let show = try outputs.liveOutput("show")
        #expect(show.connected.count == 2 && show.sent_frames > 100)
        #expect(
            show.reasons == ["The live output program was terminated by signal 9 and is being restarted."])
    }

    @Test(
        "the key of a live output is in no file, status, event, or plan, and a readable key file is reported")
    func key() async throws {
        let outputs = try await Self.profileOutputs.value
        #expect(
            outputs.notes.contains {
                $0.contains("other users can read the key in \(outputs.keyFile). Run `chmod 600")
            })
        #expect(outputs.files.contains(#""live_outputs""#) && !outputs.files.contains("secret"))
        #expect(!JSONText.line(outputs.status).contains("secret") && !"\(outputs.events)".contains("secret"))
        #expect(!outputs.setup.contains("secret"))
    }
}
