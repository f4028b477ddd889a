import Media
import Setup
import Testing

@Suite("The costs of a computer that was not measured")
struct UsualCostTests {
    @Test("are figures for all that a recording does, higher where there is more to see")
    func complete() throws {
        for kind in WorkKind.allCases {
            let plain = try #require(CostTable.usual.entry(kind, .plain), "\(kind)")
            let photographic = try #require(CostTable.usual.entry(kind, .photographic), "\(kind)")
            let pixels = 1280.0 * 720
            #expect(plain.nanoseconds(units: pixels) > 0)
            #expect(
                photographic.nanoseconds(units: pixels) >= plain.nanoseconds(units: pixels) * 0.9, "\(kind)")
        }
    }
}
