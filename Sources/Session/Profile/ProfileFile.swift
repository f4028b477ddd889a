import Foundation
internal import YAML

extension ProfileLibrary {
    /// The bytes of a file, and at most one more than a profile may have: an endless one ends there.
    static func bytes(ofFile path: String) throws(ProfileError) -> [UInt8] {
        func error(_ found: String) -> ProfileError {
            ProfileError(file: path, found: found, expected: "a profile that can be read")
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw error("no such file")
        }
        if isFolder.boolValue { throw error("a folder") }
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw error("a file that may not be opened")
        }
        var bytes: [UInt8] = []
        do {
            while bytes.count <= YAMLReader.byteLimit,
                let some = try file.read(upToCount: YAMLReader.byteLimit + 1 - bytes.count), !some.isEmpty
            {
                bytes.append(contentsOf: some)
            }
            try file.close()
        } catch let failure {
            throw error("a file that cannot be read (\(failure.localizedDescription))")
        }
        return bytes
    }
}
