internal import MulticamMedia
internal import MulticamYAML

/// A value in a profile's file, with its path and location for error messages.
package struct ProfileValue {
    let file: String
    /// Field path of the value, such as `cameras.desk.rate`; empty for the whole file.
    let field: String
    let node: YAMLNode
    /// Collector for errors in the value's fields.
    let problems: ProfileProblems

    func error(expected: String) -> ProfileError { error(found: found, expected: expected) }

    func error(found: String, expected: String) -> ProfileError {
        error(at: node.position, found: found, expected: expected)
    }

    func error(at position: YAMLPosition, found: String, expected: String) -> ProfileError {
        ProfileError(
            file: file, line: position.line, column: position.column, field: field, found: found,
            expected: expected)
    }

    /// Returns the fields of a mapping with fixed names; empty if the value is null.
    func fields(_ names: [String]) throws(ProfileError) -> ProfileFields {
        try ProfileFields(self, names)
    }

    /// Returns the fields of a mapping with user-defined names; empty if the value is null.
    func entries(expected: String) throws(ProfileError) -> [ProfileEntry] {
        if node.isNull { return [] }
        guard case .mapping(let fields) = node.content else { throw error(expected: expected) }
        return fields.map { entry in
            ProfileEntry(
                name: entry.name, position: entry.position,
                value: ProfileValue(
                    file: file, field: field.isEmpty ? entry.name : "\(field).\(entry.name)",
                    node: entry.value, problems: problems))
        }
    }

    /// Returns the items of a list, each with the list's field path. If `allowingOne` is `true`, a single
    /// value is also accepted.
    func items(allowingOne: Bool = false, expected: String) throws(ProfileError) -> [ProfileValue] {
        switch node.content {
        case .sequence(let items):
            return
                items.map { ProfileValue(file: file, field: field, node: $0, problems: problems) }
        case .scalar where allowingOne && !node.isNull: return [self]
        case .scalar, .mapping: throw error(expected: expected)
        }
    }

    /// Returns the value as a nonempty, printable text.
    func text(limit: Int, expected: String) throws(ProfileError) -> String {
        guard case .scalar(let scalar) = node.content, !node.isNull, !scalar.text.isEmpty,
            scalar.text.printable(limit: limit) == scalar.text
        else { throw error(expected: expected) }
        return scalar.text
    }

    /// Returns the value as a case of an enumeration.
    func choice<Choice: RawRepresentable & CaseIterable>(_ type: Choice.Type = Choice.self)
        throws(ProfileError) -> Choice where Choice.RawValue == String
    {
        let words = Choice.allCases.map(\.rawValue)
        if let text = plainText, let choice = Choice(rawValue: text) { return choice }
        throw error(expected: Self.list(words, nearestTo: plainText))
    }

    func integer(in range: ClosedRange<Int>, expected: String? = nil) throws(ProfileError) -> Int {
        guard let text = plainText, let number = Int(text), range.contains(number) else {
            throw error(
                expected: expected ?? "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func decimal(
        in range: ClosedRange<Double>, excludingLowest: Bool = false, expected: String
    ) throws(ProfileError) -> Double {
        // Swift's parser also accepts hexadecimal numbers, infinity, and NaN.
        guard let text = plainText, text.utf8.allSatisfy({ Self.decimalCharacters.contains($0) }),
            let number = Double(text), range.contains(number), !excludingLowest || number > range.lowerBound
        else { throw error(expected: expected) }
        return number
    }

    func boolean() throws(ProfileError) -> Bool {
        guard let truth = booleanValue else { throw error(expected: "true or false") }
        return truth
    }

    /// The value as a Boolean in YAML 1.2 syntax; `nil` for other text and for quoted text.
    var booleanValue: Bool? {
        guard case .scalar(let scalar) = node.content, !scalar.isQuoted else { return nil }
        return switch scalar.text {
        case "true", "True", "TRUE": true
        case "false", "False", "FALSE": false
        default: nil
        }
    }

    func size() throws(ProfileError) -> FrameSize {
        guard let text = plainText, let size = SizePreset(rawValue: text)?.size ?? FrameSize(text) else {
            let names = Self.list(SizePreset.allCases.map(\.rawValue))
            throw error(
                expected: "a size in pixels such as 1280x720, each side from 1 to 16384, or \(names)")
        }
        return size
    }

    func rate() throws(ProfileError) -> FrameRate {
        guard let text = plainText,
            text.utf8.allSatisfy({ Self.decimalCharacters.contains($0) || $0 == 0x2F }),
            let rate = FrameRate(text), (0.001...1000).contains(rate.perSecond)
        else {
            throw error(
                expected: "a frame rate above 0 and at most 1000 fps, for example 30 or 29.97")
        }
        return rate
    }

    func duration(in range: ClosedRange<Nanoseconds>, example: String) throws(ProfileError) -> Nanoseconds {
        guard let text = plainText, let duration = Nanoseconds(text), range.contains(duration) else {
            throw error(
                expected: "a duration from \(range.lowerBound.text) to \(range.upperBound.text), "
                    + "for example \(example)")
        }
        return duration
    }

    /// Returns the processing of audio, written as a preset or as a mapping with a preset and single settings.
    func soundProcessing() throws(ProfileError) -> SoundProcessing {
        if case .scalar = node.content, !node.isNull { return SoundProcessing(try choice()) }
        let settings = SoundProcessing.Setting.allCases
        let fields = try fields(["preset"] + settings.map(\.rawValue))
        var processing = SoundProcessing(
            fields.read("preset", else: .off) { value throws(ProfileError) in try value.choice() })
        for setting in settings {
            let value = fields.read(setting.rawValue, else: processing[setting]) {
                value throws(ProfileError) -> Double? in
                if value.plainText == "off" { return nil }
                return try value.decimal(in: setting.range, expected: "off or \(setting.expected)")
            }
            processing[setting] = value
        }
        return processing
    }

    /// Returns a bit rate in bits per second, written as `160k` or `160000`.
    func bitrate(in range: ClosedRange<Int>) throws(ProfileError) -> Int {
        let text = plainText ?? ""
        let isThousands = text.hasSuffix("k")
        guard let number = Int(isThousands ? String(text.dropLast()) : text),
            (0...range.upperBound).contains(number), range.contains(number * (isThousands ? 1000 : 1))
        else {
            throw error(
                expected:
                    "a bit rate from \(range.lowerBound / 1000)k to \(range.upperBound / 1000)k bits per second, "
                    + "for example 160k")
        }
        return number * (isThousands ? 1000 : 1)
    }

    /// Description of the value, shown after "found" in an error message.
    var found: String {
        switch node.content {
        case .scalar where node.isNull: "nothing"
        case .scalar(let scalar): "“\(scalar.text.printable(limit: 80))”"
        case .sequence: "a list"
        case .mapping: "fields"
        }
    }

    /// Text of a scalar that isn't null, with or without quotes. Use this text for values whose type is
    /// evident from their format.
    var plainText: String? {
        guard case .scalar(let scalar) = node.content, !node.isNull else { return nil }
        return scalar.text
    }

    private static let decimalCharacters = Set("0123456789.+-eE".utf8)

    /// Formats words as "a, b or c", and adds the word that the user most likely intended.
    package static func list(_ words: [String], nearestTo word: String? = nil) -> String {
        let all =
            words.count > 1
            ? words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
            : words.first ?? "nothing"
        guard words.count > 1, let nearest = word?.nearest(among: words) else { return all }
        return "\(all) (probably \(nearest))"
    }
}

/// A field with a user-defined name, such as a role or a control.
struct ProfileEntry {
    let name: String
    /// Location of the field's name.
    let position: YAMLPosition
    let value: ProfileValue
}

/// The fields of one mapping in a profile, with fixed field names. A null value is treated as a missing
/// field.
struct ProfileFields {
    let owner: ProfileValue
    private let values: [String: ProfileValue]

    /// Reads the fields of a mapping. Fields that aren't in `names` are added to the file's problems.
    ///
    /// - Throws: `ProfileError` if the value isn't a mapping.
    init(_ owner: ProfileValue, _ names: [String]) throws(ProfileError) {
        self.owner = owner
        var values: [String: ProfileValue] = [:]
        for entry in try owner.entries(expected: "the fields \(ProfileValue.list(names))") {
            guard names.contains(entry.name) else {
                owner.problems.add(
                    entry.value.error(
                        at: entry.position, found: "an unknown field",
                        expected: ProfileValue.list(names, nearestTo: entry.name)))
                continue
            }
            if !entry.value.node.isNull { values[entry.name] = entry.value }
        }
        self.values = values
    }

    /// Whether the mapping contains a field with this name.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// Reads a field; returns `nil` if the field is missing. If the field is invalid, the error is collected
    /// and the field is treated as missing.
    func read<Value>(_ name: String, _ read: (ProfileValue) throws(ProfileError) -> Value) -> Value? {
        guard let value = values[name] else { return nil }
        return owner.problems.collecting { () throws(ProfileError) in try read(value) }
    }

    func read<Value>(
        _ name: String, else usual: Value, _ read: (ProfileValue) throws(ProfileError) -> Value
    ) -> Value {
        self.read(name, read) ?? usual
    }

    /// Reads a required field. A missing field causes an error.
    func required<Value>(
        _ name: String, expected: String, _ read: (ProfileValue) throws(ProfileError) -> Value
    ) throws(ProfileError) -> Value {
        guard let value = values[name] else {
            throw owner.error(found: "no \(name)", expected: expected)
        }
        return try read(value)
    }
}

/// The errors in one profile. The errors are collected while the file is read, so that the user can fix all
/// of them at once.
final class ProfileProblems {
    private(set) var errors: [ProfileError] = []

    /// Maximum number of errors that are stored. A file that isn't a profile could cause thousands of errors.
    private static let limit = 20

    var isEmpty: Bool { errors.isEmpty }
    var count: Int { errors.count }

    func add(_ error: ProfileError) {
        if errors.count < Self.limit { errors.append(error) }
    }

    /// Runs a parsing step and collects its error.
    ///
    /// - Returns: The result of the step; `nil` if the step failed.
    @discardableResult
    func collecting<Value>(_ step: () throws(ProfileError) -> Value) -> Value? {
        do throws(ProfileError) {
            return try step()
        } catch {
            add(error)
            return nil
        }
    }

    /// Throws the first error in file order, if any errors were collected. The error includes all other
    /// errors.
    func throwAny() throws(ProfileError) {
        let sorted = errors.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
        guard var first = sorted.first else { return }
        first.others = Array(sorted.dropFirst())
        throw first
    }
}
