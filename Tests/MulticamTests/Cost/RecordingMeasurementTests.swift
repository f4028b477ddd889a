import MulticamMedia
import Testing

@testable import MulticamSetup

@Suite("Overhead of a recording beyond its tasks")
struct RecordingMeasurementTests {
    @Test(
        "short recordings measure the cost of a wakeup, and one factor for all processor work"
    )
    func completed() async throws {
        var alone = CostTable.defaults
        alone.plain[.deliver] = nil
        let table = try await RecordingMeasurement(duration: .milliseconds(400)).completed(alone)
        #expect(Set(table.plain.keys) == Set(WorkKind.allCases))
        #expect(try #require(table.entry(.deliver, .plain)).nanoseconds(units: 0) >= 0)
        func factor(_ kind: WorkKind, _ detail: CostTable.Detail) throws -> Double {
            let (before, after) = (alone.entry(kind, detail), table.entry(kind, detail))
            return try #require(after).nanoseconds(units: 1000) / #require(before).nanoseconds(units: 1000)
        }
        let expected = try factor(.encodeBalanced, .plain)
        #expect((0.5...3).contains(expected))
        for kind in WorkKind.allCases where kind != .deliver && kind != .store {
            for detail in CostTable.Detail.allCases {
                #expect(abs(try factor(kind, detail) / expected - 1) < 1e-6, "\(kind)")
            }
        }
        #expect(try factor(.store, .plain) == 1)
    }
}
