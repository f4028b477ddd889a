import Foundation
import MulticamInputs
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import MulticamSeededNoise
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import MulticamWriters
import Synchronization
import Testing

@Suite("taps attached while a session runs")
struct AttachedTapTests {
    private static let profile = """
        cameras:
          desk: { device: "virtual:clap", size: 320x180, rate: 30 }
          face: { device: "virtual:bars?format=nv12", size: 160x120, rate: 30, format: nv12 }
        microphones: { host: { device: "virtual:tone" } }
        program: { size: 320x180, rate: 30, layout: pip, main: desk, inset: face, audio: { mix: [host] } }
        tracks: { cameras: encode, microphones: wav }
        budget: { governor: false }
        """

    /// Returns the content of a recording's files: the bytes of files with one stream, and the packets of the
    /// program.
    private static func content(of recording: Recording) throws -> [String: [String]] {
        var content = ["program": try Reader.packetHashes(recording.path("program.mp4")).sorted()]
        for track in recording.manifest.tracks where track.kind != "program" {
            content[track.name] = [try recording.bytes(track.file).base64EncodedString()]
        }
        return content
    }

    @Test(
        "a thousand taps, attached, changed, and detached at random, change no byte of the recording",
        .timeLimit(.minutes(240)))
    func thousand() async throws {
        let without = try await Recording(Self.profile, seconds: 4)
        let delivered = Atomic(0)
        let turns = Atomic(0)
        let recording = try await Recording(
            Self.profile, seconds: 4,
            steer: { session in
                // A permanent tap attaches and detaches the other taps from its thread.
                let random = ConditionLock(
                    (generator: SeededGenerator(seed: 22), attached: [(FrameTap?, AudioTap?)]()))
                @Sendable func change() {
                    random.withLock { state in
                        let choice = state.generator.fraction()
                        if choice < 0.4 || state.attached.isEmpty {
                            let role = ["desk", "face", "program"][Int(state.generator.fraction() * 3)]
                            let tap = FrameTap(role: role, FrameRequest(.converted(.bgra))) { _ in
                                delivered.add(1, ordering: .relaxed)
                            }
                            #expect(throws: Never.self) { try session.attach(tap) }
                            state.attached.append((tap, nil))
                        } else if choice < 0.5 {
                            let role = choice < 0.45 ? "host" : "program"
                            let tap = AudioTap(role: role) { _ in delivered.add(1, ordering: .relaxed) }
                            #expect(throws: Never.self) { try session.attach(tap) }
                            state.attached.append((nil, tap))
                        } else {
                            let index = Int(state.generator.fraction() * Double(state.attached.count))
                            let (frames, audio) = state.attached[index]
                            if choice < 0.6 {
                                frames?.request.size = FrameSize(width: 64, height: 36)
                            } else {
                                if let frames { session.detach(frames) }
                                if let audio { session.detach(audio) }
                                state.attached.remove(at: index)
                            }
                        }
                        turns.add(1, ordering: .relaxed)
                    }
                }
                let driver = AudioTap(role: "host", capacity: 10_000) { _ in for _ in 0..<10 { change() } }
                #expect(throws: Never.self) { try session.attach(driver) }
            })
        #expect(turns.load(ordering: .relaxed) >= 1000)
        #expect(delivered.load(ordering: .relaxed) > 0)
        #expect(try Self.content(of: recording) == Self.content(of: without))
        #expect(recording.manifest.gaps == without.manifest.gaps)
    }

    @Test("a request for a part, a size, and a rate is met, and a new one applies from its first frame on")
    func requests() async throws {
        let sizes = ConditionLock<[FrameSize: Int]>([:])
        let own = ConditionLock<FrameTap?>(nil)
        let whole = FrameSize(width: 320, height: 180)
        let small = FrameSize(width: 64, height: 36)
        let part = try #require(FramePart(x: 0.5, y: 0, width: 0.5, height: 1))
        let tap = FrameTap(role: "desk", FrameRequest(.converted(.i420)), capacity: 1000) { frame in
            let count = sizes.withLock { sizes in
                sizes[frame.size, default: 0] += 1
                return sizes[frame.size] ?? 0
            }
            if frame.size == whole, count == 10 {
                own.withLock {
                    $0?.request = FrameRequest(
                        .converted(.nv12), part: part, size: small, rate: FrameRate(10))
                }
            }
        }
        own.withLock { $0 = tap }
        _ = try await Recording(Self.profile, seconds: 3, frameTaps: [tap])
        // The handler retains the tap.
        own.withLock { $0 = nil }
        let counted = sizes.withLock { $0 }
        #expect(Set(counted.keys) == [whole, small])
        // Simulated time runs ahead of the handler, so the rate applies to later frames.
        #expect(try #require(counted[small]) > 5)
        #expect(tap.droppedCount == 0)
    }

