import Foundation
import MulticamMedia
import Testing

@Suite("time")
struct TimeTests {
    @Test(
        "common rates are parsed, and television rates are exact",
        arguments: [
            ("30", 30, 1), ("29.97", 30_000, 1001), ("59.94", 60_000, 1001), ("23.976", 24_000, 1001),
            ("7.5", 15, 2),
            ("30000/1001", 30_000, 1001),
        ] as [(String, Int64, Int64)])
    func rates(text: String, frames: Int64, seconds: Int64) {
        #expect(FrameRate(text) == FrameRate(frames, per: seconds))
    }

    @Test(
        "invalid rates are rejected",
        arguments: ["", "fast", "0", "-1", "1001", "30/0", "595300/595", "nan", "30fps"])
    func wrongRates(text: String) {
        #expect(FrameRate(text) == nil)
    }

    @Test(
        "a duration is formatted with common units, rounded down",
        arguments: [
            (0, "0 s"), (250, "0.25 s"), (1, "0.001 s"), (8000, "8 s"), (59_999, "59.99 s"),
            (60_000, "1 min"),
            (125_400, "2 min 5 s"), (5_400_000, "1 h 30 min"), (7_200_000, "2 h"), (86_400_000, "24 h"),
            (36_000_000_000, "416 days 16 h"), (172_800_000, "2 days"), (-5000, "−5 s"),
        ] as [(Int64, String)])
    func words(milliseconds: Int64, text: String) {
        #expect(Nanoseconds.milliseconds(milliseconds).displayText == text)
    }

    @Test("the longest durations can be formatted")
    func longestWords() {
        #expect(Nanoseconds(.max).displayText == "106751 days 23 h")
        #expect(Nanoseconds(.min).displayText == "−106751 days 23 h")
    }

    @Test("a rate is shown with only the digits it needs")
    func shownRates() {
        #expect(FrameRate(30_000, per: 1001).description == "29.97")
        #expect(FrameRate(15, per: 2).description == "7.5")
        #expect(FrameRate(300_001, per: 10_000).description == "30")
    }

    @Test(
        "a stored rate is read back unchanged; rates that would divide by zero or overflow are rejected"
    )
    func keptRates() throws {
        let rate = FrameRate(30_000, per: 1001)
        #expect(try JSONDecoder().decode(FrameRate.self, from: JSONEncoder().encode(rate)) == rate)
        func read(_ frames: Int64, _ seconds: Int64) throws -> FrameRate {
            // Files from earlier versions use these keys.
            let text = #"{ "pictures": \#(frames), "seconds": \#(seconds) }"#
            return try JSONDecoder().decode(FrameRate.self, from: Data(text.utf8))
        }
        #expect(try read(30_000, 1001) == rate)
        for (frames, seconds) in [(0, 0), (30, 0), (0, 1), (-30, 1), (1001, 1), (.max, .max)]
            as [(Int64, Int64)]
        {
            #expect(throws: DecodingError.self) { try read(frames, seconds) }
        }
    }

    @Test("a stored size is read back unchanged; impossible sizes are rejected")
    func keptSizes() throws {
        let size = FrameSize(width: 1280, height: 720)
        #expect(try JSONDecoder().decode(FrameSize.self, from: JSONEncoder().encode(size)) == size)
        for (width, height) in [(0, 720), (1280, -1), (16_385, 2), (.max, .max)] as [(Int, Int)] {
            let text = #"{ "width": \#(width), "height": \#(height) }"#
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(FrameSize.self, from: Data(text.utf8))
            }
        }
    }

    @Test(
        "a tick's time is exact after a day, and `ticks(before:)` converts it back",
        arguments: [30, 25])
    func ticks(perSecond: Int64) {
        for rate in [FrameRate(perSecond, per: 1), FrameRate(perSecond * 1000, per: 1001)] {
            for tick in [0, 1, 29, 2_592_000] as [Int64] {
                #expect(rate.ticks(before: rate.time(ofTick: tick)) == tick)
            }
        }
        #expect(
            FrameRate(30_000, per: 1001).time(ofTick: 30_000 * 86_400).nanoseconds == 86_486_400_000_000_000)
    }

    @Test(
        "times convert to container ticks without drift",
        arguments: [(0, 90_000, 0), (33_333_333, 90_000, 3000), (86_400_000_000_000, 48_000, 4_147_200_000)]
            as [(Int64, Int64, Int64)])
    func containerTicks(nanoseconds: Int64, perSecond: Int64, ticks: Int64) {
        #expect(MediaTime(nanoseconds: nanoseconds).ticks(perSecond: perSecond) == ticks)
        #expect(MediaTime(nanoseconds: -nanoseconds).ticks(perSecond: perSecond) == -ticks)
    }

    @Test("on the simulated clock, threads run one at a time in the order of their deadlines")
    func simulatedClock() throws {
        let clock = SimulatedClock()
        let begin = clock.now
        let order = BoundedQueue<String>(capacity: 100)
        clock.hold()
        let threads = try ([("a", 30), ("b", 20)] as [(String, Int64)]).map { name, interval in
            try clock.startThread(named: name) {
                for step in 1...3 as ClosedRange<Int64> {
                    clock.sleep(until: begin + .milliseconds(interval * step), unless: Cancellation())
                    order.enqueue("\(name)\((clock.now - begin).count / 1_000_000)")
                }
            }
        }
        clock.release()
        for thread in threads { thread.join() }
        order.finish()
        var seen: [String] = []
        while let next = order.dequeue() { seen.append(next) }
        #expect(seen == ["b20", "a30", "b40", "a60", "b60", "a90"])
    }

    @Test("a full queue rejects elements, and accepted ones come out in order")
    func queue() {
        let queue = BoundedQueue<Int>(capacity: 2)
        #expect(queue.tryEnqueue(1) && queue.tryEnqueue(2) && !queue.tryEnqueue(3))
        #expect(queue.dequeue() == 1)
        #expect(queue.tryEnqueue(4))
        queue.finish()
        #expect(!queue.tryEnqueue(5))
        #expect(queue.dequeue() == 2 && queue.dequeue() == 4 && queue.dequeue() == nil)
    }
}
