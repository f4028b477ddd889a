import Foundation
import MulticamMedia
import MulticamSession
import MulticamSessionFolder

/// Records with one fault after the other in this process, and reports violated invariants.
struct Worker {
    /// Time after which a recording of 1.5 s counts as hanging. A working recording takes less than that, also on a busy machine.
    private static let hangTimeout = Nanoseconds.seconds(300)
    static let hangExitStatus: Int32 = 97

    /// Tests faults and prints one or more lines for each.
    ///
    /// - Parameters:
    ///   - faults: The faults, in test order.
    ///   - isKept: Whether to keep and describe the recordings.
    /// - Throws: An error if the recording folder can't be created.
    static func work(_ faults: [Fault], isKept: Bool = false) async throws {
        let bench = try Bench(in: NSTemporaryDirectory())
        let began = ConditionLock<ClockTime?>(nil)
        MediaThread.startWhenPossible(name: "watchdog") {
            let clock = MonotonicClock()
            while true {
                clock.sleep(until: clock.now + .seconds(1), unless: Cancellation())
                guard let begin = began.withLock({ $0 }), clock.now > begin + hangTimeout else { continue }
                _exit(hangExitStatus)
            }
        }
        // Resources loaded once, such as fonts, must not count as leaks or growth.
        _ = try await bench.record(nil)
        let oracle = Oracle(baseline: try await bench.record(nil))
        for breach in oracle.breaches(try await bench.record(nil), Fault("none", 1, "none")) {
            printLine("# without any fault: \(breach)")
        }
        for fault in faults {
            printLine("? \(fault)")
            began.withLock { $0 = MonotonicClock().now }
            let outcome = try await bench.record(fault, isKept: isKept)
            began.withLock { $0 = nil }
            for breach in oracle.breaches(outcome, fault) {
                printLine("! \(fault)\t\(breach.replacing("\n", with: " "))")
            }
            printLine(outcome.firedCount > 0 ? "= \(fault)" : "- \(fault)")
            if isKept { describe(outcome, bench) }
        }
        if !isKept { try bench.remove() }
    }

    private static func describe(_ outcome: Bench.Outcome, _ bench: Bench) {
        printLine("kept in \(bench.folder)/recording; the fault happened \(outcome.firedCount) times")
        for event in outcome.events { printLine(event.line()) }
        switch outcome.result {
        case .failure(let error): printLine("refused: \(error)")
        case .success(let result):
            for failure in result.storageFailures + (result.backup?.storageFailures ?? []) {
                printLine("storage: \(failure)")
            }
            for failure in result.encodingFailures { printLine("encoding: \(failure)") }
            for sentence in result.exceededLimits { printLine("limit: \(sentence)") }
            for track in result.manifest.tracks {
                let figures = track.frames.map { "\($0)" } ?? track.samples.map { "\($0)" } ?? ""
                printLine("\(track.name): \(figures) \(track.failure ?? "")")
            }
        }
    }

    static func printLine(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
