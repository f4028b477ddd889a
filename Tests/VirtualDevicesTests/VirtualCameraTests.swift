import Foundation
import MulticamEncoding
import MulticamMedia
import Testing

@testable import MulticamVirtualDevices

@Suite("Virtual cameras")
struct VirtualCameraTests {
    private typealias Run = DeviceRun<CameraEvent>
    private static let small = FrameSize(width: 320, height: 180)

    // MARK: Frames

    @Test(
        "the code strip contains the number and time of every frame in every format and rotation",
        arguments: [
            ("mjpeg", 0), ("mjpeg", 90), ("mjpeg", 180), ("mjpeg", 270), ("yuyv", 0), ("yuyv", 90),
            ("nv12", 0),
            ("nv12", 180), ("h264", 0), ("h264", 270),
        ])
    func strip(format: String, mount: Int) throws {
        // The strip is at the side that is the top of the upright frame.
        let size = mount % 180 == 0 ? "320x180" : "180x320"
        let stored = try #require(FrameSize(size))
        let run = try Run("virtual:clap?size=\(size)&format=\(format)&mount=\(mount)&phase=5", seconds: 1.2)
        let rotation = try #require(Rotation(rawValue: mount))
        let frames = run.frames
        #expect(frames.count == 35)
        let strips: [CodeStrip?]
        if frames[0].pixel.isCompressed {
            let count = stored.pixelCount
            let luma = try Scratch().decode(
                frames.map(\.data), as: format, size: format == "mjpeg" ? count * 2 : count * 3 / 2,
                keeping: count)
            strips = luma.map { CodeStrip($0, stored, rotation) }
        } else {
            strips = frames.map { $0.codeStrip(rotation) }
        }
        #expect(strips == frames.map { CodeStrip(frame: $0.sequence, time: $0.capturedAt) })
        #expect(frames.map(\.sequence) == (0..<35).map { frames[0].sequence + $0 })
    }

    @Test(
        "a JPEG joined from bands decodes to the same pixels as one encoded as a whole",
        arguments: ["320x180", "64x48", "322x100", "640x368"], [0, 90, 180, 270])
    func spliced(size: String, mount: Int) throws {
        let size = try #require(FrameSize(size))
        let turn = Turn(stored: size, rotation: try #require(Rotation(rawValue: mount)))
        let scene = TestScene(turn: turn, color: .jpeg, choices: SeededChoices(seed: 1, role: "desk"))
        let banded = try BandedJPEGPainter(scene: scene)
        let whole = RawScenePainter(scene: scene, pixel: .i422)
        let encoder = JPEGEncoder()
        var spliced: [Data] = []
        var references: [Data] = []
        for number in [7, 8, 30, 59] as [Int64] {
            let frame = ExposedFrame(
                number: number, time: ClockTime(nanoseconds: number * 33_333_333), holdsClap: number == 30)
            spliced.append(try banded.paint(frame).memory.data)
            let raw = whole.paint(frame)
            let canvas = Canvas(.i422, size)
            canvas.memory.start.copyMemory(from: raw.memory.start, byteCount: raw.memory.count)
            references.append(try canvas.encode(by: encoder, rows: 0..<size.height).data)
        }
        let scratch = try Scratch()
        let byteCount = size.pixelCount * 2
        let found = try scratch.decode(spliced, as: "mjpeg", size: byteCount, keeping: byteCount)
        let expected = try scratch.decode(references, as: "mjpeg", size: byteCount, keeping: byteCount)
        #expect(found.count == 4)
        #expect(found == expected)
        // The frames also differ from each other, because the image moves.
        #expect(Set(found).count == 4)
    }

    @Test("the strip of a large frame is readable after scaling to 320×180 and encoding")
    func scaled() throws {
        let run = try Run("virtual:clap?size=1920x1080&fps=10", seconds: 1.2)
        let scratch = try Scratch()
        try run.frames.map(\.data).reduce(Data(), +).write(to: scratch.folder.appending(path: "large"))
        try scratch.ffmpeg(
            "-f", "mjpeg", "-i", scratch.path("large"), "-vf", "scale=320:180", "-c:v", "libx264", "-preset",
            "superfast", "-pix_fmt", "yuv420p", "-f", "h264", scratch.path("small"))
        let small = [try Data(contentsOf: scratch.folder.appending(path: "small"))]
        let luma = try scratch.decode(small, as: "h264", size: 320 * 180 * 3 / 2, keeping: 320 * 180)
        #expect(luma.count >= 10)
        #expect(
            luma.map { CodeStrip($0, Self.small) }
                == run.frames.map { CodeStrip(frame: $0.sequence, time: $0.capturedAt) })
    }

