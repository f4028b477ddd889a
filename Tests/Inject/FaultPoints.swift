/// All faults that a recording can have, or a sample of them.
struct FaultPoints {
    /// Number of calls of each seam in a recording without faults.
    let calls: [String: Int]

    /// Maximum number of free descriptors in the tests in which descriptors run out.
    private static let descriptors = 40

    /// - Parameters:
    ///   - prefix: Prefix of the names of the seams.
    ///   - most: Maximum number of calls per seam and kind. The calls are evenly spaced and include the first
    ///   and the last.
    /// - Returns: Each kind of fault at each of these calls, and permanent faults that start at the first and
    ///   at the middle call.
    func all(ofSeams prefix: String = "", most: Int) -> [Fault] {
        var faults: [Fault] = []
        for (name, count) in calls.sorted(by: { $0.key < $1.key }) where name.hasPrefix(prefix) {
            let count = name.hasPrefix("descriptors") ? Self.descriptors : count
            let most = name.hasPrefix("descriptors") ? Self.descriptors : most
            for kind in Seam(name: name).kinds {
                let chosen = Self.spread(count, most)
                faults += chosen.map { Fault(name, $0, kind, seed: UInt64($0)) }
                guard !Seam.single.contains(kind), !name.hasPrefix("descriptors"), count > 1 else { continue }
                faults += Set([1, (count + 1) / 2]).sorted().map { Fault(name, $0, kind, isLasting: true) }
            }
        }
        return faults
    }

    private static func spread(_ count: Int, _ most: Int) -> [Int] {
        guard count > most else { return Array(1...max(count, 1)) }
        guard most > 1 else { return [(count + 1) / 2] }
        return (0..<most).map { 1 + $0 * (count - 1) / (most - 1) }
    }

    /// Returns a random sample, which is reproducible by its seed and evenly distributed over the seams.
    static func sample(_ faults: [Fault], _ count: Int, seed: UInt64) -> [Fault] {
        var state = seed
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(limit))
        }
        var bySeam = Dictionary(grouping: faults, by: \.seam)
        var chosen: [Fault] = []
        while chosen.count < count, !bySeam.isEmpty {
            for seam in bySeam.keys.sorted() where chosen.count < count {
                guard var left = bySeam[seam] else { continue }
                chosen.append(left.remove(at: random(left.count)))
                bySeam[seam] = left.isEmpty ? nil : left
            }
        }
        return chosen
    }
}
