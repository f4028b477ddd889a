import Foundation
import MulticamInputs
import MulticamKit
import MulticamMedia
import MulticamSeededNoise
import MulticamSession
import MulticamSessionFolder
import MulticamStills
import Synchronization
import Testing

@testable import MulticamControl
@testable import MulticamMediaLink
@testable import MulticamMediaServing

@Suite("the media socket")
struct MediaLinkTests {
    /// Data received by one tap in another process.
    private final class ReceivedData: Sendable {
        let frames = ConditionLock<[CapturedFrame]>([])
        let samples = Atomic(0)
        let packets = ConditionLock<[RemotePacket]>([])
        let lines = ConditionLock<[String]>([])
        let refusals = ConditionLock<[String]>([])
        let isOver = Atomic(false)

        func receive(_ piece: RemoteTap.Piece) {
            switch piece {
            case .frame(let frame, _): frames.withLock { $0.append(frame) }
            case .audio(let slice, _): samples.add(slice.samples.count, ordering: .relaxed)
            case .packet(let packet, _): packets.withLock { $0.append(packet) }
            case .status(let line), .event(let line, _):
                lines.withLock { $0.append(line) }
            case .events(let past): lines.withLock { $0 += past }
            case .refused(let text): refusals.withLock { $0.append(text) }
            case .metadata: break
            case .end: isOver.store(true, ordering: .relaxed)
            }
        }
    }

    private static func wait(for condition: () -> Bool) async throws -> Bool {
        let deadline = Date(timeIntervalSinceNow: 60)
        while !condition() {
            guard Date() < deadline else { return false }
            try await Task.sleep(for: .milliseconds(20))
        }
        return true
    }

    @Test("another process receives media and events of a session, on standby and while recording")
    func outward() async throws { try await SingleThreadExecutor.run(Self.outward) }

