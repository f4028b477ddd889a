import Media
import Testing

@testable import Publishing

@Suite("What waits for a destination")
struct PublishedBacklogTests {
    private func time(_ milliseconds: Int64) -> ClockTime { ClockTime(nanoseconds: milliseconds * 1_000_000) }

    private func drained(_ backlog: inout PublishedBacklog) -> [Int64] {
        var marks: [Int64] = []
        while let item = backlog.next() { marks.append(item.mark) }
        return marks
    }

    @Test("a connection begins with a key frame, and audio from its time on")
    func beginning() {
        var backlog = PublishedBacklog()
        for item in [
            PublishedItem.audio(0), .video(10, isKey: false), .audio(20), .video(33, isKey: true), .audio(30),
            .audio(40),
            .video(66, isKey: false),
        ] { backlog.offer(item, at: time(0)) }
        #expect(drained(&backlog) == [33, 40, 66])
        #expect(backlog.droppedFrames == 1)
    }

    @Test("before a connection, what came since the newest key frame waits for half a second")
    func lead() {
        var backlog = PublishedBacklog()
        for item in [
            PublishedItem.video(0, isKey: true), .audio(10), .video(33, isKey: false), .frame(7),
            .video(66, isKey: true), .audio(60), .audio(70), .video(100, isKey: false),
        ] { backlog.prepare(item, at: time(item.mark)) }
        backlog.begin(at: time(566))
        #expect(drained(&backlog) == [66, 70, 100])
        #expect(backlog.droppedFrames == 3)
    }

    @Test("a connection that took longer begins with the next key frame")
    func lateLead() {
        var backlog = PublishedBacklog()
        backlog.prepare(.video(0, isKey: true), at: time(0))
        backlog.prepare(.video(33, isKey: false), at: time(33))
        backlog.prepare(.video(533, isKey: false), at: time(533))
        #expect(backlog.isEmpty)
        backlog.prepare(.video(2000, isKey: true), at: time(2000))
        backlog.begin(at: time(2501))
        backlog.offer(.video(2533, isKey: false), at: time(2533))
        backlog.offer(.video(4000, isKey: true), at: time(4000))
        #expect(drained(&backlog) == [4000])
        #expect(backlog.droppedFrames == 5)
    }

    @Test("when the oldest has waited two seconds, frames are dropped up to the next key frame and counted")
    func tooOld() {
        var backlog = PublishedBacklog()
        backlog.offer(.video(0, isKey: true), at: time(0))
        backlog.offer(.video(1990, isKey: false), at: time(1990))
        backlog.offer(.video(2000, isKey: false), at: time(2000))
        #expect(backlog.age(at: time(2000)) == .seconds(2))
        #expect(drained(&backlog) == [0, 1990])
        // There is room again, but what comes cannot be decoded yet.
        backlog.offer(.video(2033, isKey: false), at: time(2033))
        backlog.offer(.video(2066, isKey: true), at: time(2066))
        backlog.offer(.video(2100, isKey: false), at: time(2100))
        #expect(drained(&backlog) == [2066, 2100])
        #expect(backlog.droppedFrames == 2)
    }

    @Test("no more bytes wait than there is room for")
    func tooMuch() {
        var backlog = PublishedBacklog()
        for index in 0..<40 {
            backlog.offer(.video(Int64(index), isKey: true, bytes: 1 << 20), at: time(Int64(index)))
        }
        #expect(drained(&backlog).count == PublishedBacklog.mostBytes >> 20)
        #expect(backlog.droppedFrames == 24)
    }

    @Test("of raw frames the newest are kept")
    func raw() {
        var backlog = PublishedBacklog()
        for number in 0..<10 { backlog.offer(.frame(Int64(number)), at: time(0)) }
        #expect(drained(&backlog) == [7, 8, 9])
        #expect(backlog.droppedFrames == 7)
    }

    @Test("times never go back, from one recording to the next either")
    func order() {
        var backlog = PublishedBacklog()
        for item in [
            PublishedItem.video(100, isKey: true), .audio(100), .audio(90), .video(80, isKey: true),
            .video(110, isKey: false), .video(120, isKey: true),
        ] { backlog.offer(item, at: time(0)) }
        #expect(drained(&backlog) == [100, 100, 120])
    }

    @Test("a new connection gets nothing of what waited for the last one")
    func restart() {
        var backlog = PublishedBacklog()
        backlog.offer(.video(0, isKey: true), at: time(0))
        backlog.offer(.video(33, isKey: false), at: time(0))
        backlog.restart()
        #expect(backlog.isEmpty)
        backlog.offer(.video(66, isKey: false), at: time(0))
        #expect(backlog.isEmpty)
        #expect(backlog.droppedFrames == 3)
    }

    @Test(
        "when the protocol has dropped packets, frames are dropped up to the next key frame, and audio is kept"
    )
    func skipping() {
        var backlog = PublishedBacklog()
        for item in [
            PublishedItem.video(0, isKey: true), .video(33, isKey: false), .audio(40),
            .video(66, isKey: true),
            .video(100, isKey: false),
        ] { backlog.offer(item, at: time(0)) }
        _ = backlog.next()
        backlog.skipToKey()
        #expect(drained(&backlog) == [40, 66, 100])
        #expect(backlog.droppedFrames == 1)
        backlog.skipToKey()
        backlog.offer(.video(133, isKey: false), at: time(0))
        backlog.offer(.video(166, isKey: true), at: time(0))
        #expect(drained(&backlog) == [166])
        #expect(backlog.droppedFrames == 2)
    }

    @Test("a long run keeps its order and its count of bytes")
    func long() {
        var backlog = PublishedBacklog()
        var taken: [Int64] = []
        for index in 0..<1000 {
            backlog.offer(.video(Int64(index), isKey: index == 0), at: time(Int64(index)))
            if index % 3 != 0, let item = backlog.next() { taken.append(item.mark) }
            if index % 100 == 99 { taken += drained(&backlog) }
        }
        #expect(taken == Array(0..<1000))
        #expect(backlog.isEmpty)
    }
}
