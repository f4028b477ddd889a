extension String {
    /// The word that was most probably meant, for “did you mean”. Upper and lower case count as equal.
    ///
    /// - Returns: The nearest of `words` by letters that were added, left out, changed or swapped with their neighbour;
    ///   `nil` when even that one differs in more than a third of its letters (in one of a word of three to five), and for
    ///   a text of more than 64 bytes.
    public func nearest(among words: some Sequence<String>) -> String? {
        // What is much longer than any word is none of them; comparing it would only cost time.
        guard utf8.count <= 64 else { return nil }
        let best = words.map { (word: $0, distance: distance(to: $0)) }.min { $0.distance < $1.distance }
        guard let best, best.distance <= best.word.count / 3 else { return nil }
        return best.word
    }

    /// The optimal string alignment distance to `word`, with capital letters counted as small ones.
    private func distance(to word: String) -> Int {
        let (a, b) = (Array(lowercased()), Array(word.lowercased()))
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var cost = Swift.min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    cost = Swift.min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}
