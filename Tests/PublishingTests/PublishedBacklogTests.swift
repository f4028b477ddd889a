import MulticamMedia
import Testing

@testable import MulticamPublishing

@Suite("Send queue of a live output")
struct PublishedBacklogTests {
    private func time(_ milliseconds: Int64) -> ClockTime { ClockTime(nanoseconds: milliseconds * 1_000_000) }

    private func drained(_ backlog: inout PublishedBacklog) -> [Int64] {
        var marks: [Int64] = []
        while let item = backlog.next() { marks.append(item.mark) }
        return marks
    }

    @Test("a connection begins with a key frame and the audio from that time on")
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

    @Test("before a connection, items since the newest key frame are held for half a second")
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

    @Test("a connection that takes longer begins with the next key frame")
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

    @Test("after a wait of two seconds, frames up to the next key frame are dropped and counted")
    func tooOld() {
        var backlog = PublishedBacklog()
        backlog.offer(.video(0, isKey: true), at: time(0))
        backlog.offer(.video(1990, isKey: false), at: time(1990))
        backlog.offer(.video(2000, isKey: false), at: time(2000))
        #expect(backlog.age(at: time(2000)) == .seconds(2))
        #expect(drained(&backlog) == [0, 1990])
        // The queue has room again, but this frame can't be decoded without a key frame.
        backlog.offer(.video(2033, isKey: false), at: time(2033))
        backlog.offer(.video(2066, isKey: true), at: time(2066))
        backlog.offer(.video(2100, isKey: false), at: time(2100))
        #expect(drained(&backlog) == [2066, 2100])
        #expect(backlog.droppedFrames == 2)
    }

    @Test("the queue never exceeds its byte limit")
    func tooMuch() {
        var backlog = PublishedBacklog()
        for index in 0..<40 {
            backlog.offer(.video(Int64(index), isKey: true, bytes: 1 << 20), at: time(Int64(index)))
        }
        #expect(drained(&backlog).count == PublishedBacklog.mostBytes >> 20)
        #expect(backlog.droppedFrames == 24)
    }

    @Test("only the newest raw frames are queued")
    func raw() {
        var backlog = PublishedBacklog()
        for number in 0..<10 { backlog.offer(.frame(Int64(number)), at: time(0)) }
        #expect(drained(&backlog) == [7, 8, 9])
        #expect(backlog.droppedFrames == 7)
    }

    @Test("timestamps never decrease, even across recordings")
    func order() {
        var backlog = PublishedBacklog()
        for item in [
            PublishedItem.video(100, isKey: true), .audio(100), .audio(90), .video(80, isKey: true),
            .video(110, isKey: false), .video(120, isKey: true),
        ] { backlog.offer(item, at: time(0)) }
        #expect(drained(&backlog) == [100, 100, 120])
    }

    @Test("a new connection does not get items queued for the previous one")
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
        "after the protocol has dropped packets, frames up to the next key frame are dropped, but no audio"
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

    @Test("the order and the byte count stay correct over a long run")
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
