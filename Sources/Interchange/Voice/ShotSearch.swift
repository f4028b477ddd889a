/// Finds the shots that show most of what should be seen, none shorter than asked: dynamic programming over frames. Pure.
struct ShotSearch {
    /// For each choice what it is worth at each frame; all of equal length, at least one frame.
    let worth: [[Float]]
    /// For each frame whether a shot may begin there; the first one may always.
    let mayBegin: [Bool]
    /// Length of the shortest shot in frames, at least 1.
    let shortest: Int
    /// What a cut must gain, in frames of worth 1.
    let price: Double

    /// The best shots in order: the choice, and its frames.
    func shots() -> [(choice: Int, frames: Range<Int>)] {
        let count = worth.first?.count ?? 0
        let sums = worth.map { values in
            values.reduce(into: [0.0]) { $0.append(($0.last ?? 0) + Double($1)) }
        }
        guard count >= shortest else {
            let best = worth.indices.max { (sums[$0].last ?? 0) < (sums[$1].last ?? 0) } ?? 0
            return [(best, 0..<count)]
        }
        // best[choice][frames]: most that so many frames are worth where the last shot is a choice that may end there.
        // from: the choice before, where that shot has its shortest length there; `stays` where it is longer.
        let (stays, begins) = (Int16(-1), Int16(-2))
        var best = worth.map { _ in [Double](repeating: -.infinity, count: count + 1) }
        var from = worth.map { _ in [Int16](repeating: stays, count: count + 1) }
        for end in shortest...count {
            for choice in worth.indices {
                var value = best[choice][end - 1] + Double(worth[choice][end - 1])
                var origin = stays
                let shot = sums[choice][end] - sums[choice][end - shortest]
                if end == shortest { (value, origin) = (shot, begins) }
                if end >= 2 * shortest, mayBegin[end - shortest] {
                    for other in worth.indices where other != choice {
                        let changed = best[other][end - shortest] - price + shot
                        if changed > value + 1e-6 { (value, origin) = (changed, Int16(other)) }
                    }
                }
                best[choice][end] = value
                from[choice][end] = origin
            }
        }
        var choice = worth.indices.max { best[$0][count] < best[$1][count] } ?? 0
        var shots: [(choice: Int, frames: Range<Int>)] = []
        var (position, end) = (count, count)
        while true {
            let origin = from[choice][position]
            if origin == stays {
                position -= 1
            } else {
                shots.append((choice, position - shortest..<end))
                if origin == begins { break }
                position -= shortest
                (choice, end) = (Int(origin), position)
            }
        }
        return shots.reversed()
    }
}
