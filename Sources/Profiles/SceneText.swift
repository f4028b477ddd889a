internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSystem
internal import MulticamYAML

/// Inserts a scene into the text of a profile, or deletes a scene. The rest of the text, including comments
/// and the order of fields, remains unchanged.
struct SceneText {
    private let lines: [ArraySlice<UInt8>]
    private let root: YAMLNode
    private let profile: Profile
    private let bytes: [UInt8]
    private let file: String

    /// Expected format for error messages. If the profile's fields aren't on separate lines, scenes can't be
    /// inserted safely.
    private static let expected = "a profile with one field per line, so that scenes can be added"

    /// Creates an editor for a profile's text.
    ///
    /// - Parameters:
    ///   - bytes: The text of the profile.
    ///   - file: The file name of the profile, for error messages.
    /// - Throws: `ProfileError` if the text isn't a valid profile.
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

    /// Returns the profile's text with a scene added. An existing scene with the same name is replaced.
    ///
    /// - Throws: `ProfileError` if the profile doesn't have the scene's roles, or if the formatting of the
    ///   text prevents safe changes.
    func saving(_ scene: SceneSettings) throws(ProfileError) -> [UInt8] {
        let fields = try fields()
        var expected = profile
        expected.scenes.save(scene)
        return try checked(written(scene, all: expected.scenes, fields), expected)
    }

    /// Whether the profile has a scene with this name.
    func has(_ name: String) -> Bool { profile.scenes.contains { $0.name == name } }

    /// Returns the profile's text with a scene removed.
    ///
    /// - Throws: `ProfileError` if the formatting of the text prevents safe changes.
    func deleting(_ name: String) throws(ProfileError) -> [UInt8] {
        let fields = try fields()
        var expected = profile
        expected.scenes.removeAll { $0.name == name }
        return try checked(without(name, rest: expected.scenes, fields), expected)
    }

    private func fields() throws(ProfileError) -> [YAMLField] {
        guard case .mapping(let fields) = root.content, let first = fields.first,
            first.position == root.position, first.position.column == 1
        else {
            throw ProfileError(file: file, found: "fields in braces on one line", expected: Self.expected)
        }
        return fields
    }

