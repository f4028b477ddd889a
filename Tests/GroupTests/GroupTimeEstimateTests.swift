import MulticamMedia
import Testing

@testable import MulticamGroup

@Suite("Coordinator's estimate of the group's time")
struct GroupTimeEstimateTests {
    private func estimate(_ nodes: [String: Double], own: Double? = nil) -> Result<Nanoseconds, GroupError> {
        Result { () throws(GroupError) in
            try GroupTimeEstimate(
                of: nodes.mapValues { .seconds(rounding: $0) }, own: own.map { .seconds(rounding: $0) }
            ).correction
        }
    }

    private func refusal(_ nodes: [String: Double], own: Double? = nil) -> String? {
        if case .failure(let error) = estimate(nodes, own: own) { error.description } else { nil }
    }

    @Test("correct clocks give the median, because message delays vary")
    func honest() {
        #expect(estimate(["a": 0.1, "b": 0.2, "c": 0.15]) == .success(.milliseconds(150)))
        #expect(estimate([:]) == .success(.zero))
        #expect(estimate(["a": -40_000]) == .success(.seconds(-40_000)))
        // This computer's own measurement is exact.
        #expect(estimate(["a": -0.1, "b": -0.2], own: 0) == .success(.zero))
    }

    @Test(
        "a single wrong clock doesn't shift the group's time: recording is refused and the clock is named",
        arguments: [3600, -3600, 6, .infinity, -1e12] as [Double])
    func lying(by seconds: Double) throws {
        for own in [nil, 0] as [Double?] {
            let text = try #require(refusal(["left": 0, "right": seconds, "third": 0.01], own: own))
            #expect(text.contains("right's clock") && !text.contains("left's"))
        }
        let two = try #require(refusal(["left": 0, "right": seconds], own: 0.001))
        #expect(two.contains("right's clock"))
    }

    @Test("if only two clocks differ, neither is trusted")
    func undecided() throws {
        let text = try #require(refusal(["left": 0, "right": 3600]))
        #expect(text.contains("left, right") && text.contains("3600 s"))
    }

    @Test("a coordinator reports if its own clock is wrong")
    func own() throws {
        let text = try #require(refusal(["left": 0, "right": 0.1], own: -60))
        #expect(text.contains("this computer's clock"))
    }
}
