import Testing

@testable import MulticamSystem

@Suite("Watchdog of a child process")
struct WatchdogTests {
    @Test("allows 30 seconds until the first heartbeat, and ten seconds between heartbeats")
    func beats() {
        let watchdog = Watchdog(limit: 10, first: 30)
        #expect((1...29).allSatisfy { _ in !watchdog.countSilentSecond() })
        #expect(watchdog.countSilentSecond())
        watchdog.recordHeartbeat()
        #expect((1...9).allSatisfy { _ in !watchdog.countSilentSecond() })
        watchdog.recordHeartbeat()
        #expect((1...9).allSatisfy { _ in !watchdog.countSilentSecond() })
        #expect(watchdog.countSilentSecond())
    }
}
