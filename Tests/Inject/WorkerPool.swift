import Foundation
import MulticamMedia

/// Tests faults in separate processes. If a process dies or hangs, this is a finding, and a new process
/// continues with the remaining faults.
final class WorkerPool: Sendable {
    private struct State {
        var breaches: [(fault: Fault, sentence: String)] = []
        var tried = 0
        var fired = 0
    }

    private let state = ConditionLock(State())
    private let program: String

    /// Number of faults per process. A small number limits the loss if a process dies, and the amount of
    /// unreleased memory.
    private static let batch = 40

    init(program: String) { self.program = program }

    /// Violated invariants, in the order in which they were detected.
    var breaches: [(fault: Fault, sentence: String)] { state.withLock { $0.breaches } }
    /// The number of faults tested, and how many of them occurred.
    var counts: (tried: Int, fired: Int) { state.withLock { ($0.tried, $0.fired) } }

    /// Tests all faults in several parallel processes.
    func run(_ faults: [Fault], jobs: Int) {
        let batches = stride(from: 0, to: faults.count, by: Self.batch).map {
            Array(faults[$0..<min($0 + Self.batch, faults.count)])
        }
        let left = ConditionLock(batches[...])
        let threads = (0..<jobs).map { _ in
            MediaThread.startWhenPossible(name: "crew") { [self] in
                while let batch = left.withLock({ $0.popFirst() }) { work(batch) }
            }
        }
        for thread in threads { thread.join() }
    }

    /// Runs one process after the other until all faults are tested.
    private func work(_ faults: [Fault]) {
        var rest = faults[...]
        while !rest.isEmpty {
            let (finished, underWay, end) = start(Array(rest))
            rest = rest.dropFirst(finished)
            if let underWay {
                recordBreach(underWay, "process: \(end)")
                rest = rest.dropFirst()
            } else if finished == 0, let first = rest.first {
                recordBreach(first, "process: \(end) before anything was tried")
                return
            }
        }
    }

    private func recordBreach(_ fault: Fault, _ sentence: String) {
        state.withLock { state in
            state.breaches.append((fault, sentence))
            state.tried += 1
            state.fired += 1
        }
        Self.printBreach(fault, sentence)
    }

    private static func printBreach(_ fault: Fault, _ sentence: String) {
        Worker.printLine("BROKEN \(fault)  \(sentence)")
    }

    /// - Returns: The number of completed tests, the fault whose test wasn't completed, if any, and how the
    ///   process ended.
    private func start(_ faults: [Fault]) -> (finished: Int, underWay: Fault?, end: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--work"] + faults.map(\.description)
        var environment = ProcessInfo.processInfo.environment
        environment["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = environment
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        do {
            try process.run()
        } catch {
            return (0, nil, "could not be started: \(error)")
        }
        let complaints = ConditionLock("")
        let listener = MediaThread.startWhenPossible(name: "complaints") {
            let data = errors.fileHandleForReading.readDataToEndOfFile()
            complaints.withLock { $0 = String(decoding: data.suffix(2000), as: UTF8.self) }
        }
        var text = ""
        var (finished, underWay): (Int, Fault?) = (0, nil)
        while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
            text += String(decoding: data, as: UTF8.self)
            while let end = text.firstIndex(of: "\n") {
                let line = String(text[..<end])
                text = String(text[text.index(after: end)...])
                handleLine(line, &finished, &underWay)
            }
        }
        process.waitUntilExit()
        listener.join()
        Bench.remove(ofProcess: process.processIdentifier)
        let said = complaints.withLock { $0 }.split(separator: "\n").first { $0.contains("rror") } ?? ""
        let status = process.terminationStatus
        let how =
            status == Worker.hangExitStatus && process.terminationReason == .exit
            ? "it did not end" : "it died of \(status): \(said)"
        return (finished, underWay, how)
    }

    private func handleLine(_ line: String, _ finished: inout Int, _ underWay: inout Fault?) {
        if line.hasPrefix("#") { Worker.printLine(line) }
        let parts = line.dropFirst(2).split(separator: "\t", maxSplits: 1).map(String.init)
        guard let fault = parts.first.flatMap(Fault.init) else { return }
        switch line.first {
        case "?": underWay = fault
        case "!" where parts.count == 2:
            state.withLock { $0.breaches.append((fault, parts[1])) }
            Self.printBreach(fault, parts[1])
        case "=", "-":
            finished += 1
            underWay = nil
            state.withLock { state in
                state.tried += 1
                if line.first == "=" { state.fired += 1 }
            }
        default: break
        }
    }
}
