internal import YAML

extension Profile {
    /// Reads a profile.
    ///
    /// - Parameters:
    ///   - bytes: The whole file. It may hold anything.
    ///   - file: For messages, as the user named it; its last part without the ending is the profile's name.
    /// - Throws: With the place, the field and what was expected there.
    public init(yaml bytes: [UInt8], file: String) throws(ProfileError) {
        let root: YAMLNode
        do throws(YAMLError) {
            root = try YAMLReader.read(bytes)
        } catch {
            throw ProfileError(
                file: file, line: error.line, column: error.column, field: error.path.joined(separator: "."),
                found: error.found, expected: error.expected)
        }
        self = try ProfileReader(root, file: file, name: Self.name(ofFile: file)).profile()
    }

    /// `Profiles/pip.yaml` → `pip`.
    static func name(ofFile file: String) -> String {
        let last = file.split(separator: "/").last.map { String($0) } ?? file
        for ending in [".yaml", ".yml"] where last.hasSuffix(ending) && last.count > ending.count {
            return String(last.dropLast(ending.count))
        }
        return last
    }
}
