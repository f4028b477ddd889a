import Foundation
import Media

/// Has faults tried by processes of their own: one that dies or hangs is a finding, and another takes up the rest.
final class Crew: Sendable {
    private struct State {
        var breaches: [(fault: Fault, sentence: String)] = []
        var tried = 0
        var fired = 0
    }

    private let state = ConditionLock(State())
    private let program: String

    /// So many faults a process: little is lost where one dies, and memory that is not given back does not count against all.
    private static let batch = 40

    init(program: String) { self.program = program }

    /// What did not hold, in the order in which it was found.
    var breaches: [(fault: Fault, sentence: String)] { state.withLock { $0.breaches } }
    /// How many were tried, and at how many of them the fault happened.
    var counts: (tried: Int, fired: Int) { state.withLock { ($0.tried, $0.fired) } }

    /// Tries all, by several processes at once.
    func run(_ faults: [Fault], jobs: Int) {
        let batches = stride(from: 0, to: faults.count, by: Self.batch).map {
            Array(faults[$0..<min($0 + Self.batch, faults.count)])
        }
        let left = ConditionLock(batches[...])
        let threads = (0..<jobs).map { _ in
            MediaThread(name: "crew") { [self] in
                while let batch = left.withLock({ $0.popFirst() }) { work(batch) }
            }
        }
        for thread in threads { thread.join() }
    }

    /// One process after the other until all of them are tried.
    private func work(_ faults: [Fault]) {
        var rest = faults[...]
        while !rest.isEmpty {
            let (finished, underWay, end) = start(Array(rest))
            rest = rest.dropFirst(finished)
            if let underWay {
                note(underWay, "process: \(end)")
                rest = rest.dropFirst()
            } else if finished == 0, let first = rest.first {
                note(first, "process: \(end) before anything was tried")
                return
            }
        }
    }

    private func note(_ fault: Fault, _ sentence: String) {
        state.withLock { state in
            state.breaches.append((fault, sentence))
            state.tried += 1
            state.fired += 1
        }
        Self.tell(fault, sentence)
    }

    private static func tell(_ fault: Fault, _ sentence: String) {
        Worker.say("BROKEN \(fault)  \(sentence)")
    }

    /// - Returns: How many were tried to their end, which one was not, and how the process ended.
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
        let listener = MediaThread(name: "complaints") {
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
                take(line, &finished, &underWay)
            }
        }
        process.waitUntilExit()
        listener.join()
        Bench.remove(ofProcess: process.processIdentifier)
        let said = complaints.withLock { $0 }.split(separator: "\n").first { $0.contains("rror") } ?? ""
        let status = process.terminationStatus
        let how =
            status == Worker.hung && process.terminationReason == .exit
            ? "it did not end" : "it died of \(status): \(said)"
        return (finished, underWay, how)
    }

    private func take(_ line: String, _ finished: inout Int, _ underWay: inout Fault?) {
        if line.hasPrefix("#") { Worker.say(line) }
        let parts = line.dropFirst(2).split(separator: "\t", maxSplits: 1).map(String.init)
        guard let fault = parts.first.flatMap(Fault.init) else { return }
        switch line.first {
        case "?": underWay = fault
        case "!" where parts.count == 2:
            state.withLock { $0.breaches.append((fault, parts[1])) }
            Self.tell(fault, parts[1])
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