    /// Parses the changed text and checks that the profile is unchanged except for the scene.
    private func checked(_ text: [UInt8], _ expected: Profile) throws(ProfileError) -> [UInt8] {
        guard try Profile(yaml: text, file: file) == expected else {
            throw ProfileError(
                file: file, found: "scenes in a format that cannot be edited automatically",
                expected: Self.expected)
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

    /// Returns the lines and the value of the field `scenes`; `nil` if the profile doesn't have this field.
    private func place(in fields: [YAMLField]) -> (lines: Range<Int>, value: YAMLNode)? {
        guard let index = fields.firstIndex(where: { $0.name == "scenes" }) else { return nil }
        let begin = fields[index].position.line - 1
        let next = index + 1 < fields.count ? fields[index + 1].position.line - 1 : lines.count
        return (begin..<contentEnd(from: begin, to: next), fields[index].value)
    }

    /// Returns the scenes if each scene starts on a separate line below the line of the `scenes` field; `nil`
    /// for any other formatting.
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

    /// Returns the end of a field, excluding trailing comments and empty lines, which belong to the next
    /// field.
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

    // MARK: Scene text

    private static func line(_ scene: SceneSettings, column: Int) -> [UInt8] {
        var fields = ["layout: \(scene.layout.rawValue)", "main: \(word(scene.main))"]
        if scene.layout.maximumCameras != 1 { fields.append("inset: \(list(scene.insets))") }
        fields.append("corner: \(scene.style.corner.rawValue)")
        fields += InsetStyle.Number.allCases.map { "\($0.rawValue): \($0.text(scene.style[$0]))" }
        fields.append("fit: \(scene.style.fit.rawValue)")
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

    /// Returns a text in YAML syntax. The text is quoted unless its meaning is unambiguous without quotes.
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

extension ProfileLibrary {
    /// Saves a scene in a profile. If the profile is specified by a path or is in the user's own profile
    /// folder, the file itself is changed. Otherwise, a copy of the profile is created in the user's folder
    /// and takes precedence over the shipped profile. The changed text is parsed and checked before the file
    /// is replaced as a whole.
    ///
    /// - Parameters:
    ///   - scene: The scene to save, which replaces any existing scene with the same name.
    ///   - nameOrPath: The profile's name or the path of its file.
    /// - Returns: The path of the file that now contains the scene, and whether the file is a new copy.
    /// - Throws: `ProfileError` with the reason if the scene can't be saved. If an error is thrown, the file
    ///   is unchanged.
    package func save(
        _ scene: SceneSettings, in nameOrPath: String
    ) throws(ProfileError) -> (path: String, isCopy: Bool) {
        try rewrite(nameOrPath, try text(of: nameOrPath)) { (text) throws(ProfileError) in
            try text.saving(scene)
        }
    }

    /// Deletes a scene from a profile. This method changes the same file that `save` would write.
    ///
    /// - Parameters:
    ///   - name: The scene's name.
    ///   - nameOrPath: The profile's name or the path of its file.
    /// - Returns: The path of the file that no longer contains the scene, and whether the file is a new copy;
    ///   `nil` if the profile doesn't contain the scene, in which case no file is written.
    /// - Throws: `ProfileError` with the reason if the scene can't be deleted. If an error is thrown, the
    ///   file is unchanged.
    package func delete(
        sceneNamed name: String, in nameOrPath: String
    ) throws(ProfileError) -> (path: String, isCopy: Bool)? {
        let text = try text(of: nameOrPath)
        guard try SceneText(text.bytes, file: text.path ?? nameOrPath).has(name) else { return nil }
        return try rewrite(nameOrPath, text) { (text) throws(ProfileError) in try text.deleting(name) }
    }

    private func rewrite(
        _ nameOrPath: String, _ text: ProfileText,
        _ change: (SceneText) throws(ProfileError) -> [UInt8]
    ) throws(ProfileError) -> (path: String, isCopy: Bool) {
        if let path = text.path, let own = Self.writable(path),
            Self.isPath(nameOrPath) || ownFolder.map({ path.hasPrefix($0 + "/") }) ?? false
        {
            try Self.write(try change(try SceneText(text.bytes, file: path)), to: own)
            return (path, false)
        }
        guard let folder = ownFolder else {
            throw ProfileError(
                file: nameOrPath, found: "no folder for your profiles",
                expected: "HOME or XDG_CONFIG_HOME to be set")
        }
        let copy = folder + "/" + Profile.name(ofFile: text.path ?? nameOrPath) + ".yaml"
        guard access(copy, F_OK) != 0 else {
            throw ProfileError(
                file: text.path ?? nameOrPath, found: "a read-only profile",
                expected:
                    "a writable profile; the profile cannot be copied to your folder, because \(copy) already exists"
            )
        }
        let bytes = try change(try SceneText(text.bytes, file: copy))
        do throws(FileError) {
            try FolderCreation.make(folder)
        } catch {
            throw ProfileError(
                file: folder, found: "a folder that cannot be created (\(error))",
                expected: "a writable folder for your profiles")
        }
        try Self.write(bytes, to: copy)
        return (copy, true)
    }

    /// Returns the resolved path of a file if the user may replace it; otherwise `nil`.
    private static func writable(_ path: String) -> String? {
        let own = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let folder = URL(fileURLWithPath: own).deletingLastPathComponent().path
        return access(own, W_OK) == 0 && access(folder, W_OK) == 0 ? own : nil
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(ProfileError) {
        var facts = stat()
        let permissions = stat(path, &facts) == 0 ? UInt32(facts.st_mode & 0o777) : 0o666
        do throws(FileError) {
            try FileReplacement.write(bytes, to: path, permissions: permissions, syncsFolder: true)
        } catch {
            throw ProfileError(
                file: path, found: "a file that cannot be written (\(error.description))",
                expected: "a writable profile file")
        }
    }
}
