/// A sequence in which equal elements in a row are stored as one run.
package struct Runs<Element: Hashable & Sendable>: Sendable, Equatable {
    /// A run of equal consecutive elements.
    package struct Run: Sendable, Equatable {
        /// The repeated element.
        package let element: Element
        /// Number of equal elements in the run, at least 1.
        package fileprivate(set) var count: Int
    }

    /// The runs, in sequence order. Adjacent runs have different elements.
    package private(set) var runs: [Run] = []
    /// Number of elements.
    package private(set) var count = 0

    /// Creates an empty sequence.
    package init() {}

    /// Creates a sequence of `count` equal elements.
    package init(_ element: Element, count: Int = 1) { append(element, count: count) }

    /// Whether the sequence is empty.
    package var isEmpty: Bool { count == 0 }

    /// Appends an element `count` times.
    package mutating func append(_ element: Element, count: Int = 1) {
        guard count > 0 else { return }
        self.count += count
        if let last = runs.indices.last, runs[last].element == element {
            runs[last].count += count
        } else {
            runs.append(Run(element: element, count: count))
        }
    }

    /// Appends the elements of another sequence.
    package mutating func append(_ other: Self) {
        for run in other.runs { append(run.element, count: run.count) }
    }

    /// Removes the first elements and returns them.
    ///
    /// - Parameter count: Number of elements. A number above `count` removes all elements; a negative number
    ///   doesn't remove any.
    /// - Returns: The removed elements.
    package mutating func removeFirst(_ count: Int) -> Self {
        var taken = Self()
        var whole = 0
        for run in runs where taken.count < count {
            let part = min(run.count, count - taken.count)
            taken.append(run.element, count: part)
            if part == run.count { whole += 1 } else { runs[whole].count -= part }
        }
        runs.removeFirst(whole)
        self.count -= taken.count
        return taken
    }

    /// Returns the first elements, at most `count`.
    package func prefix(_ count: Int) -> Self {
        var rest = self
        return rest.removeFirst(count)
    }

    /// Returns the elements after the first `count` elements.
    package func dropFirst(_ count: Int) -> Self {
        var rest = self
        _ = rest.removeFirst(count)
        return rest
    }

    /// Returns a sequence in which each element is transformed.
    package func map<Other>(_ transform: (Element) -> Other) -> Runs<Other> {
        var result = Runs<Other>()
        for run in runs { result.append(transform(run.element), count: run.count) }
        return result
    }

    /// All elements as an array.
    package var elements: [Element] { runs.flatMap { Array(repeating: $0.element, count: $0.count) } }
}
