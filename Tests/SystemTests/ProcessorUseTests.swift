import MulticamSyntheticMachines
import MulticamSystem
import Testing

@Suite("Processor time of other programs")
struct ProcessorUseTests {
    /// Writes `/proc` of a computer with two processors: total busy and idle time, and the time of processes.
    private static func use(busy: Int, idle: Int, _ processes: [(id: Int, name: String, time: Int)]) throws
        -> ProcessorUse?
    {
        let machine = try SyntheticMachine()
        try machine.write("proc/stat", "cpu  \(busy) 0 0 \(idle) 0 0 0 0 0 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n")
        for process in processes {
            let fields = "S 1 1 1 0 -1 0 0 0 0 0 \(process.time - 1) 1 0 0 20 0 1 0 100"
            try machine.write("proc/\(process.id)/stat", "\(process.id) (\(process.name)) \(fields)\n")
        }
        return ProcessorUse(root: machine.root)
    }

    @Test("it is the busy time without that of multicam's own processes")
    func share() throws {
        let start = try #require(
            try Self.use(busy: 1000, idle: 1000, [(7, "multicam", 100), (8, "cc1plus", 500)]))
        let later = try #require(
            try Self.use(
                busy: 1080, idle: 1020,
                [(7, "multicam", 110), (8, "cc1plus", 560), (9, "multicam-web", 5), (10, "a (multicam", 5)]))
        let share = try #require(start.shareOfOtherPrograms(until: later))
        #expect(abs(share - 0.65) < 1e-9)
        #expect(start.shareOfOtherPrograms(until: start) == nil)
        #expect(ProcessorUse.isBusy(share) && !ProcessorUse.isBusy(0.2))
    }

    @Test("a computer without /proc, or with an unknown format, has no value")
    func unknown() throws {
        let machine = try SyntheticMachine()
        #expect(ProcessorUse(root: machine.root) == nil)
        try machine.write("proc/stat", "cpu 1 x\n")
        #expect(ProcessorUse(root: machine.root) == nil)
    }
}
