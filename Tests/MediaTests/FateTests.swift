import MulticamMedia
import Testing

@Suite("Fates of ticks")
struct FateTests {
    @Test(
        "a superseded captured frame is lost with that cause; a tick already missing keeps its cause")
    func superseded() {
        #expect(Fate.captured.superseded(by: .encoder) == .replaced(.encoder))
        #expect(Fate.slate(.disconnected).superseded(by: .encoder) == .duplicated(.disconnected))
        #expect(Fate.duplicated(nil).superseded(by: .encoder) == .duplicated(nil))
        #expect(Fate.replaced(.corrupt).superseded(by: .encoder) == .replaced(.corrupt))
    }

    @Test("a run preserves the order of its fates when it is extended and split")
    func runs() {
        var run = FateRun(.captured, count: 3)
        run.append(.duplicated(nil))
        run.append(.duplicated(nil), count: 2)
        var more = FateRun(.duplicated(nil))
        more.append(.slate(.bus))
        run.append(more)
        let all = run.elements
        #expect(all.count == 8 && run.count == 8)
        let first = run.removeFirst(5)
        #expect(first.elements + run.elements == all && run.count == 3)
        #expect(run.counts.total == 3 && run.counts.slate == 1 && run.counts.duplicated == 2)
    }
}