    @Test("only the frame exposed during a clap is white, except for the strip")
    func white() throws {
        let run = try Run("virtual:clap?size=320x180&format=nv12&phase=11", seconds: 3)
        let white = run.frames.filter { frame in
            (20..<180).allSatisfy { row in
                (0..<320).allSatisfy { frame.startOfPlane(0)[row * 320 + $0] == 235 }
            }
        }
        // The simulated time runs from 1000.1 s to 1003.1 s.
        #expect(white.count == 3)
        for (frame, second) in zip(white, [1001, 1002, 1003] as [Int64]) {
            let clap = ClockTime(nanoseconds: second * 1_000_000_000)
            #expect(frame.capturedAt <= clap)
            #expect(clap - frame.capturedAt < Nanoseconds(33_333_334))
        }
        let means = run.frames.map { frame in
            (0..<320 * 180).reduce(0) { $0 + Int(frame.startOfPlane(0)[$1]) } / (320 * 180)
        }
        #expect(means.filter { $0 > 160 }.count == 3)
    }

    @Test("the seven bars have the 75 % colors of BT.601")
    func bars() throws {
        let jpeg = try Run("virtual:bars?size=336x180", seconds: 0.1).frames
        let decoded = try Scratch().decode(
            [jpeg[0].data], as: "mjpeg", size: 336 * 180 * 2, keeping: 336 * 180 * 2)
        let found = (0..<7).map { bar in
            let place = 90 * 336 + bar * 48 + 24
            let chroma = 336 * 180 + 90 * 168 + bar * 24 + 12
            return [Int(decoded[0][place]), Int(decoded[0][chroma]), Int(decoded[0][chroma + 168 * 180])]
        }
        // The bars are white, yellow, cyan, green, magenta, red, and blue at 0.75 according to ITU-T T.871.
        let expected = [
            [191, 128, 128], [169, 32, 144], [134, 160, 32], [112, 65, 48], [79, 191, 208], [57, 96, 224],
            [22, 224, 112],
        ]
        for (found, expected) in zip(found, expected) {
            #expect(zip(found, expected).allSatisfy { abs($0 - $1) <= 2 }, "\(found) \(expected)")
        }
        let raw = try Run("virtual:bars?size=336x180&format=yuyv", seconds: 0.1).frames[0]
        #expect(raw.color == .bt601Limited)
        // In limited range, yellow is 162, 44, 142.
        let yellow = (0..<4).map { Int(raw.startOfPlane(0)[90 * 336 * 2 + 72 * 2 + $0]) }
        #expect(yellow == [162, 44, 162, 142])
    }

