/// Decimal numbers as people write them, read exactly into whole units.
enum FixedPoint {
    /// Reads `12`, `-3.5`, `.25` in units of 10⁻ᵈ for d `digits`.
    ///
    /// - Returns: `nil` for anything but a plain decimal number with at most `digits` digits after the point, or when the
    ///   result does not fit.
    static func read(_ text: some StringProtocol, digits: Int) -> Int64? {
        var rest = Substring(text)
        let isNegative = rest.hasPrefix("-")
        if isNegative || rest.hasPrefix("+") { rest = rest.dropFirst() }
        let parts = rest.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        let isNumber = (whole + fraction).utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
        guard isNumber, !whole.isEmpty || !fraction.isEmpty, fraction.count <= digits else { return nil }
        let padded = whole + fraction + String(repeating: "0", count: digits - fraction.count)
        return Int64(padded).map { isNegative ? -$0 : $0 }
    }
}
