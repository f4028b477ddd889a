import MulticamMedia
import MulticamSetup
import Testing

@Suite("the wait between two recordings")
struct PressureRecoveryTests {
    private struct Outcome: Equatable {
        var hasRecovered = false
        var seconds = 0.0
        var messages: [String] = []
    }

    /// Waits on a simulated clock, but no longer than `limit`.
    private func wait(
        _ script: [(Int64, HostState)], canceled: Bool = false, limit: Nanoseconds = .seconds(600)
    ) throws -> Outcome {
        let clock = SimulatedClock()
        let cancellation = Cancellation()
        if canceled { cancellation.cancel() }
        let result = ConditionLock(Outcome())
        let begin = clock.now
        let rest = PressureRecovery(folder: "/tmp", host: ScriptedHost(script))
        clock.hold()
        let over = Cancellation()
        let limiter = try clock.startThread(named: "limit") {
            if clock.sleep(until: begin + limit, unless: over) { cancellation.cancel() }
        }
        let waiter = try clock.startThread(named: "rest") {
            let hasRecovered = rest.waitForRecovery(unless: cancellation, on: clock) { sentence in
                result.withLock { $0.messages.append(sentence) }
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

    @Test("the wait ends only after the computer has been cooler for several seconds")
    func over() throws {
        let outcome = try wait([
            (0, ScriptedHost.heat(99)), (10, ScriptedHost.heat(50)), (12, ScriptedHost.heat(82)),
            (30, ScriptedHost.heat(50)),
        ])
        #expect(outcome.hasRecovered && (38...40).contains(outcome.seconds))
        #expect(outcome.messages.isEmpty)
    }

    @Test("mild pressure is not waited for: a warm computer, or a sufficiently charged battery")
    func fair() throws {
        for state in [ScriptedHost.heat(77), Self.battery(0.8)] {
            let outcome = try wait([(0, ScriptedHost.heat(99)), (10, state)])
            #expect(outcome.hasRecovered && (18...20).contains(outcome.seconds))
        }
    }

    @Test("one low reading does not end the wait, because pressure may return with the next")
    func firstFigure() throws {
        #expect(try wait([(0, HostState())]) == Outcome(hasRecovered: true, seconds: 8))
        let outcome = try wait([
            (0, ScriptedHost.heat(50)), (3, ScriptedHost.heat(97)), (20, ScriptedHost.heat(50)),
        ])
        #expect(outcome.hasRecovered && (28...30).contains(outcome.seconds))
    }

    @Test("the wait reports its reason about once per minute")
    func told() throws {
        let outcome = try wait([(0, Self.battery(0.04)), (150, Self.battery(0.9))])
        #expect(outcome.hasRecovered && (158...160).contains(outcome.seconds))
        #expect(outcome.messages.count == 2)
        #expect(
            outcome.messages.allSatisfy { $0.contains("4 % charged") && $0.contains("plug the computer in") })
    }

    @Test("canceling ends the wait immediately")
    func canceled() throws {
        #expect(try wait([(0, ScriptedHost.heat(99))], canceled: true) == Outcome())
    }
}
