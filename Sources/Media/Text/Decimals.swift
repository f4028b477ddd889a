internal import Glibc

extension Double {
    /// Writes the number with so many digits after the point, as printf(3) rounds it: `3.14`.
    ///
    /// - Parameters:
    ///   - digits: Digits after the point, 0 to 17.
    ///   - isSigned: Whether a number that is not negative begins with a plus.
    /// - Returns: The digits; `inf` and `nan` for what is no number.
    public func decimals(_ digits: Int, isSigned: Bool = false) -> String {
        Self.printed(isSigned ? "%+.*f" : "%.*f", [Int32(clamping: min(max(digits, 0), 17)), self])
    }

    /// The number in at most six significant digits, without needless zeros: `0.5`, `2`, `1e+09`.
    public var shortest: String { Self.printed("%g", [self]) }

    private static func printed(_ format: String, _ values: [any CVarArg]) -> String {
        // The longest has 309 digits before the point.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 340) { text in
            let count = withVaList(values) { vsnprintf(text.baseAddress, text.count, format, $0) }
            let written = text.prefix(min(max(Int(count), 0), text.count - 1))
            return String(decoding: written.lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}

extension BinaryInteger {
    /// The number with zeros before it up to so many digits: `07`.
    public func padded(_ width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
