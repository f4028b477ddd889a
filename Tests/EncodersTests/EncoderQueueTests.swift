import Media
import Testing

@testable import Encoders

@Suite("what waits for an encoder")
struct EncoderQueueTests {
    private static func frame(_ tick: Int64, asKey: Bool = false, isSlate: Bool = false) -> EncoderQueue.Frame
    {
        EncoderQueue.Frame(layers: [], tick: tick, asKey: asKey, isSlate: isSlate)
    }

    /// What each tick shows: the tick whose frame it is, or `nil` where it repeats the one before.
    private static func drained(_ queue: inout EncoderQueue) -> [(tick: Int64, isFrame: Bool, asKey: Bool)] {
        var ticks: [(tick: Int64, isFrame: Bool, asKey: Bool)] = []
        while let job = queue.takeFirst() {
            switch job {
            case .encode(let frame): ticks.append((frame.tick, true, frame.asKey))
            case .repeatLast(let range, let asKey):
                ticks += range.map { ($0, false, asKey && $0 == range.lowerBound) }
            }
        }
        return ticks
    }

    @Test(
        "has room for a second of ticks, and for 30 at most",
        arguments: [(15, 15), (30, 30), (60, 30), (1, 2)] as [(rate: Int64, room: Int)])
    func room(rate: Int64, room: Int) {
        #expect(EncoderQueue(rate: FrameRate(rate)).room == room)
    }

    @Test("of new frames only the newest wait; the ticks of the others are repeats, and none is missing")
    func frames() {
        var queue = EncoderQueue(rate: FrameRate(30))
        for tick in Int64(0)..<1000 {
            queue.append(Self.frame(tick))
            #expect(queue.frameCount <= 30 && queue.runCount <= 1)
        }
        #expect(queue.replaced == EncoderQueue.Replaced(captured: 970, slates: 0))
        let ticks = Self.drained(&queue)
        #expect(ticks.map(\.tick) == Array(0..<1000))
        #expect(ticks.map(\.isFrame) == (0..<1000).map { $0 >= 970 })
        #expect(queue.isEmpty && queue.tickCount == 0)
    }

    @Test("half as many wait while the encoder is slow")
    func slow() {
        var queue = EncoderQueue(rate: FrameRate(30))
        for tick in Int64(0)..<30 { queue.append(Self.frame(tick)) }
        #expect(queue.frameCount == 30)
        queue.append(Self.frame(30), isSlow: true)
        #expect(queue.frameCount == 15 && queue.tickCount == 31)
    }

    @Test("repeats in a row are one job, however many they are")
    func repeats() {
        var queue = EncoderQueue(rate: FrameRate(30))
        for tick in Int64(0)..<100_000 { queue.appendRepeat(of: tick, asKey: tick == 50_000) }
        #expect(queue.runCount == 2 && queue.tickCount == 100_000)
        let ticks = Self.drained(&queue)
        #expect(ticks.map(\.tick) == Array(0..<100_000))
        #expect(ticks.filter(\.asKey).map(\.tick) == [50_000])
    }

    @Test("a frame that has waited too long is shown a little later, if no other follows, and is not lost")
    func staysVisible() {
        var queue = EncoderQueue(rate: FrameRate(30))
        for tick in Int64(0)..<3 { queue.append(Self.frame(tick)) }
        for tick in Int64(3)..<500 { queue.appendRepeat(of: tick, asKey: false) }
        #expect(queue.replaced.captured == 2 && queue.frameCount == 1)
        let ticks = Self.drained(&queue)
        #expect(ticks.map(\.tick) == Array(0..<500))
        #expect(ticks.filter(\.isFrame).map(\.tick) == [470])
    }

    @Test("a tick that a file is to begin with stays a key frame when it becomes a repeat")
    func keys() {
        var queue = EncoderQueue(rate: FrameRate(30))
        for tick in Int64(0)..<100 { queue.append(Self.frame(tick, asKey: tick == 10)) }
        #expect(Self.drained(&queue).filter(\.asKey).map(\.tick) == [10])
    }

    @Test("frames and repeats by turns are bounded, too, and each frame is shown or counted")
    func mixed() {
        var queue = EncoderQueue(rate: FrameRate(30))
        for tick in Int64(0)..<600 {
            if tick % 3 == 0 {
                queue.append(Self.frame(tick, isSlate: tick % 6 == 0))
            } else {
                queue.appendRepeat(of: tick, asKey: false)
            }
            #expect(queue.frameCount + queue.runCount <= 62)
        }
        let replaced = queue.replaced
        let ticks = Self.drained(&queue)
        #expect(ticks.map(\.tick) == Array(0..<600))
        #expect(ticks.count { $0.isFrame } + replaced.captured + replaced.slates == 200)
    }
}
