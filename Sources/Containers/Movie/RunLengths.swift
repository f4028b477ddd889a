/// A long sequence of numbers in which neighbours are mostly equal, stored as runs.
struct RunLengths {
    /// A number with the count of its repetitions.
    struct Run: Equatable {
        let value: UInt32
        var count: UInt32
    }

    private(set) var runs: [Run] = []

    mutating func append(_ value: UInt32, count: UInt32 = 1) {
        if let last = runs.last, last.value == value, last.count < .max - count {
            runs[runs.count - 1].count += count
        } else {
            runs.append(Run(value: value, count: count))
        }
    }

    var isAllZero: Bool { runs.allSatisfy { $0.value == 0 } }
}
