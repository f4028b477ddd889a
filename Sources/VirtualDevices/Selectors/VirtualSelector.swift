import Media

/// The parts of a selector `virtual:PATTERN?key=value&…`, with readers for its values.
///
/// Keys begin after the last `?`, so that the path of a still image may hold a `?` if another follows it.
struct VirtualSelector {
    let text: String
    let pattern: String
    private let values: [String: String]

    static let prefix = "virtual:"

    /// Splits a selector into its pattern and its keys with values.
    ///
    /// - Parameters:
    ///   - text: The selector as the user wrote it.
    ///   - keys: All keys that this kind of device knows, in the order of the manual.
    ///   - kind: `camera` or `microphone`, for messages.
    /// - Throws: `.usage` for a text without `virtual:`, or a key that is unknown, repeated or without a value.
    init(_ text: String, keys: [String], kind: String) throws(VirtualDeviceError) {
        self.text = text
        guard text.hasPrefix(Self.prefix) else {
            throw .usage(
                selector: text, explanation: "a synthetic \(kind) is written `virtual:PATTERN?key=value&…`.")
        }
        let rest = text.dropFirst(Self.prefix.count)
        let mark = rest.lastIndex(of: "?")
        pattern = String(rest[..<(mark ?? rest.endIndex)])
        var values: [String: String] = [:]
        let query = mark.map { rest[rest.index(after: $0)...] } ?? ""
        for pair in query.split(separator: "&", omittingEmptySubsequences: false) where !query.isEmpty {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let key = String(parts[0])
            guard keys.contains(key) else {
                throw .usage(
                    selector: text,
                    explanation: "`\(key.printable())` is no key of a virtual \(kind). It has "
                        + keys.joined(separator: ", ") + ".")
            }
            guard parts.count == 2, !parts[1].isEmpty else {
                throw .usage(selector: text, explanation: "`\(key)` has no value: write `\(key)=…`.")
            }
            guard values.updateValue(String(parts[1]), forKey: key) == nil else {
                throw .usage(
                    selector: text, explanation: "`\(key)` is there twice. Several values go into one list.")
            }
        }
        self.values = values
    }

    /// Reads a value with `parse`.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - expected: What is allowed, as the end of a sentence, for messages.
    ///   - parse: Returns `nil` for a text that is not allowed.
    /// - Returns: The parsed value; `nil` when the key is absent.
    /// - Throws: `.usage` when `parse` returns `nil`.
    func value<Value>(
        _ key: String, _ expected: String, _ parse: (String) -> Value?
    ) throws(VirtualDeviceError) -> Value? {
        guard let written = values[key] else { return nil }
        guard let value = parse(written) else {
            throw .usage(
                selector: text,
                explanation: "`\(key)=\(written.printable())` is not possible: expected \(expected).")
        }
        return value
    }

    /// Reads a decimal number within bounds, both in units of 10⁻ᵈ for d `digits`; `nil` when the key is absent.
    func number(
        _ key: String, _ expected: String, digits: Int, in bounds: ClosedRange<Int64>
    ) throws(VirtualDeviceError) -> Int64? {
        try value(key, expected) { text in
            FixedPoint.read(text, digits: digits).flatMap { bounds.contains($0) ? $0 : nil }
        }
    }

    /// Reads a share of 0…1; 0 when the key is absent.
    func share(_ key: String) throws(VirtualDeviceError) -> Double {
        let billionths = try number(key, "a share from 0 to 1", digits: 9, in: 0...1_000_000_000)
        return Double(billionths ?? 0) / 1e9
    }

    /// Reads a length of time in milliseconds within bounds; `nil` when the key is absent.
    func milliseconds(
        _ key: String, _ bounds: ClosedRange<Int64>
    ) throws(VirtualDeviceError) -> Nanoseconds? {
        let expected = "milliseconds from \(bounds.lowerBound) to \(bounds.upperBound)"
        let limits = bounds.lowerBound * 1_000_000...bounds.upperBound * 1_000_000
        return try number(key, expected, digits: 6, in: limits).map { Nanoseconds($0) }
    }

    /// Reads a list of rising instants in seconds after T0; empty when the key is absent.
    func instants(_ key: String) throws(VirtualDeviceError) -> [Nanoseconds] {
        let expected = "seconds after the start, 0 or more, each later than the one before: `\(key)=5,20`"
        return try value(key, expected) { text in
            var instants: [Nanoseconds] = []
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let instant = Self.seconds(part), instants.last.map({ $0 < instant }) ?? true else {
                    return nil
                }
                instants.append(instant)
            }
            return instants
        } ?? []
    }

    /// Reads seconds from 0 to 10⁸, about three years; `nil` for any other text.
    static func seconds(_ text: some StringProtocol) -> Nanoseconds? {
        guard let count = FixedPoint.read(text, digits: 9), (0...100_000_000_000_000_000).contains(count)
        else {
            return nil
        }
        return Nanoseconds(count)
    }
}
