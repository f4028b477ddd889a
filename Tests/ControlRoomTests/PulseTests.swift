import Testing

@testable import Studio

@Suite("Whether the web process still serves")
struct PulseTests {
    @Test("it has half a minute to begin, and ten seconds from one sign of life to the next")
    func beats() {
        let pulse = Pulse(limit: 10, first: 30)
        #expect((1...29).allSatisfy { _ in !pulse.isStill() })
        #expect(pulse.isStill())
        pulse.beat()
        #expect((1...9).allSatisfy { _ in !pulse.isStill() })
        pulse.beat()
        #expect((1...9).allSatisfy { _ in !pulse.isStill() })
        #expect(pulse.isStill())
    }
}
