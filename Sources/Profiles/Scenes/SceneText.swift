internal import Media
internal import YAML

/// Writes a scene into the text of a profile, or takes it out, and leaves the rest of the text as it is, comments and order included. Pure.
struct SceneText {
    private let lines: [ArraySlice<UInt8>]
    private let root: YAMLNode
    private let profile: Profile
    private let bytes: [UInt8]
    private let file: String

    /// Where the fields of a profile are not one below the other, nothing can be put between them safely.
    private static let expected = "the fields of a profile below each other, to write scenes among them"

    /// - Parameters:
    ///   - bytes: The text.
    ///   - file: Its name, for errors.
    /// - Throws: `ProfileError` when it is no valid profile.
    init(_ bytes: [UInt8], file: String) throws(ProfileError) {
        profile = try Profile(yaml: bytes, file: file)
        do throws(YAMLError) {
            root = try YAMLReader.read(bytes)
        } catch {
            throw ProfileError(file: file, found: error.found, expected: error.expected)
        }
        self.bytes = bytes
        self.file = file
        lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }

    /// The text with a scene, in the place of one of its name where there is one.
    ///
    /// - Throws: `ProfileError` when the profile does not have the scene's roles, or its text is written in a way that cannot be
    ///   changed safely.
    func keeping(_ scene: SceneSettings) throws(ProfileError) -> [UInt8] {
        let fields = try fields()
        var expected = profile
        expected.scenes.keep(scene)
        return try checked(written(scene, all: expected.scenes, fields), expected)
    }

    /// Whether the profile has a scene of this name.
    func has(_ name: String) -> Bool { profile.scenes.contains { $0.name == name } }

    /// The text without a scene.
    ///
    /// - Throws: `ProfileError` when the text is written in a way that cannot be changed safely.
    func forgetting(_ name: String) throws(ProfileError) -> [UInt8] {
        let fields = try fields()
        var expected = profile
        expected.scenes.removeAll { $0.name == name }
        return try checked(without(name, rest: expected.scenes, fields), expected)
    }

    private func fields() throws(ProfileError) -> [YAMLField] {
        guard case .mapping(let fields) = root.content, let first = fields.first,
            first.position == root.position, first.position.column == 1
        else { throw ProfileError(file: file, found: "fields in braces", expected: Self.expected) }
        return fields
    }

    /// What was written is read back: it must be the same profile but for the scene.
    private func checked(_ text: [UInt8], _ expected: Profile) throws(ProfileError) -> [UInt8] {
        guard try Profile(yaml: text, file: file) == expected else {
            throw ProfileError(file: file, found: "scenes that cannot be changed", expected: Self.expected)
        }
        return text
    }

    private func without(_ name: String, rest: [SceneSettings], _ fields: [YAMLField]) -> [UInt8] {
        guard let (lines, value) = place(in: fields) else { return bytes }
        guard !rest.isEmpty else { return replacing(lines, with: []) }
        guard let scenes = rows(of: value, from: lines.lowerBound),
            let place = scenes.firstIndex(where: { $0.name == name })
        else { return replacing(lines, with: block(rest)) }
        return replacing(self.lines(of: place, in: scenes, to: lines.upperBound), with: [])
    }

    /// The lines of the field `scenes`, and its value; `nil` where the profile has none.
    private func place(in fields: [YAMLField]) -> (lines: Range<Int>, value: YAMLNode)? {
        guard let index = fields.firstIndex(where: { $0.name == "scenes" }) else { return nil }
        let begin = fields[index].position.line - 1
        let next = index + 1 < fields.count ? fields[index + 1].position.line - 1 : lines.count
        return (begin..<contentEnd(from: begin, to: next), fields[index].value)
    }

    /// The scenes where each begins a line of its own below the field's; `nil` where they are written otherwise.
    private func rows(of value: YAMLNode, from begin: Int) -> [YAMLField]? {
        guard case .mapping(let scenes) = value.content, let first = scenes.first,
            first.position == value.position, first.position.line - 1 > begin
        else { return nil }
        return scenes
    }

