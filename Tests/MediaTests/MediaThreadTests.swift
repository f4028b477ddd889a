import Glibc
import MulticamMedia
import Testing

@Suite("Thread priorities")
struct MediaThreadTests {
    private static func priority(of id: id_t = 0) -> Int32 {
        getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id)
    }

    /// Returns the priorities of a thread and of two threads that it creates, one explicitly and one as
    /// libraries do.
    private func priorities(_ urgency: MediaThread.Urgency) -> [Int32] {
        let found = ConditionLock<[Int32]>([])
        func recordPriority() { found.withLock { $0.append(Self.priority()) } }
        MediaThread.startWhenPossible(name: "outer", urgency: urgency) {
            recordPriority()
            MediaThread.startWhenPossible(name: "inner") { recordPriority() }.join()
            MediaThread.withNormalPriority { recordPriority() }
            recordPriority()
        }.join()
        return found.withLock { $0 }
    }

    @Test("threads created by a punctual thread have normal priority, and it keeps its own")
    func inheritance() {
        let usual = Self.priority(of: id_t(getpid()))
        let found = priorities(.timeCritical)
        #expect(found.count == 4 && found[1] == usual && found[2] == usual && found[0] == found[3])
        // Without permission from the system, all priorities are equal.
        #expect(found[0] <= usual)
        #expect(priorities(.normal) == [usual, usual, usual, usual])
    }
}
