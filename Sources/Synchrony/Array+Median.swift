extension Array where Element: BinaryFloatingPoint {
    /// The median. For an even number of values, the mean of the two middle ones; 0 for an empty array.
    var median: Element {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        let middle = count / 2
        return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
