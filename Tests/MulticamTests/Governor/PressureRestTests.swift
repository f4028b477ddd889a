import Media
import Setup
import Testing

@Suite("the rest between two recordings")
struct PressureRestTests {
    private struct Outcome: Equatable {
        var hasRecovered = false
        var seconds = 0.0
        var told: [String] = []
    }

    /// Waits on a simulated clock, at most until `limit`.
    private func wait(
        _ script: [(Int64, HostState)], cancelled: Bool = false, limit: Nanoseconds = .seconds(600)
    ) -> Outcome {
        let clock = SimulatedClock()
        let cancellation = Cancellation()
        if cancelled { cancellation.cancel() }
        let result = ConditionLock(Outcome())
        let begin = clock.now
        let rest = PressureRest(folder: "/tmp", host: ScriptedHost(script))
        clock.hold()
        let over = Cancellation()
        let limiter = clock.startThread(named: "limit") {
            if clock.sleep(until: begin + limit, unless: over) { cancellation.cancel() }
        }
        let waiter = clock.startThread(named: "rest") {
            let hasRecovered = rest.waitForRecovery(unless: cancellation, on: clock) { sentence in
                result.withLock { $0.told.append(sentence) }
            }
            result.withLock { outcome in
                outcome.hasRecovered = hasRecovered
                outcome.seconds = (clock.now - begin).inSeconds
            }
            over.cancel()
        }
        clock.release()
        waiter.join()
        limiter.join()
        return result.withLock { $0 }
    }

    private static func battery(_ charge: Double) -> HostState {
        var state = HostState()
        state.power = PowerSupply(isDischarging: true, charge: charge, timeToEmpty: nil)
        return state
    }

    @Test("it is over when the computer has been cooler for some seconds, and not before")
    func over() {
        let outcome = wait([
            (0, ScriptedHost.heat(99)), (10, ScriptedHost.heat(50)), (12, ScriptedHost.heat(82)),
            (30, ScriptedHost.heat(50)),
        ])
        #expect(outcome.hasRecovered && (38...40).contains(outcome.seconds))
        #expect(outcome.told.isEmpty)
    }

    @Test("what lasts without being serious is not waited for: warmth, a battery that is full enough")
    func fair() {
        for state in [ScriptedHost.heat(77), Self.battery(0.8)] {
            let outcome = wait([(0, ScriptedHost.heat(99)), (10, state)])
            #expect(outcome.hasRecovered && (18...20).contains(outcome.seconds))
        }
    }

    @Test("one low figure is no calm: what ended the recording may come back at the next")
    func firstFigure() {
        #expect(wait([(0, HostState())]) == Outcome(hasRecovered: true, seconds: 8))
        let outcome = wait([
            (0, ScriptedHost.heat(50)), (3, ScriptedHost.heat(97)), (20, ScriptedHost.heat(50)),
        ])
        #expect(outcome.hasRecovered && (28...30).contains(outcome.seconds))
    }

    @Test("it says about every minute what it waits for")
    func told() {
        let outcome = wait([(0, Self.battery(0.04)), (150, Self.battery(0.9))])
        #expect(outcome.hasRecovered && (158...160).contains(outcome.seconds))
        #expect(outcome.told.count == 2)
        #expect(outcome.told.allSatisfy { $0.contains("4 % full") && $0.contains("plug the computer in") })
    }

    @Test("it is over at once when it is cancelled")
    func cancelled() {
        #expect(wait([(0, ScriptedHost.heat(99))], cancelled: true) == Outcome())
    }
}
