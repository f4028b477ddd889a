extension Array where Element: BinaryFloatingPoint {
    /// The median of the values in the array. If the number of values is even, the median is the mean of the
    /// two middle values. The median of an empty array is 0.
    var median: Element {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        let middle = count / 2
        return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