    @Test("a tap at a tenth of a camera's rate gets a tenth of its frames, and the others aren't lost")
    func rate() async throws {
        let all = FrameTap(role: "desk", FrameRequest(), capacity: 1000) { _ in }
        let tap = FrameTap(role: "desk", FrameRequest(rate: FrameRate(3)), capacity: 1000) { _ in }
        _ = try await Recording(Self.profile, seconds: 5, frameTaps: [all, tap])
        #expect(abs(all.deliveredCount - tap.deliveredCount * 10) <= 20)
        #expect(all.deliveredCount >= 150 && tap.droppedCount == 0)
    }

    @Test("the program's frames match its file, and each new one is delivered once")
    func program() async throws {
        let means = ConditionLock<[Int64: Double]>([:])
        let tap = FrameTap(role: "program", FrameRequest(.converted(.i420)), capacity: 1000) { frame in
            let luma = UnsafeBufferPointer(
                start: frame.startOfPlane(0), count: frame.size.width * frame.size.height)
            let mean = Double(luma.reduce(0) { $0 + Int($1) }) / Double(luma.count)
            means.withLock { $0[frame.sequence] = mean }
        }
        let recording = try await Recording(Self.profile, seconds: 2, frameTaps: [tap])
        let shown = try Reader.brightness(
            recording.path("program.mp4"), size: FrameSize(width: 320, height: 180),
            part: PixelRectangle(x: 0, y: 0, width: 320, height: 180))
        let seen = means.withLock { $0 }
        #expect(seen.count == (try recording.track("program").frames?.captured))
        // The tap's luma has limited range; ffmpeg's gray has full range.
        let isSame = seen.allSatisfy { tick, mean in abs((mean - 16) * 255 / 219 - shown[Int(tick)]) < 1.5 }
        #expect(isSame)
    }