    private static func outward() async throws {
        let place = try MediaServerFixture()
        defer { place.remove() }
        try await place.session.standBy()
        let (camera, raw, program) = (ReceivedData(), ReceivedData(), ReceivedData())
        let (mix, packets, status, events, wrong) = (
            ReceivedData(), ReceivedData(), ReceivedData(), ReceivedData(), ReceivedData()
        )
        let small = FrameSize(width: 64, height: 36)
        var taps = [
            try RemoteTap(.frames(role: "desk", FrameRequest()), path: place.path) { camera.receive($0) },
            try RemoteTap(.frames(role: "face", FrameRequest()), path: place.path) { raw.receive($0) },
            try RemoteTap(
                .frames(role: "program", FrameRequest(.converted(.bgra), size: small)), path: place.path
            ) { program.receive($0) },
            try RemoteTap(.audio(role: "program"), path: place.path) { mix.receive($0) },
            try RemoteTap(.packets(), path: place.path) { packets.receive($0) },
            try RemoteTap(.status, path: place.path) { status.receive($0) },
            try RemoteTap(.events, path: place.path) { events.receive($0) },
            try RemoteTap(.audio(role: "nobody"), path: place.path) { wrong.receive($0) },
        ]
        #expect(
            try await wait {
                place.server.subscriptionCount == taps.count && camera.frames.withLock { $0.count > 3 }
                    && raw.frames.withLock { $0.count > 3 }
                    && program.frames.withLock { $0.count > 3 } && mix.samples.load(ordering: .relaxed) > 9600
                    && status.lines.withLock { $0.count > 2 } && wrong.refusals.withLock { !$0.isEmpty }
            })
        let result = try await place.session.recordChecked()
        let programFrames = try #require(result.manifest.tracks.first { $0.name == "program" }?.frames)
        let written = programFrames.written
        #expect(
            try await wait {
                packets.packets.withLock { $0.count(where: { $0.codec == .h264 }) } >= written
            })
        await place.session.close()
        // The events are already queued in the stream, so on a busy machine no other task runs in between.
        for await event in place.session.events { place.server.publish(event) }
        #expect(try await wait { events.lines.withLock { !$0.isEmpty } })

        let jpeg = try #require(camera.frames.withLock { $0.first })
        #expect(jpeg.pixel == .mjpeg && jpeg.memory.bytes.starts(with: [0xFF, 0xD8]))
        let plain = try #require(raw.frames.withLock { $0.first })
        #expect(plain.pixel == .nv12 && plain.size == FrameSize(width: 160, height: 120))
        #expect(plain.memory.count >= 160 * 120 * 3 / 2 && plain.planes.count == 2)
        let composed = try #require(program.frames.withLock { $0.first })
        #expect(composed.pixel == .bgra && composed.size == small && composed.memory.count == 64 * 36 * 4)
        let got = packets.packets.withLock { $0 }
        let video = got.filter { $0.codec == .h264 }
        #expect(video.first?.isKey == true && video.first?.setup?.isEmpty == false)
        #expect(video.dropFirst().allSatisfy { $0.setup == nil })
        #expect(
            programFrames.accounts(for: 60) && video.count == written && got.contains { $0.codec == .aac })
        #expect(status.lines.withLock { $0.contains { $0.contains(#""state":"standby""#) } })
        #expect(events.lines.withLock { $0.contains { $0.contains(#""event":"started""#) } })
        #expect(wrong.refusals.withLock { $0.first?.contains("host") } == true)
        #expect(result.manifest.tracks.first { $0.name == "desk" }?.frames?.accounts(for: 60) == true)
        taps.removeAll()
        #expect(try await wait { camera.isOver.load(ordering: .relaxed) })
    }

    @Test(
        "a process that does not read loses only its own frames; the recording does not wait for it, even at the end"
    )
    func stalled() async throws { try await SingleThreadExecutor.run(Self.stalled) }

    private static func stalled() async throws {
        let place = try MediaServerFixture()
        defer { place.remove() }
        let gate = Cancellation()
        let got = ReceivedData()
        let tap = try RemoteTap(
            .frames(role: "program", FrameRequest(.converted(.bgra))), path: place.path
        ) { piece in
            got.receive(piece)
            while !gate.isCancelled { usleep(1000) }
        }
        let result = try await place.session.recordChecked()
        let face = result.manifest.tracks.first { $0.name == "face" }
        #expect(face?.frames?.accounts(for: 60) == true)
        gate.cancel()
        // One frame was read, one was in transit, one was waiting to be sent, and three are waiting in the tap.
        try await Task.sleep(for: .milliseconds(500))
        tap.close()
        #expect(got.frames.withLock { (1...6).contains($0.count) })
    }

    @Test(
        "a camera and a microphone sent by a process are recorded like others and disconnect when it exits"
    )
    func inward() async throws { try await SingleThreadExecutor.run(Self.inward) }

    private static func inward() async throws {
        let feeder = Feeder("phone")
        let place = try MediaServerFixture(
            """
            cameras: { phone: { device: "remote:phone", size: 64x48, rate: 30, format: nv12 } }
            microphones: { voice: { device: "remote:phone-voice" }, far: { device: "virtual:silence?latency=1500" } }
            tracks: { cameras: encode, microphones: wav }
            budget: { governor: false }
            """
        ) { path in try feeder.start(at: path) }
        defer {
            feeder.stop()
            place.remove()
        }
        let result = try await place.session.recordChecked()
        let phone = try #require(result.manifest.tracks.first { $0.name == "phone" })
        let frames = try #require(phone.frames)
        #expect(frames.accounts(for: 60) && frames.captured + frames.lost["encoder", default: 0] >= 20)
        let voice = try #require(result.manifest.tracks.first { $0.name == "voice" }?.samples)
        #expect(voice.written == 96_000)
        let shown = try Reader.brightness(
            "\(result.folder)/\(phone.file)", size: FrameSize(width: 64, height: 48),
            part: PixelRectangle(x: 0, y: 0, width: 64, height: 48))
        #expect(shown.count == frames.written)
        // Each gray frame of the feeder is brighter than the one before.
        #expect(try #require(shown.last) > (try #require(shown.first)))
        #expect(feeder.problem == nil)
        #expect(result.manifest.devices.first { $0.role == "voice" }?.time_error_ns == 1_000_000)
        #expect(result.manifest.devices.first { $0.role == "phone" }?.time_error_ns == nil)
    }

    @Test(
        "a device of another process can be added or replace one; an unknown one is refused in one sentence"
    )
    func live() async throws { try await SingleThreadExecutor.run(Self.live) }

    private static func live() async throws {
        let patience = Cancellation()
        // One camera is late, so the alignment delay allows for feeders that a busy machine delays.
        let place = try MediaServerFixture(
            MediaServerFixture.profile.replacingOccurrences(
                of: "virtual:clap", with: "virtual:clap?latency=1500"),
            seconds: 60, devices: RemoteDevices(unless: patience))
        let feeders = [Feeder("phone"), Feeder("tablet")]
        for feeder in feeders { try feeder.start(at: place.path) }
        defer {
            for feeder in feeders { feeder.stop() }
            place.remove()
        }
        let controller = SessionController()
        controller.attach(place.session, place.setup)
        let replies = ConditionLock<[ControlReply]>([])
        let (session, plan) = (place.session, place.setup.plan)
        let end = Cancellation()
        let person = MediaThread.startWhenPossible(name: "person") {
            let clock = MonotonicClock()
            while session.status.phase != .recording {
                clock.sleep(until: clock.now + .milliseconds(20), unless: end)
            }
            for words in [
                ["add", "third", "remote:phone"], ["add-microphone", "lapel", "remote:phone-voice"],
                ["replace-camera", "face", "remote:tablet"], ["add", "fourth", "remote:phone"],
                ["replace-camera", "desk", "remote:nobody"],
            ] {
                // The next command waits for a device that doesn't exist, so the wait is canceled.
                if words[1] == "desk" { patience.cancel() }
                do throws(ControlError) {
                    let work = try controller.prepareCommand(
                        for: CommandRequest(arguments: words), pausedPlan: plan)
                    work.perform(clock.now) { reply in replies.withLock { $0.append(reply) } }
                } catch {
                    Issue.record("\(error)")
                }
            }
            clock.sleep(until: clock.now + .seconds(1), unless: end)
            session.stop()
        }
        let result = try await session.recordChecked()
        person.join()
        let got = replies.withLock { $0 }
        // A feeder that a busy machine stops for seconds delivers its audio too late to be added.
        let isLate = got[1].text.contains("ms late")
        #expect(got.map(\.ok) == [true, !isLate, true, false, false], "\(got.map(\.text))")
        #expect(got[3].text.contains("this camera is already used by another role"))
        #expect(got[4].text.contains("no process provided this camera within 5 s"))
        let manifest = result.manifest
        let third = try #require(manifest.tracks.first { $0.name == "third" }?.frames)
        #expect(third.captured > 0 && third.captured + third.lost.values.reduce(0, +) >= 20)
        let lapel = manifest.tracks.first { $0.name == "lapel" }?.samples
        #expect(isLate ? lapel == nil : try #require(lapel).written > 40_000)
        let faces = manifest.devices.filter { $0.role == "face" }
        #expect(faces.count == 2 && faces[1].name == "tablet" && faces[1].from_ns != nil)
        #expect(manifest.tracks.first { $0.name == "face" }?.failure == nil)
    }

    @Test("starting or stopping a control server keeps the socket of a media server")
    func besideControl() throws {
        let place = try ControlFixture()
        try place.folder.make()
        let path = place.folder.mediaPath(of: getpid())
        let server = try MediaServer(at: path, devices: RemoteDevices())
        defer { server.stop() }
        let control = try ControlServer(in: place.folder) { _ in
            ControlServer.Command { _, answer in answer(ControlReply(ok: true, text: "")) }
        }
        #expect(throws: Never.self) { try RemoteTap(.status, path: path) { _ in }.close() }
        control.stop()
        #expect(throws: Never.self) { try RemoteTap(.status, path: path) { _ in }.close() }
    }

    @Test("a tap's drop count can be read a million times without a deeper stack")
    func droppedCount() {
        let dropped = DroppedCount()
        #expect(dropped.value == 0)
        dropped.setSource { 3 }
        for _ in 0..<1_000_000 where dropped.value != 3 { Issue.record("another count") }
    }

    @Test("a client that reads events too slowly receives the number of lost events")
    func lostEvents() async throws { try await SingleThreadExecutor.run(Self.lostEvents) }

    private static func lostEvents() async throws {
        let place = try MediaServerFixture()
        defer { place.remove() }
        let gate = Cancellation()
        let read = Atomic(0)
        let told = Atomic(0)
        let tap = try RemoteTap(.events, path: place.path) { piece in
            guard case .event(_, let lost) = piece else { return }
            read.add(1, ordering: .relaxed)
            told.store(lost, ordering: .relaxed)
            while !gate.isCancelled { usleep(1000) }
        }
        #expect(try await wait { place.server.subscriptionCount == 1 })
        // This is more data than the queue and the kernel can buffer.
        let count = 20_000
        for _ in 0..<count { place.server.publish(SessionEvent(.standby(SessionEvent.Standby()), at: .zero)) }
        gate.cancel()
        var last = 0
        let isTold = try await wait {
            // The next event contains the number of events lost before it.
            place.server.publish(SessionEvent(.standby(SessionEvent.Standby()), at: .zero))
            last += 1
            usleep(10_000)
            return read.load(ordering: .relaxed) + told.load(ordering: .relaxed) == count + last
        }
        #expect(isTold && told.load(ordering: .relaxed) > 0)
        tap.close()
        await place.session.close()
    }

    @Test(
        "a client that connects during a recording can get its past events, each once, and then new ones"
    )
    func eventsSoFar() async throws { try await SingleThreadExecutor.run(Self.eventsSoFar) }

    private static func eventsSoFar() async throws {
        let place = try MediaServerFixture()
        defer { place.remove() }
        func publish(_ content: SessionEvent.Content, _ number: Int64) {
            place.server.publish(SessionEvent(content, at: MediaTime(nanoseconds: number)))
        }
        func numbers(_ got: ReceivedData) -> [Int] {
            got.lines.withLock { $0 }.map { line in
                let digits = line.split(separator: "\"at_ns\":").last?.prefix { $0.isNumber }
                return Int(digits ?? "") ?? -1
            }
        }
        publish(.mark(SessionEvent.Mark(text: "m")), 1)
        // Another recording doesn't include earlier events.
        publish(.started(SessionEvent.Started(t0_monotonic_ns: 0)), 2)
        for number in 3...9 { publish(.mark(SessionEvent.Mark(text: "m")), Int64(number)) }
        let (all, news) = (ReceivedData(), ReceivedData())
        let taps = [
            try RemoteTap(.eventsSoFar, path: place.path) { all.receive($0) },
            try RemoteTap(.events, path: place.path) { news.receive($0) },
        ]
        #expect(try await wait { place.server.subscriptionCount == 2 && numbers(all).count == 8 })
        // These events are sent during and after the subscription, from a different thread than the one that handles
        // the request.
        for number in 10...600 { publish(.mark(SessionEvent.Mark(text: "m")), Int64(number)) }
        #expect(try await wait { numbers(all).last == 600 && numbers(news).last == 600 })
        #expect(numbers(all) == Array(2...600))
        #expect(numbers(news) == Array(10...600))
        // Only the most recent events are kept.
        let late = ReceivedData()
        let tap = try RemoteTap(.eventsSoFar, path: place.path) { late.receive($0) }
        #expect(try await wait { numbers(late).count == 500 })
        #expect(numbers(late) == Array(101...600))
        publish(.finished(SessionEvent.Finished(outcome: .finished, verdict: "v")), 601)
        let after = ReceivedData()
        let last = try RemoteTap(.eventsSoFar, path: place.path) { after.receive($0) }
        #expect(try await wait { place.server.subscriptionCount == 4 })
        publish(.standby(SessionEvent.Standby()), 602)
        #expect(try await wait { !numbers(after).isEmpty })
        #expect(numbers(after) == [602])
        for tap in taps + [tap, last] { tap.close() }
        await place.session.close()
    }

    @Test("detections with missing fields are refused, and the connection continues")
    func incompleteDetections() async throws { try await SingleThreadExecutor.run(Self.incompleteDetections) }

    private static func incompleteDetections() async throws {
        let place = try MediaServerFixture()
        defer { place.remove() }
        try await place.session.standBy()
        let received = ConditionLock<[FrameAnalysis]>([])
        let tap = try RemoteTap(.metadata(role: "desk"), path: place.path) { piece in
            if case .metadata(let analysis, _, _, _) = piece { received.withLock { $0.append(analysis) } }
        }
        defer { tap.close() }
        let client = try RawClient(place.path)
        defer { client.close() }
        func send(_ faces: String) {
            let at = MonotonicClock().now.nanoseconds
            let header =
                #"{"type":"metadata","id":1,"role":"desk","at_ns":\#(at),"sequence":7,"faces":[\#(faces)]}"#
            client.send(RawClient.message(Array(header.utf8), []))
        }
        let box = #""box":{"x":0.1,"y":0.1,"width":0.1,"height":0.2}"#
        send(#"{"id":1,\#(box)}"#)
        #expect(try await wait { client.hasUnreadText("A face needs") })
        let isReceived = try await wait {
            send(#"{"id":1,"confidence":0.5,\#(box)}"#)
            return received.withLock { !$0.isEmpty }
        }
        #expect(isReceived)
        #expect(received.withLock { $0.first?.faces.first?.activity } == 0)
        await place.session.close()
    }

    @Test("a client that subscribes and unsubscribes without reading is refused until it reads again")
    func restless() async throws { try await SingleThreadExecutor.run(Self.restless) }

    private static func restless() async throws {
        let place = try MediaServerFixture()
        defer { place.remove() }
        try await place.session.standBy()
        let client = try RawClient(place.path)
        defer { client.close() }
        func send(_ header: String) { client.send(RawClient.message(Array(header.utf8), [])) }
        // A raw frame is sent only after all earlier data was read, so each subscription leaves a waiting
        // thread.
        let want = #"{"type":"want","id":1,"of":"frames","role":"program","format":"bgra"}"#
        let isRefused = try await wait {
            send(want)
            usleep(40_000)
            send(#"{"type":"unwant","id":1}"#)
            return client.hasUnreadText("with unread data")
        }
        #expect(isRefused)
        let isHeard = try await wait {
            client.discardAll()
            send(#"{"type":"want","id":2,"of":"frames","role":"desk"}"#)
            usleep(100_000)
            return client.hasUnreadText(#""type":"frame","id":2"#)
        }
        #expect(isHeard)
        await place.session.close()
    }

    @Test("the Python camera in the documentation is recorded")
    func python() async throws { try await SingleThreadExecutor.run(Self.python) }

    private static func python() async throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "../../../docs/reference/media-socket.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let code = try #require(
            text.components(separatedBy: "```python\n").dropFirst().first?.components(separatedBy: "```")
                .first)
        #expect(code.split(separator: "\n").count <= 60)
        let folder = FileManager.default.temporaryDirectory.appending(path: "slides-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        try code.write(to: folder.appending(path: "slides.py"), atomically: true, encoding: .utf8)
        try Reader.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=5:duration=2", "-pix_fmt",
                "yuvj420p",
                folder.path + "/slide%d.jpg",
            ])
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let place = try MediaServerFixture(
            """
            cameras: { desk: { device: "remote:slides", size: 320x180, rate: 30 } }
            microphones: { far: { device: "virtual:silence?latency=1500" } }
            tracks: { cameras: copy }
            budget: { governor: false }
            """
        ) { path in
            process.arguments =
                ["python3", folder.path + "/slides.py", path]
                + (1...10).map { "\(folder.path)/slide\($0).jpg" }
            try process.run()
        }
        defer { place.remove() }
        let result = try await place.session.recordChecked()
        // Other tests in this process block SIGTERM, and child processes inherit that.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        let desk = try #require(result.manifest.tracks.first { $0.name == "desk" })
        let frames = try #require(desk.frames)
        #expect(frames.written == 60 && frames.captured >= 20)
        #expect(try Reader.streams("\(result.folder)/\(desk.file)").first?.frameCount == 60)
    }

    @Test("numbers and times at the limits of 64 bits are refused or corrected without a crash")
    func extremes() async throws { try await SingleThreadExecutor.run(Self.extremes) }

    private static func extremes() async throws {
        let clients = ConditionLock<[RawClient]>([])
        let place = try MediaServerFixture(
            """
            cameras: { x: { device: "remote:x", size: 64x48, rate: 30, format: nv12 } }
            microphones: { y: { device: "remote:y" } }
            tracks: { cameras: encode, microphones: wav }
            budget: { governor: false }
            """
        ) { path in
            let client = try RawClient(path)
            clients.withLock { $0 = [client] }
            for header in [
                #"{"type":"camera","id":1,"name":"x","pixel":"nv12","width":64,"height":48,"rate":"30"}"#,
                #"{"type":"microphone","id":2,"name":"y","sample_rate":48000,"channels":1}"#,
            ] { client.send(RawClient.message(Array(header.utf8), [])) }
        }
        defer { place.remove() }
        let client = try #require(clients.withLock { $0.first })
        defer { client.close() }
        let cancellation = Cancellation()
        let ends: [Int64] = [.min, .min + 1, -1, 0, 1, 1 << 32, 1 << 53, .max - 1, .max]
        let feeder = MediaThread.startWhenPossible(name: "extremes") {
            let clock = MonotonicClock()
            var number = 0
            while clock.sleep(until: clock.now + .milliseconds(20), unless: cancellation) {
                // Every other connection is valid, so that the session has working devices at first.
                let (count, at) =
                    number.isMultiple(of: 2)
                    ? (Int64(number), clock.now.nanoseconds)
                    : (ends[number / 2 % ends.count], max(ends[number / 18 % ends.count], 1))
                let frame = #"{"type":"frame","id":1,"at_ns":\#(at),"error_ns":\#(at),"sequence":\#(count)}"#
                client.send(
                    RawClient.message(Array(frame.utf8), [UInt8](repeating: 90, count: 64 * 48 * 3 / 2)))
                let audio =
                    #"{"type":"audio","id":2,"at_ns":\#(at),"first_sample":\#(number.isMultiple(of: 2) ? count * 480 : count)}"#
                client.send(RawClient.message(Array(audio.utf8), [UInt8](repeating: 0, count: 960 * 4)))
                number += 1
            }
        }
        defer {
            cancellation.cancel()
            feeder.join()
        }
        let result = try await place.session.recordChecked()
        #expect(result.manifest.tracks.first { $0.name == "x" }?.frames?.accounts(for: 60) == true)
        #expect(result.manifest.tracks.first { $0.name == "y" }?.samples?.written == 96_000)
    }

    @Test(
        "invalid data costs its sender the device or the connection, is reported once, and the session continues",
        arguments: 0..<4)
    func rubbish(seed: Int) async throws {
        try await SingleThreadExecutor.run { try await Self.rubbish(seed) }
    }

    private static func rubbish(_ seed: Int) async throws {
        let place = try MediaServerFixture()
        defer { place.remove() }
        try await place.session.standBy()
        var random = SeededGenerator(seed: UInt64(seed))
        let headers = [
            #"{"type":"want","id":1,"of":"frames","role":"desk"}"#,
            #"{"type":"want","id":2,"of":"audio","role":"program"}"#,
            #"{"type":"camera","id":3,"name":"x","pixel":"mjpeg","width":64,"height":48,"rate":"30"}"#,
            #"{"type":"microphone","id":4,"name":"y","sample_rate":48000,"channels":2}"#,
            #"{"type":"frame","id":3,"at_ns":1,"sequence":1}"#,
            #"{"type":"audio","id":4,"at_ns":1,"first_sample":0}"#,
            #"{"type":"unwant","id":1}"#, #"{"type":"gone","id":3}"#,
        ]
        for _ in 0..<200 {
            let socket = try RawClient(place.path)
            for _ in 0..<5 {
                var header = Array(headers[Int(random.fraction() * Double(headers.count))].utf8)
                var bytes = (0..<Int(random.fraction() * 200)).map { _ in
                    UInt8(truncatingIfNeeded: random.next())
                }
                // Some messages are valid, some have a changed byte, some are truncated, and some have a wrong length.
                let fault = random.fraction()
                if fault < 0.4 {
                    header[Int(random.fraction() * Double(header.count))] = UInt8(
                        truncatingIfNeeded: random.next())
                }
                if fault > 0.9 { bytes = [] }
                var message = RawClient.message(header, bytes)
                if fault > 0.4, fault < 0.6 {
                    message[Int(random.fraction() * 12)] = UInt8(truncatingIfNeeded: random.next())
                }
                socket.send(message)
            }
            socket.close()
        }
        #expect(try await wait { place.server.connectionCount == 0 })
        // The session is still running.
        let got = ReceivedData()
        let tap = try RemoteTap(.frames(role: "desk", FrameRequest()), path: place.path) { got.receive($0) }
        #expect(try await wait { got.frames.withLock { $0.count > 2 } })
        tap.close()
        let result = try await place.session.recordChecked()
        #expect(result.manifest.tracks.first { $0.name == "desk" }?.frames?.accounts(for: 60) == true)
        await place.session.close()
    }
}
