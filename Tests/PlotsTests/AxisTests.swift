import Testing

@testable import MulticamPlots

@Suite("Axes")
struct AxisTests {
    @Test("an axis labels round numbers within any range")
    func ticks() {
        #expect(Axis(0...10, from: 0, to: 1).ticks(atMost: 5) == [0, 2, 4, 6, 8, 10])
        #expect(Axis(-130...260, from: 0, to: 1).ticks(atMost: 4) == [-100, 0, 100, 200])
        #expect(
            Axis(0.001...0.0042, from: 0, to: 1).ticks(atMost: 4).map(Axis.label) == [
                "0.001", "0.002", "0.003", "0.004",
            ])
        #expect(Axis(5...5, from: 0, to: 1).ticks(atMost: 3).contains(5))
    }

    @Test("an axis maps a number to its position and clamps numbers outside its range")
    func place() {
        let axis = Axis(-1...1, from: 100, to: 0)
        #expect(axis.position(of: 0) == 50 && axis.position(of: -1) == 100 && axis.position(of: 7) == 0)
    }
}
