import MulticamMedia
import Testing

@testable import MulticamPublishing

@Suite("Reconnection delays of a live output")
struct RetryBackoffTests {
    private func time(_ seconds: Double) -> ClockTime { ClockTime(nanoseconds: Int64(seconds * 1e9)) }

    @Test("delays are at most half a second in the first minute, and then increase to ten seconds")
    func growing() {
        var pauses = RetryBackoff()
        var (now, seen) = (0.0, [Nanoseconds]())
        while now < 600 {
            let (pause, isRefusal) = pauses.recordFailure(.lost, at: time(now))
            #expect(!isRefusal)
            if now < 60 { #expect(pause <= .milliseconds(500)) }
            seen.append(pause)
            now += pause.inSeconds + 0.1
        }
        #expect(Array(seen.prefix(4)) == [200, 500, 500, 500].map { .milliseconds($0) })
        #expect(seen.last == .seconds(10))
        #expect(seen.allSatisfy { $0 <= .seconds(10) })
        // Delays never decrease.
        #expect(seen == seen.sorted())
    }

    @Test("a stable connection resets the delay; one that breaks immediately does not")
    func flapping() {
        var pauses = RetryBackoff()
        for second in 0..<3 { _ = pauses.recordFailure(.lost, at: time(Double(second))) }
        pauses.recordConnection(at: time(4))
        #expect(pauses.recordFailure(.lost, at: time(4.1)).pause == .milliseconds(500))
        pauses.recordConnection(at: time(6))
        #expect(pauses.recordFailure(.lost, at: time(600)).pause == .milliseconds(200))
    }

    @Test("a refusal is retried after a minute; three doubtful errors in a row count as a refusal")
    func refusals() {
        var pauses = RetryBackoff()
        #expect(pauses.recordFailure(.refused, at: time(0)) == (.seconds(60), true))
        var doubts = RetryBackoff()
        #expect(doubts.recordFailure(.ambiguous, at: time(0)) == (.milliseconds(200), false))
        #expect(doubts.recordFailure(.ambiguous, at: time(1)) == (.milliseconds(500), false))
        #expect(doubts.recordFailure(.ambiguous, at: time(2)) == (.seconds(60), true))
        var mixed = RetryBackoff()
        for (second, kind) in [PublishingError.Kind.ambiguous, .ambiguous, .lost, .ambiguous, .ambiguous]
            .enumerated()
        {
            #expect(!mixed.recordFailure(kind, at: time(Double(second))).isRefusal)
        }
    }
}
