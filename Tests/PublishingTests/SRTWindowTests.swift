import MulticamMedia
import Testing

@testable import MulticamPublishing

@Suite("Limit for unacknowledged data of an SRT connection")
struct SRTWindowTests {
    /// Simulates a link with a queue, in steps of ten milliseconds.
    private struct Link {
        var window = SRTWindow(latency: .milliseconds(120), at: ClockTime(nanoseconds: 0))
        /// Capacity of the link per step, and capacity of its queue, in bytes. Additional bytes are lost.
        var capacity = 1000
        var room = 36_000
        var queue = 0
        var lost: Int64 = 0
        /// Number of steps in which the window limited sending.
        var limited = 0
        var figures = SRTWindow.Figures()
        var now = ClockTime(nanoseconds: 0)
        var waiting = 0

        mutating func run(_ steps: Int, of bytes: Int) {
            for _ in 0..<steps {
                now = now + .milliseconds(10)
                waiting += bytes
                var (given, isLimited) = (0, false)
                while waiting >= 1316 {
                    guard window.limit.map({ queue + given + 1316 <= $0 }) ?? true else {
                        isLimited = true
                        break
                    }
                    waiting -= 1316
                    given += 1316
                    figures.sent += 1
                    if queue + given > room { figures.lost += 1 }
                }
                lost = figures.lost
                queue = min(queue + given, room)
                let gone = min(queue, capacity)
                queue -= gone
                figures.acknowledged += Int64(gone)
                figures.roundTrip = .milliseconds(20) + .milliseconds(Int64(10 * queue / capacity))
                if isLimited { limited += 1 }
                window.update(figures, isLimited: isLimited, at: now)
            }
            // The live output drops data that has waited longer.
            waiting = 0
        }
    }

    @Test("a link with sufficient capacity is not limited, even if it loses packets")
    func wide() {
        var link = Link()
        link.run(1000, of: 800)
        #expect(link.window.limit == nil)
        var window = SRTWindow(latency: .milliseconds(120), at: ClockTime(nanoseconds: 0))
        for step in 1...1000 {
            let sent = Int64(step) * 10
            window.update(
                .init(acknowledged: sent * 1316, roundTrip: .milliseconds(15), sent: sent, lost: sent / 5),
                isLimited: false, at: ClockTime(nanoseconds: Int64(step) * 10_000_000))
        }
        #expect(window.limit == nil && window.overloads == 0)
    }

    @Test("if the capacity decreases, losses stop once the window has adapted, and the link stays busy")
    func half() {
        var link = Link()
        link.run(200, of: 800)
        link.capacity = 400
        link.room = 12_000
        link.run(100, of: 800)
        #expect(link.window.limit != nil)
        let lost = link.lost
        var idle = 0
        for _ in 0..<3000 {
            link.run(1, of: 1400)
            if link.queue == 0 { idle += 1 }
        }
        #expect(link.lost == lost)
        #expect(idle < 300)
        link.capacity = 4000
        link.room = 120_000
        for _ in 0..<1500 { link.run(1, of: 1400) }
        link.limited = 0
        for _ in 0..<500 { link.run(1, of: 1400) }
        #expect(link.limited == 0)
    }

    @Test("losses with a long queue count as an overload, because retransmissions arrive too late")
    func overload() {
        var link = Link(capacity: 200, room: 9000)
        link.run(5, of: 100)
        #expect(link.window.overloads == 0)
        link.run(100, of: 2000)
        #expect(link.window.overloads > 0)
    }

    @Test("a longer route becomes the new baseline after half a minute")
    func longerRoute() {
        var window = SRTWindow(latency: .milliseconds(120), at: ClockTime(nanoseconds: 0))
        var most: [Int?] = []
        for step in 1...6000 {
            window.update(
                .init(
                    acknowledged: Int64(step) * 10_000, roundTrip: .milliseconds(step < 100 ? 10 : 150),
                    sent: Int64(step)), isLimited: true, at: ClockTime(nanoseconds: Int64(step) * 10_000_000))
            most.append(window.limit)
        }
        #expect(most[500] != nil)
        #expect(most[5999] == nil)
    }
}
