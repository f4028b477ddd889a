extension Array where Element: BinaryFloatingPoint {
    /// The middle value, of an even number the mean of both; 0 of none.
    var median: Element {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        let middle = count / 2
        return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
