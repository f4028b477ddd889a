import Media
import Testing

@testable import Synchrony

@Suite("Sharp events")
struct SharpEventTests {
    @Test("are taken for the middle of what is possible")
    func middle() {
        let event = SharpEvent(
            earliest: MediaTime(nanoseconds: -10), latest: MediaTime(nanoseconds: 30), strength: 2)
        #expect(event.middle == MediaTime(nanoseconds: 10))
    }
}
