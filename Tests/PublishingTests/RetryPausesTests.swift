import Media
import Testing

@testable import Publishing

@Suite("When a destination is tried again")
struct RetryPausesTests {
    private func time(_ seconds: Double) -> ClockTime { ClockTime(nanoseconds: Int64(seconds * 1e9)) }

    @Test("in the first minute pauses are half a second at most; then they grow to ten")
    func growing() {
        var pauses = RetryPauses()
        var (now, seen) = (0.0, [Nanoseconds]())
        while now < 600 {
            let (pause, isRefusal) = pauses.fail(.lost, at: time(now))
            #expect(!isRefusal)
            if now < 60 { #expect(pause <= .milliseconds(500)) }
            seen.append(pause)
            now += pause.inSeconds + 0.1
        }
        #expect(Array(seen.prefix(4)) == [200, 500, 500, 500].map { .milliseconds($0) })
        #expect(seen.last == .seconds(10))
        #expect(seen.allSatisfy { $0 <= .seconds(10) })
        // Never shorter again, once they grow.
        #expect(seen == seen.sorted())
    }

    @Test("a connection that held begins anew; one that breaks at once goes on")
    func flapping() {
        var pauses = RetryPauses()
        for second in 0..<3 { _ = pauses.fail(.lost, at: time(Double(second))) }
        pauses.connect(at: time(4))
        #expect(pauses.fail(.lost, at: time(4.1)).pause == .milliseconds(500))
        pauses.connect(at: time(6))
        #expect(pauses.fail(.lost, at: time(600)).pause == .milliseconds(200))
    }

    @Test("a refusal is tried again after a minute, a doubt when it is the third in a row")
    func refusals() {
        var pauses = RetryPauses()
        #expect(pauses.fail(.refused, at: time(0)) == (.seconds(60), true))
        var doubts = RetryPauses()
        #expect(doubts.fail(.doubtful, at: time(0)) == (.milliseconds(200), false))
        #expect(doubts.fail(.doubtful, at: time(1)) == (.milliseconds(500), false))
        #expect(doubts.fail(.doubtful, at: time(2)) == (.seconds(60), true))
        var mixed = RetryPauses()
        for (second, kind) in [PublishingError.Kind.doubtful, .doubtful, .lost, .doubtful, .doubtful]
            .enumerated()
        {
            #expect(!mixed.fail(kind, at: time(Double(second))).isRefusal)
        }
    }
}
