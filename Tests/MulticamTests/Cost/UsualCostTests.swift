import MulticamMedia
import MulticamSetup
import Testing

@Suite("Default costs of an unmeasured computer")
struct UsualCostTests {
    @Test("all kinds of work have a cost, which is higher for detailed images")
    func complete() throws {
        for kind in WorkKind.allCases {
            let plain = try #require(CostTable.defaults.entry(kind, .plain), "\(kind)")
            let photographic = try #require(CostTable.defaults.entry(kind, .photographic), "\(kind)")
            let pixels = 1280.0 * 720
            #expect(plain.nanoseconds(units: pixels) > 0)
            #expect(
                photographic.nanoseconds(units: pixels) >= plain.nanoseconds(units: pixels) * 0.9, "\(kind)")
        }
    }
}