    private func lines(of place: Int, in scenes: [YAMLField], to end: Int) -> Range<Int> {
        let from = scenes[place].position.line - 1
        let to = place + 1 < scenes.count ? scenes[place + 1].position.line - 1 : end
        return from..<contentEnd(from: from, to: to)
    }

    private func written(
        _ scene: SceneSettings, all: [SceneSettings], _ fields: [YAMLField]
    ) -> [UInt8] {
        guard let (lines, value) = place(in: fields) else {
            return bytes + (bytes.last == UInt8(ascii: "\n") ? [] : ending)
                + block([scene]).flatMap { $0 + ending }
        }
        guard let scenes = rows(of: value, from: lines.lowerBound), let first = scenes.first else {
            return replacing(lines, with: block(all))
        }
        let line = Self.line(scene, column: first.position.column)
        guard let place = scenes.firstIndex(where: { $0.name == scene.name }) else {
            return replacing(lines.upperBound..<lines.upperBound, with: [line])
        }
        return replacing(self.lines(of: place, in: scenes, to: lines.upperBound), with: [line])
    }

    /// The end of a field without the comments and empty lines after it, which belong to what follows.
    private func contentEnd(from begin: Int, to end: Int) -> Int {
        var end = end
        while end > begin + 1 {
            let rest = lines[end - 1].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }
            guard rest.isEmpty || rest.first == UInt8(ascii: "#") else { break }
            end -= 1
        }
        return end
    }

    private var ending: [UInt8] {
        Array((lines.first?.last == UInt8(ascii: "\r") ? "\r\n" : "\n").utf8)
    }

    private func replacing(_ range: Range<Int>, with new: [[UInt8]]) -> [UInt8] {
        let mark = ending.dropLast()
        var all = lines.map { Array($0) }
        all.replaceSubrange(range, with: new.map { $0 + mark })
        return Array(all.joined(separator: [UInt8(ascii: "\n")]))
    }

    private func block(_ scenes: [SceneSettings]) -> [[UInt8]] {
        [Array("scenes:".utf8)] + scenes.map { Self.line($0, column: 3) }
    }

    // MARK: One scene

    private static func line(_ scene: SceneSettings, column: Int) -> [UInt8] {
        var fields = ["layout: \(scene.layout.rawValue)", "main: \(word(scene.main))"]
        if scene.layout != .single { fields.append("inset: \(list(scene.insets))") }
        fields += [
            "corner: \(scene.corner.rawValue)", "scale: \(scene.insetShare)", "margin: \(scene.marginShare)",
            "border: \(scene.border)", "filling: \(scene.filling.rawValue)",
        ]
        fields += numbers("zoom", scene.zooms.mapValues(\.factor), leavingOut: nil)
        fields += numbers("pan", scene.zooms.mapValues(\.pan), leavingOut: 0)
        fields += numbers("tilt", scene.zooms.mapValues(\.tilt), leavingOut: 0)
        if let mix = scene.mix { fields.append("mix: \(list(mix))") }
        fields += numbers("gains", scene.gains, leavingOut: nil)
        let indent = String(repeating: " ", count: column - 1)
        return Array("\(indent)\(word(scene.name)): { \(fields.joined(separator: ", ")) }".utf8)
    }

    private static func list(_ roles: [String]) -> String { "[\(roles.map(word).joined(separator: ", "))]" }

    private static func numbers(_ field: String, _ values: [String: Double], leavingOut usual: Double?)
        -> [String]
    {
        let all = values.filter { $0.value != usual }.sorted { $0.key < $1.key }
        guard !all.isEmpty else { return [] }
        return ["\(field): { \(all.map { "\(word($0.key)): \($0.value)" }.joined(separator: ", ")) }"]
    }

    /// A word as YAML has it: in quotes unless it is plain beyond doubt.
    private static func word(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let isPlain =
            bytes.allSatisfy {
                Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-".utf8).contains($0)
            }
            && bytes.first.map {
                Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8).contains($0)
            } ?? false
            && text.lowercased() != "null"
        return isPlain
            ? text
            : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }
}