    @Test("a still image is shown, and rotated with the camera")
    func still() throws {
        let scratch = try Scratch()
        // The left half is red, and the right half is blue.
        try scratch.ffmpeg(
            "-f", "lavfi", "-i", "color=red:s=160x180[a];color=blue:s=160x180[b];[a][b]hstack", "-frames:v",
            "1",
            scratch.path("image.png"))
        let selector = "virtual:still:\(scratch.path("image.png"))?format=nv12"
        let upright = try Run("\(selector)&size=320x180", seconds: 0.1).frames[0]
        // In limited-range BT.601, red is 81 and blue is 41.
        #expect(abs(Int(upright.startOfPlane(0)[90 * 320 + 40]) - 81) <= 2)
        #expect(abs(Int(upright.startOfPlane(0)[90 * 320 + 280]) - 41) <= 2)
        let turned = try Run("\(selector)&size=180x320&mount=90", seconds: 0.1).frames[0]
        // A counterclockwise rotation moves the left side to the bottom.
        #expect(abs(Int(turned.startOfPlane(0)[280 * 180 + 90]) - 81) <= 2)
        #expect(abs(Int(turned.startOfPlane(0)[40 * 180 + 90]) - 41) <= 2)
        let jpeg = try Run("virtual:still:\(scratch.path("image.png"))?size=320x180", seconds: 0.1).frames[
            0]
        let luma = try scratch.decode([jpeg.data], as: "mjpeg", size: 320 * 180 * 2, keeping: 320 * 180)[0]
        // In full range, red is 76 and blue is 29.
        #expect(abs(Int(luma[90 * 320 + 40]) - 76) <= 2)
        #expect(abs(Int(luma[90 * 320 + 280]) - 29) <= 2)
    }

    @Test(
        "noise differs in each frame, and is valid in every format", arguments: ["mjpeg", "yuyv", "nv12"])
    func noise(format: String) throws {
        let frames = try Run("virtual:noise?size=64x48&format=\(format)", seconds: 0.2).frames
        #expect(frames.count >= 4)
        #expect(Set(frames.prefix(4).map(\.data)).count == 4)
        guard format == "mjpeg" else { return }
        let decoded = try Scratch().decode(
            frames.map(\.data), as: "mjpeg", size: 64 * 48 * 2, keeping: 64 * 48)
        #expect(decoded.count == frames.count)
    }

    @Test("an H.264 camera begins with a key frame, also after it was disconnected")
    func keys() throws {
        let run = try Run("virtual:clap?size=64x48&format=h264&unplug=0.5&replug=0.7", seconds: 1.2)
        let keys = run.frames.filter(\.isKey).map { ($0.capturedAt - Run.start).inSeconds }
        try #require(keys.count >= 2)
        #expect(keys[0] < 0.04)
        #expect(keys[1] >= 0.7 && keys[1] < 0.74)
    }

    // MARK: Time

    @Test("frames are dated at the start of the exposure, and delivered at its end plus the latency")
    func dates() throws {
        let run = try Run("virtual:clap?size=64x48&fps=25&phase=3&latency=70&drift=1000", seconds: 2)
        let timebase = DeviceTimebase(
            rate: FrameRate(25), driftPerBillion: 1_000_000, phase: .milliseconds(3))
        for arrival in run.arrivals {
            guard case .frame(let frame) = arrival.event else { continue }
            #expect(frame.capturedAt == timebase.time(of: frame.sequence))
            #expect(arrival.at == timebase.time(of: frame.sequence + 1) + .milliseconds(70))
        }
        #expect(run.frames.count == 47)
        let camera = try VirtualSources.camera(
            selector: "virtual:clap?fps=25&latency=70&jitter=2", role: "desk")
        #expect(camera.deliveryDelay >= .milliseconds(112) && camera.deliveryDelay < .milliseconds(113))
    }

    @Test("jitter affects timestamps independently and within its bounds, but not the strip")
    func jitter() throws {
        let run = try Run("virtual:clap?size=320x180&format=nv12&jitter=3&phase=0", seconds: 3)
        let errors = run.frames.map { frame -> Nanoseconds in
            let time = DeviceTimebase(rate: FrameRate(30)).time(of: frame.sequence)
            #expect(frame.codeStrip() == CodeStrip(frame: frame.sequence, time: time))
            return frame.capturedAt - time
        }
        #expect(errors.allSatisfy { $0.magnitude <= .milliseconds(3) })
        #expect(Set(errors).count == errors.count)
        #expect((errors.max() ?? .zero) > .milliseconds(2))
        #expect((errors.min() ?? .zero) < .milliseconds(-2))
    }

