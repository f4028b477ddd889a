import MulticamMedia
import Testing

@testable import MulticamEncoders

@Suite("Queue of an encoder")
struct EncoderQueueTests {
    private static func frame(_ tick: Int64, asKey: Bool = false, isSlate: Bool = false) -> EncoderQueue.Frame
    {
        EncoderQueue.Frame(
            layers: [], tick: tick, asKey: asKey, fate: isSlate ? .slate(.disconnected) : .captured)
    }

    private typealias Tick = (tick: Int64, isFrame: Bool, asKey: Bool, fate: Fate)

    /// Returns the ticks in order, each with a new frame or a repeat of the previous one.
    private static func drained(_ queue: inout EncoderQueue) -> [Tick] {
        var ticks: [Tick] = []
        while let job = queue.popFirst() {
            switch job {
            case .encode(let frame): ticks.append((frame.tick, true, frame.asKey, frame.fate))
            case .repeatLast(let range, let asKey, let fates):
                ticks += zip(range, fates.elements).map { ($0, false, asKey && $0 == range.lowerBound, $1) }
            }
        }
        return ticks
    }

    @Test(
        "has room for one second of ticks, and at most 30",
        arguments: [(15, 15), (30, 30), (60, 30), (1, 2)] as [(rate: Int64, room: Int)])
    func room(rate: Int64, room: Int) {
        #expect(EncoderQueue(rate: FrameRate(rate)).capacity == room)
    }

    @Test("keeps only the newest frames, and turns the ticks of older ones into repeats")
    func frames() {
        var queue = EncoderQueue(rate: FrameRate(30))
        for tick in Int64(0)..<1000 {
            queue.append(Self.frame(tick))
            #expect(queue.frameCount <= 30 && queue.runCount <= 1)
        }
        let ticks = Self.drained(&queue)
        #expect(FateCounts(ticks.map(\.fate)).replaced == [.encoder: 970])
        #expect(ticks.map(\.tick) == Array(0..<1000))
        #expect(ticks.map(\.isFrame) == (0..<1000).map { $0 >= 970 })
        #expect(queue.isEmpty && queue.tickCount == 0)
    }

    @Test("halves the frame limit while the encoder is slow")
    func slow() {
        var queue = EncoderQueue(rate: FrameRate(30))
        for tick in Int64(0)..<30 { queue.append(Self.frame(tick)) }
        #expect(queue.frameCount == 30)
        queue.append(Self.frame(30), isSlow: true)
        #expect(queue.frameCount == 15 && queue.tickCount == 31)
    }

    @Test("turns abandoned frames into repeats without losing a tick")
    func givenUp() {
        var queue = EncoderQueue(rate: FrameRate(30))
        for tick in Int64(0)..<10 { queue.append(Self.frame(tick)) }
        for tick in Int64(10)..<20 { queue.appendRepeat(of: tick, asKey: false, fate: .duplicated(nil)) }
        queue.replaceFramesWithRepeats()
        #expect(queue.frameCount == 0)
        let ticks = Self.drained(&queue)
        #expect(ticks.map(\.tick) == Array(0..<20))
        #expect(FateCounts(ticks.map(\.fate)).replaced == [.encoder: 10])
    }

    @Test("combines any number of consecutive repeats into one job")
    func repeats() {
        var queue = EncoderQueue(rate: FrameRate(30))
        for tick in Int64(0)..<100_000 {
            queue.appendRepeat(of: tick, asKey: tick == 50_000, fate: .duplicated(nil))
        }
        #expect(queue.runCount == 2 && queue.tickCount == 100_000)
        let ticks = Self.drained(&queue)
        #expect(ticks.map(\.tick) == Array(0..<100_000))
        #expect(ticks.filter(\.asKey).map(\.tick) == [50_000])
    }

    @Test("shows the last of a series of delayed frames late instead of dropping it")
    func staysVisible() {
        var queue = EncoderQueue(rate: FrameRate(30))
        for tick in Int64(0)..<3 { queue.append(Self.frame(tick)) }
        for tick in Int64(3)..<500 { queue.appendRepeat(of: tick, asKey: false, fate: .duplicated(nil)) }
        #expect(queue.frameCount == 1)
        let ticks = Self.drained(&queue)
        #expect(FateCounts(ticks.map(\.fate)).replaced == [.encoder: 2])
        #expect(ticks.filter { $0.fate == .captured }.map(\.tick) == [470])
        #expect(ticks.map(\.tick) == Array(0..<500))
        #expect(ticks.filter(\.isFrame).map(\.tick) == [470])
    }

    @Test("keeps a requested key frame when its frame becomes a repeat")
    func keys() {
        var queue = EncoderQueue(rate: FrameRate(30))
        for tick in Int64(0)..<100 { queue.append(Self.frame(tick, asKey: tick == 10)) }
        #expect(Self.drained(&queue).filter(\.asKey).map(\.tick) == [10])
    }

    @Test("bounds a mix of frames and repeats, and shows or counts every frame")
    func mixed() {
        var queue = EncoderQueue(rate: FrameRate(30))
        for tick in Int64(0)..<600 {
            if tick % 3 == 0 {
                queue.append(Self.frame(tick, isSlate: tick % 6 == 0))
            } else {
                queue.appendRepeat(of: tick, asKey: false, fate: .duplicated(nil))
            }
            #expect(queue.frameCount + queue.runCount <= 62)
        }
        let ticks = Self.drained(&queue)
        let fates = FateCounts(ticks.map(\.fate))
        #expect(ticks.map(\.tick) == Array(0..<600))
        #expect(fates[.captured] + (fates.replaced[.encoder] ?? 0) == 100)
        #expect(fates.slate + fates[.duplicated(.disconnected)] == 100 && fates[.duplicated(nil)] == 400)
        #expect(ticks.allSatisfy { $0.isFrame == ($0.fate == .captured || $0.fate.isSlate) })
    }
}
