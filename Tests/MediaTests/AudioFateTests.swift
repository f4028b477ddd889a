import MulticamMedia
import Testing

@Suite("Fates of samples")
struct AudioFateTests {
    @Test("captured audio that is superseded is silence with that cause; other silence keeps its cause")
    func superseded() {
        var fates = AudioFateRun(.captured, count: 10)
        fates.append(.silence(.late), count: 5)
        var counts = SampleCounts()
        counts.add(fates.superseded(by: .disk))
        #expect(counts.captured == 0 && counts.silence == [.disk: 10, .late: 5] && counts.total == 15)
    }

    @Test("a part of a block has the samples of all channels in its range, and their fates")
    func parts() {
        var fates = AudioFateRun(.captured, count: 2)
        fates.append(.silence(.bus), count: 2)
        let block = AudioBlock([1, -1, 2, -2, 3, -3, 4, -4], fates: fates)
        #expect(block.channels == 2 && block.count == 4)
        let part = block[1..<4]
        #expect(part.samples == [2, -2, 3, -3, 4, -4])
        #expect(part.fates.elements == [.captured, .silence(.bus), .silence(.bus)])
        #expect(block[2..<2].samples.isEmpty && block[2..<2].count == 0)
    }

    @Test("elements that are removed in parts of any size are the same in the same order")
    func runs() {
        var fates = AudioFateRun()
        for (cause, count) in [(LossCause.bus, 3), (.disk, 1), (.bus, 4), (.late, 2)] {
            fates.append(.silence(cause), count: count)
        }
        let all = fates.elements
        var taken: [AudioFate] = []
        for count in [0, 2, 3, -1, 4, 100] { taken += fates.removeFirst(count).elements }
        #expect(taken == all && fates.isEmpty && fates.runs.isEmpty)
    }
}