    @Test("two runs are identical to the byte; another role or seed gives a different camera")
    func repeatable() throws {
        let selector =
            "virtual:clap?size=64x48&drop=0.2&corrupt=0.2&jitter=2&unplug=0.5&replug=0.8&stall=1.2:0.2"
        let (first, second) = (try Run(selector, seconds: 2), try Run(selector, seconds: 2))
        #expect(first.eventLog == second.eventLog)
        #expect(first.frames.map(\.data) == second.frames.map(\.data))
        #expect(try Run(selector, role: "face", seconds: 2).eventLog != first.eventLog)
        #expect(try Run("\(selector)&seed=2", seconds: 2).eventLog != first.eventLog)
    }

    // MARK: Faults

    @Test("dropped frames leave gaps in the sequence numbers and are reported as lost on the bus")
    func drop() throws {
        let run = try Run("virtual:bars?size=64x48&drop=0.25&fps=100", seconds: 10)
        let numbers = run.frames.map(\.sequence)
        let skipped = zip(numbers, numbers.dropFirst()).reduce(0) { $0 + Int($1.1 - $1.0) - 1 }
        #expect(skipped > 0)
        // Losses before the first frame that arrives are also reported.
        let before = run.lost(.bus) - skipped
        #expect((0...10).contains(before))
        // For 1000 draws with probability 0.25, three standard deviations are 41.
        #expect((209...291).contains(run.lost(.bus)))
    }

    @Test(
        "a corrupt JPEG is truncated; in other formats, corrupt frames are reported as lost",
        arguments: ["mjpeg", "nv12", "h264"])
    func corrupt(format: String) throws {
        let run = try Run("virtual:clap?size=64x48&corrupt=0.3&format=\(format)", seconds: 10)
        let codecs = Codecs()
        let cut = run.frames.filter {
            $0.pixel == .mjpeg && !codecs.isWholeJPEG($0.memory, size: FrameSize(width: 64, height: 48))
        }
        let bad = format == "mjpeg" ? cut.count : run.lost(.corrupt)
        // For 300 draws with probability 0.3, three standard deviations are 24.
        #expect((66...114).contains(bad))
        #expect(run.frames.count + run.lost(.corrupt) == 299)
    }