    @Test("the program's packets match its file and come with the setup bytes to decode them")
    func packets() async throws {
        let got = ConditionLock<[PacketTap.Packet]>([])
        let tap = PacketTap(capacity: 10_000) { packet in got.withLock { $0.append(packet) } }
        let recording = try await Recording(
            Self.profile, seconds: 3,
            steer: { session in #expect(throws: Never.self) { try session.attach(tap) } })
        let packets = got.withLock { $0 }
        let video = packets.filter(\.isVideo)
        #expect(video.first?.isKey == true && tap.droppedCount == 0)
        #expect(video.count == 90)
        #expect(Set(video.map(\.presentedAt.nanoseconds)).count == 90)
        let sizes = try Reader.run(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "a", "-show_entries", "packet=size", "-of", "csv=p=0",
                recording.path("program.mp4"),
            ])
        let inFile = String(decoding: sizes, as: UTF8.self).split(whereSeparator: { "\n,".contains($0) })
            .compactMap { Int($0) }
        #expect(packets.filter { !$0.isVideo }.map(\.bytes.count) == inFile)
        // The packets by themselves are a playable stream.
        #expect(try Self.decodedFrames(video, into: recording.folder + "/alone.h264") == 90)
    }

    /// Writes video packets to a separate file and returns the number of frames that ffmpeg decodes from it.
    private static func decodedFrames(_ video: [PacketTap.Packet], into path: String) throws -> Int? {
        var bytes = Data()
        let parameters = try #require(video.first?.parameters)
        let start: [UInt8] = [0, 0, 0, 1]
        #expect(parameters.setup.starts(with: start))
        bytes.append(contentsOf: parameters.setup)
        for packet in video { bytes.append(contentsOf: packet.bytes.bytes) }
        try bytes.write(to: URL(fileURLWithPath: path))
        let counted = try Reader.run(
            "ffprobe",
            [
                "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0",
                path,
            ])
        return Int(String(decoding: counted, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test("a tap gets packets on standby if requested, then the recording's packets, then standby again")
    func standbyPackets() async throws { try await SingleThreadExecutor.run(Self.standbyPackets) }

    private static func standbyPackets() async throws {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "taps-\(UUID().uuidString)")
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: scratch) } }
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        let session = MulticamSession(
            try SessionSetup(
                SessionConfiguration(profile: try Profile(yaml: Array(profile.utf8), file: "test.yaml"))),
            RecordingOptions(
                parentFolder: scratch.path, name: "session", duration: .seconds(1), version: "0.0.0"))
        try await session.standBy()
        let got = ConditionLock<[PacketTap.Packet]>([])
        let tap = PacketTap(capacity: 10_000, includesStandby: true) { packet in
            got.withLock { $0.append(packet) }
        }
        let modest = ConditionLock<[PacketTap.Packet]>([])
        let other = PacketTap(capacity: 10_000) { packet in modest.withLock { $0.append(packet) } }
        try session.attach(other)
        try session.attach(tap)
        func starts() -> [ClockTime] {
            got.withLock { $0.map(\.start) }.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
        }
        func waitForPackets(ofStream count: Int) async throws {
            let deadline = Date(timeIntervalSinceNow: 60)
            while Date() < deadline {
                let known = starts()
                let there = got.withLock { packets in
                    packets.filter { known.count >= count && $0.start == known[count - 1] }
                }
                if there.count(where: \.isVideo) >= 20, there.contains(where: { !$0.isVideo }) { return }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        try await waitForPackets(ofStream: 1)
        #expect(modest.withLock { $0.isEmpty })
        let result = try await session.recordChecked()
        try await waitForPackets(ofStream: 3)
        session.detach(tap)
        session.detach(other)
        await session.close()
        let all = got.withLock { $0 }
        let streams = starts()
        // The streams are those on standby, during the recording, and on standby again.
        try #require(streams.count == 3)
        #expect(streams[1].nanoseconds == result.manifest.t0_monotonic_ns)
        for start in streams {
            let packets = all.filter { $0.start == start }
            let video = packets.filter(\.isVideo)
            #expect(video.first?.isKey == true)
            #expect(Set(video.map(\.presentedAt.nanoseconds)).count == video.count)
            #expect(packets.contains { !$0.isVideo })
            let decoded = try decodedFrames(video, into: scratch.appending(path: "standby.h264").path)
            #expect(decoded == video.count)
        }
        #expect(Set(modest.withLock { $0 }.map(\.start)) == [streams[1]])
    }

    @Test("an H.264 stream is decoded for a tap that requests pixels, although the recording copies it")
    func stream() async throws {
        let right = Atomic(0)
        let tap = FrameTap(
            role: "desk", FrameRequest(.converted(.nv12), size: FrameSize(width: 160, height: 90)),
            capacity: 1000
        ) { frame in
            if frame.pixel == .nv12, frame.size == FrameSize(width: 160, height: 90) {
                right.add(1, ordering: .relaxed)
            }
        }
        let profile = """
            cameras: { desk: { device: "virtual:clap?format=h264", size: 320x180, rate: 30, format: h264 } }
            tracks: { cameras: copy }
            budget: { governor: false }
            """
        let without = try await Recording(profile, seconds: 2)
        let recording = try await Recording(profile, seconds: 2, frameTaps: [tap])
        #expect(right.load(ordering: .relaxed) >= 55)
        #expect(try recording.track("desk").frames == without.track("desk").frames)
        #expect(try recording.bytes("cameras/desk.mov") == without.bytes("cameras/desk.mov"))
    }

    @Test("metadata is delivered from the moment a tap requests it, although none is recorded")
    func metadata() async throws {
        let first = ConditionLock<Int64?>(nil)
        let isAttached = Atomic(false)
        let count = Atomic(0)
        let own = ConditionLock<MulticamSession?>(nil)
        let tap = MetadataTap(role: "desk", capacity: 1000) { metadata in
            first.withLock { $0 = $0 ?? metadata.capturedAt.nanoseconds }
            count.add(1, ordering: .relaxed)
        }
        let recording = try await Recording(
            Self.profile, seconds: 3,
            changing: { setup in
                guard let camera = setup.cameras["desk"] else { return }
                // The camera's thread attaches the tap, so that it is attached after one second, no matter
                // how busy the machine is.
                setup.cameras["desk"] = DisturbedCamera(camera) { frame, seconds in
                    if seconds ?? 0 >= 1, !isAttached.exchange(true, ordering: .relaxed) {
                        #expect(throws: Never.self) { try own.withLock { $0 }?.attach(tap) }
                    }
                    return (frame.sequence, frame.capturedAt)
                }
            }, steer: { session in own.withLock { $0 = session } })
        #expect((59...60).contains(count.load(ordering: .relaxed)))
        #expect(try #require(first.withLock { $0 }) >= 990_000_000)
        #expect(recording.manifest.tracks.allSatisfy { $0.kind != "metadata" })
    }

    @Test("an unknown role cannot be tapped, and the error lists the available ones")
    func unknown() async throws {
        _ = try await Recording(
            Self.profile, seconds: 1,
            steer: { session in
                let error = #expect(throws: SessionChangeError.self) {
                    try session.attach(FrameTap(role: "guest", FrameRequest()) { _ in })
                }
                #expect(error?.description.contains("desk, face") == true)
                #expect(throws: SessionChangeError.self) {
                    try session.attach(AudioTap(role: "desk") { _ in })
                }
            })
    }

