internal import FileSystem
internal import FoundationEssentials
internal import Glibc
internal import Media

extension ProfileLibrary {
    /// Keeps a scene in a profile: in its file where that is the user's own, that is named by a path or lies in the folder of own
    /// profiles; else in a copy in that folder, which comes before the shipped profile from then on. The file is replaced as a
    /// whole, and read back before.
    ///
    /// - Parameters:
    ///   - scene: The scene, in the place of one of its name where there is one.
    ///   - nameOrPath: The profile's name or the path of its file.
    /// - Returns: The path of the file that has the scene now, and whether that is a new copy.
    /// - Throws: `ProfileError` with the reason why the scene cannot be kept; the file is as before then.
    public func keep(
        _ scene: SceneSettings, in nameOrPath: String
    ) throws(ProfileError) -> (path: String, isCopy: Bool) {
        try rewrite(nameOrPath, try text(of: nameOrPath)) { (text) throws(ProfileError) in
            try text.keeping(scene)
        }
    }

    /// Takes a scene out of a profile: out of the same file into which `keep` would write it.
    ///
    /// - Parameters:
    ///   - name: The scene's name.
    ///   - nameOrPath: The profile's name or the path of its file.
    /// - Returns: The path of the file that lacks the scene now, and whether that is a new copy; `nil` where the profile has no such
    ///   scene, and nothing is written.
    /// - Throws: `ProfileError` with the reason why the scene cannot be taken out; the file is as before then.
    public func forget(
        sceneNamed name: String, in nameOrPath: String
    ) throws(ProfileError) -> (path: String, isCopy: Bool)? {
        let text = try text(of: nameOrPath)
        guard try SceneText(text.bytes, file: text.path ?? nameOrPath).has(name) else { return nil }
        return try rewrite(nameOrPath, text) { (text) throws(ProfileError) in try text.forgetting(name) }
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
                file: nameOrPath, found: "no folder for own profiles", expected: "HOME or XDG_CONFIG_HOME")
        }
        let copy = folder + "/" + Profile.name(ofFile: text.path ?? nameOrPath) + ".yaml"
        guard access(copy, F_OK) != 0 else {
            throw ProfileError(
                file: text.path ?? nameOrPath, found: "a profile that may not be written",
                expected: "one that may be, since \(copy) is another one")
        }
        let bytes = try change(try SceneText(text.bytes, file: copy))
        do throws(FileError) {
            try FolderCreation.make(folder)
        } catch {
            throw ProfileError(
                file: folder, found: "a folder that cannot be made (\(error))",
                expected: "a folder for own profiles")
        }
        try Self.write(bytes, to: copy)
        return (copy, true)
    }

    /// The file that a path leads to, where the user may replace it; `nil` elsewhere.
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
                expected: "one that can be")
        }
    }
}
