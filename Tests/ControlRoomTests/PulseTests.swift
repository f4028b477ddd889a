import Testing

@testable import Studio

@Suite("Watchdog of the web process")
struct PulseTests {
    @Test("allows 30 seconds until the first heartbeat, and ten seconds between heartbeats")
    func beats() {
        let pulse = Watchdog(limit: 10, first: 30)
        #expect((1...29).allSatisfy { _ in !pulse.countSilentSecond() })
        #expect(pulse.countSilentSecond())
        pulse.recordHeartbeat()
        #expect((1...9).allSatisfy { _ in !pulse.countSilentSecond() })
        pulse.recordHeartbeat()
        #expect((1...9).allSatisfy { _ in !pulse.countSilentSecond() })
        #expect(pulse.countSilentSecond())
    }
}