    @Test("a tap can't be attached after the end")
    func late() async throws {
        let kept = ConditionLock<MulticamSession?>(nil)
        _ = try await Recording(
            Self.profile, seconds: 1, steer: { session in kept.withLock { $0 = session } })
        let session = try #require(kept.withLock { $0 })
        let tap = FrameTap(role: "desk", FrameRequest()) { _ in }
        #expect(throws: SessionChangeError.self) { try session.attach(tap) }
        session.detach(tap)
        #expect(tap.deliveredCount == 0)
    }

    @Test(
        "on standby, program, mix, and microphones can be tapped before, between, and after recordings"
    )
    func standby() async throws { try await SingleThreadExecutor.run(Self.standby) }

    private static func standby() async throws {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "taps-\(UUID().uuidString)")
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: scratch) } }
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        let file = scratch.appending(path: "test.yaml")
        try profile.write(to: file, atomically: true, encoding: .utf8)
        let session = MulticamSession(
            try SessionSetup(SessionConfiguration(profile: file.path)),
            RecordingOptions(
                parentFolder: scratch.path, name: "session", duration: .seconds(1), version: "0.0.0"))
        try await session.standBy()
        for _ in 0..<2 {
            let program = FrameTap(role: "program", FrameRequest(.converted(.bgra))) { _ in }
            let loudest = ConditionLock<Float>(0)
            let mix = AudioTap(role: "program") { slice in
                loudest.withLock { $0 = max($0, slice.samples.max() ?? 0) }
            }
            let slices = Atomic(0)
            let isInOrder = Atomic(true)
            let next = ConditionLock<Int64?>(nil)
            let host = AudioTap(role: "host") { slice in
                next.withLock { next in
                    if let wanted = next, wanted != slice.firstSample {
                        isInOrder.store(false, ordering: .relaxed)
                    }
                    next = slice.firstSample + Int64(slice.samples.count / slice.channels)
                }
                slices.add(1, ordering: .relaxed)
            }
            try session.attach(program)
            try session.attach(mix)
            try session.attach(host)
            let deadline = Date(timeIntervalSinceNow: 60)
            while Date() < deadline,
                program.deliveredCount < 5 || loudest.withLock({ $0 }) < 0.05
                    || slices.load(ordering: .relaxed) < 10
            {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(program.deliveredCount >= 5)
            #expect(loudest.withLock { $0 } > 0.05)
            #expect(slices.load(ordering: .relaxed) >= 10)
            // A handler delayed by a busy machine has gaps, which are counted.
            #expect(isInOrder.load(ordering: .relaxed) || host.droppedCount > 0)
            for tap in [mix, host] { session.detach(tap) }
            session.detach(program)
            let result = try await session.recordChecked()
            #expect(result.manifest.tracks.first { $0.name == "desk" }?.frames?.accounts(for: 30) == true)
        }
        await session.close()
    }
}
