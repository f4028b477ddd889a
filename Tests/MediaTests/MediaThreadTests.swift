import Glibc
import Media
import Testing

@Suite("Threads and who goes first")
struct MediaThreadTests {
    private static func priority(of id: id_t = 0) -> Int32 {
        getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id)
    }

    /// The priority of a thread, and of one that is made from there: by hand, and as libraries make theirs.
    private func priorities(_ urgency: MediaThread.Urgency) -> [Int32] {
        let found = ConditionLock<[Int32]>([])
        func note() { found.withLock { $0.append(Self.priority()) } }
        MediaThread(name: "outer", urgency: urgency) {
            note()
            MediaThread(name: "inner") { note() }.join()
            MediaThread.ordinarily { note() }
            note()
        }.join()
        return found.withLock { $0 }
    }

    @Test("what a punctual thread makes is not itself before others, and it stays so itself")
    func inheritance() {
        let usual = Self.priority(of: id_t(getpid()))
        let found = priorities(.punctual)
        #expect(found.count == 4 && found[1] == usual && found[2] == usual && found[0] == found[3])
        // Where the system does not allow it, all are alike.
        #expect(found[0] <= usual)
        #expect(priorities(.ordinary) == [usual, usual, usual, usual])
    }
}
