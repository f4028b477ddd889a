import MulticamMedia
import Testing

@testable import MulticamSynchrony

@Suite("Sharp events")
struct SharpEventTests {
    @Test("an event's time is the middle of its possible range")
    func middle() {
        let event = SharpEvent(
            earliest: MediaTime(nanoseconds: -10), latest: MediaTime(nanoseconds: 30), strength: 2)
        #expect(event.middle == MediaTime(nanoseconds: 10))
    }
}
