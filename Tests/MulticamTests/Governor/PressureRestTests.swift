import Media
import MulticamKit
import Testing

@Suite("the rest between two recordings")
struct PressureRestTests {
    /// Waits on a simulated clock.
    ///
    /// - Returns: Whether pressure became nominal, and after how many seconds.
    private func wait(_ script: [(Int64, HostState)], cancelled: Bool = false) -> (Bool, Double) {
        let clock = SimulatedClock()
        let cancellation = Cancellation()
        if cancelled { cancellation.cancel() }
        let result = Monitor((isNominal: false, seconds: 0.0))
        let begin = clock.now
        let rest = PressureRest(folder: "/tmp", host: ScriptedHost(script))
        clock.startThread(named: "rest") {
            let isNominal = rest.waitForNominal(unless: cancellation, on: clock)
            result.withLock { $0 = (isNominal, (clock.now - begin).inSeconds) }
        }.join()
        return result.withLock { $0 }
    }

    @Test("it is over when the computer has been cool for some seconds, and not before")
    func over() {
        let (isNominal, seconds) = wait([
            (0, ScriptedHost.heat(99)), (10, ScriptedHost.heat(50)), (12, ScriptedHost.heat(82)),
            (30, ScriptedHost.heat(50)),
        ])
        #expect(isNominal && (38...40).contains(seconds))
    }

    @Test("it is over at once where all is calm, and when it is cancelled")
    func atOnce() {
        #expect(wait([(0, HostState())]) == (true, 0))
        #expect(wait([(0, ScriptedHost.heat(99))], cancelled: true) == (false, 0))
    }
}
