import Foundation
import MulticamEncoding
import MulticamMedia
import Testing

@testable import MulticamVirtualDevices

@Suite("Drawn people")
struct PeopleTests {
    private static let small = FrameSize(width: 320, height: 180)

    private static func scene(
        person: Int = 1, size: FrameSize = small, rotation: Rotation = .none, pixel: PixelFormat = .i422
    ) -> PeopleScene {
        PeopleScene(
            person: person, conversation: Conversation(speakerCount: 2),
            turn: Turn(stored: size, rotation: rotation), pixel: pixel, appearance: .neutral)
    }

    private static func frame(_ number: Int64) -> ExposedFrame {
        ExposedFrame(number: number, time: ClockTime(nanoseconds: number * 33_333_333), holdsClap: false)
    }

    @Test("people speak in turns, with pauses between them, and every turn lasts from 4 to 9 s")
    func turns() {
        let conversation = Conversation(speakerCount: 3)
        let turns = (0..<100_000).map { conversation.turn(at: 86_400 + Double($0) / 100) }
        var lengths: [Int] = []
        var length = 0
        for (turn, next) in zip(turns, turns.dropFirst()) {
            length += 1
            guard next.speaker != turn.speaker else { continue }
            #expect(turn.gate == 0 && next.gate == 0)
            #expect(next.speaker == turn.speaker % 3 + 1)
            lengths.append(length)
            length = 0
        }
        #expect(lengths.count > 140)
        #expect(lengths.dropFirst().allSatisfy { (400...900).contains($0) })
    }

    @Test("the mouth is open only while the person speaks, and the loudness changes without jumps")
    func mouth() {
        let scene = Self.scene(person: 2)
        let conversation = Conversation(speakerCount: 2)
        var open = 0
        for number in 0..<6000 {
            let seconds = Double(number) / 100
            let state = scene.state(at: ClockTime(nanoseconds: Int64(number) * 10_000_000))
            let turn = conversation.turn(at: seconds)
            if state.mouth > 0 {
                open += 1
                #expect(turn.speaker == 2 && turn.gate > 0)
            }
        }
        // Person 2 has half of the turns, and pauses and closed mouths take some of the time.
        #expect((1200...2700).contains(open))
        let levels = (0..<60_000).map { Voice(person: 2).articulation(at: Double($0) / 1000).loudness }
        #expect(zip(levels, levels.dropFirst()).allSatisfy { abs($0 - $1) < 0.1 })
    }

    @Test(
        "a JPEG joined from bands shows the same person as one encoded as a whole",
        arguments: ["320x180", "64x48", "322x100", "180x320"], [0, 90, 180, 270])
    func spliced(size: String, mount: Int) throws {
        let size = try #require(FrameSize(size))
        let rotation = try #require(Rotation(rawValue: mount))
        let banded = try JPEGPeoplePainter(scene: Self.scene(size: size, rotation: rotation))
        let whole = RawPeoplePainter(scene: Self.scene(size: size, rotation: rotation))
        let encoder = JPEGEncoder()
        var spliced: [Data] = []
        var references: [Data] = []
        for number in stride(from: 0, to: 900, by: 45) as StrideTo<Int64> {
            spliced.append(try banded.paint(Self.frame(number)).memory.data)
            let raw = whole.paint(Self.frame(number))
            let canvas = Canvas(.i422, size)
            canvas.memory.start.copyMemory(from: raw.memory.start, byteCount: raw.memory.count)
            references.append(try canvas.encode(by: encoder, rows: 0..<size.height).data)
        }
        let scratch = try Scratch()
        let byteCount = size.pixelCount * 2
        let found = try scratch.decode(spliced, as: "mjpeg", size: byteCount, keeping: byteCount)
        let expected = try scratch.decode(references, as: "mjpeg", size: byteCount, keeping: byteCount)
        #expect(found == expected)
        #expect(Set(found).count > 5)
    }

    @Test(
        "a frame composed of parts equals a frame drawn as a whole, except for rounding",
        arguments: ["yuyv", "nv12", "i420", "i422", "grey"], [0, 90, 180, 270])
    func composed(format: String, mount: Int) throws {
        let pixel = try #require(PixelFormat(rawValue: format))
        let scene = Self.scene(rotation: try #require(Rotation(rawValue: mount)), pixel: pixel)
        for number in stride(from: 0, to: 900, by: 90) as StrideTo<Int64> {
            let frame = Self.frame(number)
            let found = RawPeoplePainter(scene: scene).paint(frame).memory
            let whole = scene.drawing(scene.whole, scene.state(at: frame.time)).memory
            let difference = zip(found.bytes, whole.bytes).map { abs(Int($0) - Int($1)) }
            #expect((difference.max() ?? 255) <= 4)
        }
    }

    @Test("every person and room looks different, and the same frame is identical on every run")
    func different() {
        let pictures = (1...Conversation.maxPeople).map { Self.scene(person: $0).background.memory.data }
        #expect(Set(pictures).count == Conversation.maxPeople)
        #expect(Self.scene(person: 3).background.memory.data == pictures[2])
    }

    @Test(
        "the microphone in front of a person records the person at about −20 dBFS, and the others more quietly"
    )
    func levels() throws {
        func level(_ person: Int?, during speaker: Int) -> Double {
            let conversation = Conversation(speakerCount: 2)
            let signal = SpeechSignal(person: person, conversation: conversation)
            var (sum, count) = (0.0, 0)
            for slice in 0..<3000 as Range<Int64> {
                let start = ClockTime(nanoseconds: slice * 10_000_000)
                let turn = conversation.turn(at: Double(start.nanoseconds) / 1e9)
                guard turn.speaker == speaker, turn.gate == 1 else { continue }
                let samples = signal.samples(480, from: start, every: 1 / 48_000, first: slice * 480)
                sum += samples.reduce(0) { $0 + Double($1 * $1) }
                count += samples.count
                #expect(samples.allSatisfy { abs($0) < 1 })
            }
            return 10 * log10(sum / Double(count))
        }
        for (person, speaker, range) in [
            (1, 1, -23.0 ... -17), (2, 2, -23 ... -17), (nil, 1, -23 ... -17), (nil, 2, -23 ... -17),
            (1, 2, -60 ... -40), (2, 1, -60 ... -40),
        ] as [(Int?, Int, ClosedRange<Double>)] {
            #expect(range.contains(level(person, during: speaker)), "\(person ?? 0) \(speaker)")
        }
    }

    @Test("samples of adjacent slices join without a jump")
    func slices() {
        let signal = SpeechSignal(person: 1, conversation: Conversation(speakerCount: 1))
        let whole = (0..<400 as Range<Int64>).flatMap { slice in
            signal.samples(
                480, from: ClockTime(nanoseconds: slice * 10_000_000), every: 1 / 48_000, first: slice * 480)
        }
        let steps = zip(whole, whole.dropFirst()).map { abs($0 - $1) }
        let atEdges = steps.enumerated().filter { $0.offset % 480 == 479 }.map(\.element)
        #expect((atEdges.max() ?? 1) <= (steps.max() ?? 0))
        #expect((atEdges.max() ?? 1) < 0.2)
    }

    @Test(
        "an invalid number of a person or of speakers is a usage error",
        arguments: ["person=0", "person=5", "speakers=0", "speakers=x"])
    func refused(key: String) {
        let error = #expect(throws: VirtualDeviceError.self) {
            try VirtualSources.check(selector: "virtual:people?\(key)", mediaType: .audio)
        }
        #expect(error?.description.contains("expected a number from 1 to 4") == true)
    }
}
