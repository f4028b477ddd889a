internal import YAML

extension Profile {
    /// Reads a profile from YAML and checks it by itself.
    ///
    /// - Parameters:
    ///   - bytes: The whole file. It may hold anything.
    ///   - file: The file as the user named it, for messages; its last part without the ending is the profile's name.
    /// - Throws: `ProfileError` with the place, the field and what was expected there, and with the further errors.
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

    /// The profile's name of a file: `pip` for `Profiles/pip.yaml`.
    static func name(ofFile file: String) -> String {
        let last = file.split(separator: "/").last.map { String($0) } ?? file
        for ending in [".yaml", ".yml"] where last.hasSuffix(ending) && last.count > ending.count {
            return String(last.dropLast(ending.count))
        }
        return last
    }
}
