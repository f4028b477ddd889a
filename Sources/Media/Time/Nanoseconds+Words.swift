extension Nanoseconds {
    /// The length as people say it, rounded down to what matters at its size: `1 h 30 min`, `2 min 5 s`, `8 s`, `0.25 s`,
    /// `416 days 16 h`.
    ///
    /// Below a second it keeps milliseconds, below a minute hundredths of a second. For messages only: `init(_:)` does not
    /// read every form.
    public var words: String {
        guard count >= 0 else { return "−" + Nanoseconds(count == .min ? .max : -count).words }
        let seconds = count / 1_000_000_000
        switch seconds {
        case ..<1: return Self.decimal(thousandths: count / 1_000_000)
        case ..<60: return Self.decimal(thousandths: count / 10_000_000 * 10)
        case ..<3600: return Self.pair(seconds / 60, "min", seconds % 60, "s")
        case ..<172_800: return Self.pair(seconds / 3600, "h", seconds / 60 % 60, "min")
        default: return Self.pair(seconds / 86_400, "days", seconds / 3600 % 24, "h")
        }
    }

    /// Seconds with up to three decimals: `2.5 s`.
    private static func decimal(thousandths: Int64) -> String {
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
        var fraction = String(String(1000 + rest).dropFirst())
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(whole)" + (fraction.isEmpty ? "" : ".\(fraction)") + " s"
    }

    /// Two units, `1 h 30 min`, or the larger one alone where the smaller is 0: `1 h`.
    private static func pair(_ large: Int64, _ unit: String, _ small: Int64, _ smallUnit: String) -> String {
        small == 0 ? "\(large) \(unit)" : "\(large) \(unit) \(small) \(smallUnit)"
    }
}