    @Test("a camera is disconnected at the scripted times after T0, and its count continues by time")
    func unplug() throws {
        let run = try Run(
            "virtual:bars?size=64x48&phase=0&unplug=1,2&replug=1.5", seconds: 4, recordingAfter: 0.5)
        let other = run.eventLog.filter { !$0.contains("frame") }
        #expect(
            other == [
                "1500000000 away 1500000000 unplugged", "2000000000 returned 2000000000",
                "2500000000 away 2500000000 unplugged",
            ])
        let numbers = run.frames.map(\.sequence)
        let jumps = zip(numbers, numbers.dropFirst()).filter { $1 != $0 + 1 }
        #expect(jumps.count == 1)
        // Sixteen exposures overlap the outage, which is from 1001.62 s to 1002.12 s.
        #expect((jumps.first.map { $1 - $0 } ?? 0) == 17)
        #expect(run.arrivals.allSatisfy { $0.at <= Run.start + .milliseconds(2500) })
        #expect(run.lost(.bus) + run.lost(.disconnected) == 0)
    }

    @Test("a stalled camera is silent, and reports the missing frames when it continues")
    func stall() throws {
        let run = try Run("virtual:bars?size=64x48&phase=0&stall=1:0.5,2:100", seconds: 3)
        let silent = run.arrivals.filter { arrival in
            let at = arrival.at - Run.start
            return (at >= .seconds(1) && at < .milliseconds(1500)) || at >= .seconds(2)
        }
        #expect(silent.isEmpty)
        #expect(run.lost(.disconnected) == 15)
        #expect(run.eventLog.count { $0.contains("disconnected") } == 1)
    }

    // MARK: Faults while it is asked for something

    /// Returns the events, except frames, of a camera that receives a request for a smaller format. The
    /// request arrives at the camera's tenth frame at 1.077 s, 50 ms after the camera was turned off at that
    /// frame, or when it is disconnected.
    private func eventLog(_ faults: String, when: RequestTime) throws -> [String] {
        let camera = try VirtualSources.camera(
            selector: "virtual:bars?size=64x48&fps=10&phase=0&\(faults)", role: "desk")
        let smaller = VideoFormat(
            pixel: .mjpeg, size: FrameSize(width: 32, height: 24), rate: FrameRate(10))
        let count = ConditionLock(0)
        let run = try Run(camera, seconds: 4) { event in
            switch event {
            case .frame:
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if number == 10, when != .unplugged { camera.changeFormat(to: when == .off ? nil : smaller) }
            case .outageBegan(_, let cause, let isRequested):
                let isOff = isRequested && cause == "off"
                if isOff || (when == .unplugged && !isRequested) { camera.changeFormat(to: smaller) }
            default: break
            }
        }
        // Events are reported when they occur or when they are detected.
        let times = run.arrivals.filter { if case .frame = $0.event { false } else { true } }.map(\.at)
        #expect(times == times.sorted())
        #expect(run.frames.last?.size == smaller.size)
        return run.eventLog.filter { !$0.contains("frame") }
    }

    enum RequestTime { case streaming, off, unplugged }

    @Test("a disconnect during a format change is reported when the camera is reopened")
    func unpluggedInChange() throws {
        #expect(
            try eventLog("unplug=1.2&replug=2", when: .streaming) == [
                "1076543211 asked 1076543211 changing its format", "1376543211 away 1376543211 unplugged",
                "2000000000 format mjpeg 32x24 at 10", "2000000000 returned 2000000000",
            ])
    }

    @Test("a disconnect that begins and ends during a format change is not noticed")
    func missedInChange() throws {
        #expect(
            try eventLog("unplug=1.1,2&replug=1.3,3", when: .streaming) == [
                "1076543211 asked 1076543211 changing its format", "1376543211 format mjpeg 32x24 at 10",
                "1376543211 returned 1376543211", "2000000000 away 2000000000 unplugged",
                "3000000000 returned 3000000000",
            ])
    }

    @Test("a disconnect while the camera is off is reported when it is turned on again")
    func unpluggedWhileOff() throws {
        #expect(
            try eventLog("unplug=1.1&replug=2.5", when: .off) == [
                "1076543211 asked 1076543211 off", "1426543211 away 1426543211 unplugged",
                "2500000000 format mjpeg 32x24 at 10", "2500000000 returned 2500000000",
            ])
    }

    @Test(
        "a format requested while the camera is disconnected is applied when it returns"
    )
    func askedWhileUnplugged() throws {
        #expect(
            try eventLog("unplug=1&replug=2", when: .unplugged) == [
                "1000000000 away 1000000000 unplugged", "2000000000 format mjpeg 32x24 at 10",
                "2000000000 returned 2000000000",
            ])
    }

    @Test("in real time, it delivers frames, stops immediately, and can be restarted")
    func realTime() throws {
        let camera = try VirtualSources.camera(selector: "virtual:clap?size=64x48&fps=200", role: "desk")
        for _ in 0..<2 {
            let heard = ConditionLock<[ClockTime]>([])
            try camera.start(on: MonotonicClock()) { event in
                if case .frame(let frame) = event { heard.broadcast { $0.append(frame.capturedAt) } }
            }
            heard.wait { $0.count >= 5 ? true : nil }
            camera.stop()
            let count = heard.withLock { $0.count }
            #expect(count >= 5)
        }
        #expect(camera.simulationTime > .zero)
    }
}
