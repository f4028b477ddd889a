import Foundation

/// Makes every component of a recording fail at every call, and reports violated invariants.
///
///     inject [--seam PREFIX] [--calls N] [--sample N] [--seed N] [--jobs N]
///     inject --list
///     inject --try FAULT…
///     inject --show FAULT
///
/// The program for `tools/inject`, which documents the options, and for the test suite.
@main
struct Inject {
    static func main() async throws {
        var words = CommandLine.arguments.dropFirst()
        let processors = ProcessInfo.processInfo.activeProcessorCount
        var options = [
            "--seam": "", "--calls": "4", "--sample": "0", "--seed": "1", "--jobs": "\(processors)",
        ]
        while let word = words.popFirst() {
            switch word {
            case "--work", "--show", "--try":
                let faults = words.compactMap(Fault.init)
                guard faults.count == words.count, !faults.isEmpty else { usage() }
                guard word != "--try" else { return run(faults, jobs: processors) }
                return try await Worker.work(faults, isKept: word == "--show")
            case "--list": return try await list()
            default:
                guard options[word] != nil, let value = words.popFirst() else { usage() }
                options[word] = value
            }
        }
        let numbers = options.filter { $0.key != "--seam" }.compactMapValues { Int($0) }
        guard numbers.count == options.count - 1, let calls = numbers["--calls"], calls > 0,
            let sample = numbers["--sample"], let seed = numbers["--seed"], seed >= 0,
            let jobs = numbers["--jobs"], jobs > 0
        else { usage() }
        let points = try await points()
        var faults = points.all(ofSeams: options["--seam"] ?? "", most: calls)
        if sample > 0 { faults = FaultPoints.sample(faults, sample, seed: UInt64(seed)) }
        run(faults, jobs: jobs)
    }

    /// Tests faults, prints the findings, and exits with status 1 if an invariant was violated.
    private static func run(_ faults: [Fault], jobs: Int) {
        let crew = WorkerPool(program: URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path)
        crew.run(faults, jobs: jobs)
        let broken = Set(crew.breaches.map(\.fault))
        print(
            "\(crew.counts.tried) points, \(crew.counts.fired) of them failed as asked; \(broken.count) broke a sentence"
        )
        let kinds = crew.breaches.map {
            "\(Seam(name: $0.fault.seam).family): \($0.sentence.prefix { $0 != ":" })"
        }
        for (kind, all) in Dictionary(grouping: kinds, by: { $0 }).sorted(by: { $0.key < $1.key }) {
            print("  \(all.count) \(kind)")
        }
        if !broken.isEmpty { exit(1) }
    }

    private static func points() async throws -> FaultPoints {
        let bench = try Bench(in: NSTemporaryDirectory())
        defer { try? bench.remove() }
        return FaultPoints(calls: try await bench.record(nil).calls)
    }

    private static func list() async throws {
        for (seam, count) in try await points().calls.sorted(by: { $0.key < $1.key }) {
            print("\(seam)  \(count) calls: \(Seam(name: seam).kinds.joined(separator: " "))")
        }
    }

    private static func usage() -> Never {
        print(
            "usage: inject [--seam PREFIX] [--calls N] [--sample N] [--seed N] [--jobs N] | --list | --try FAULT… | --show FAULT"
        )
        exit(2)
    }
}
