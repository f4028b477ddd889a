internal import Glibc
internal import MulticamSystem
internal import MulticamYAML

/// The locations that are searched for profiles: the user's own folder first, then other folders, and finally
/// the built-in profiles.
package struct ProfileLibrary: Sendable, Equatable {
    /// A profile that is available by name.
    package struct Entry: Sendable, Equatable {
        /// Name of the profile, which is the file name without the extension.
        package let name: String
        /// File of the profile; `nil` for a built-in profile.
        package let path: String?
        /// The parsed profile; `nil` if the profile can't be read. `problem` gives the reason.
        package let profile: Profile?
        /// Reason why the profile can't be read; `nil` if the profile was read.
        package let problem: ProfileError?

        /// Description of the profile in one line; empty if not set.
        package var description: String { profile?.description ?? "" }
    }

    /// Folders in order of precedence. A profile in an earlier folder hides a profile with the same name in a
    /// later folder.
    package let folders: [String]
    /// Folder of the user's own profiles, which is the first entry of `folders`; `nil` if unknown.
    package let ownFolder: String?
    /// Built-in profiles. Profiles in folders take precedence over built-in profiles.
    package let shipped: [ShippedProfile]

    /// Creates a profile library from folders in order of precedence. Duplicate folders are removed.
    ///
    /// - Parameters:
    ///   - folders: The folders to search.
    ///   - ownFolder: The folder of the user's own profiles, which doesn't have to exist; `nil` if unknown.
    ///   - shipped: The built-in profiles.
    package init(folders: [String], ownFolder: String? = nil, shipped: [ShippedProfile] = []) {
        var seen: Set<String> = []
        self.ownFolder = ownFolder
        self.folders = folders.filter { seen.insert($0).inserted }
        self.shipped = shipped
    }

    /// Creates the default profile library: `$XDG_CONFIG_HOME/multicam/profiles`, the folders installed with
    /// the program, the data folders of the XDG Base Directory Specification, and the built-in profiles.
    ///
    /// - Parameters:
    ///   - environment: The process's environment. Relative paths in the XDG variables are ignored, as
    ///     required by the XDG Base Directory Specification.
    ///   - executable: The absolute path of the executable with symbolic links resolved; `nil` if unknown.
    package init(environment: [String: String], executable: String?) {
        func folder(_ variable: String, inHome usual: String) -> [String] {
            if let path = environment[variable], path.hasPrefix("/") { return [path] }
            if let home = environment["HOME"], home.hasPrefix("/") { return [home + "/" + usual] }
            return []
        }
        let config = folder("XDG_CONFIG_HOME", inHome: ".config")
        let data = folder("XDG_DATA_HOME", inHome: ".local/share")
        let named = environment["XDG_DATA_DIRS"].map { $0.split(separator: ":").map { String($0) } } ?? []
        let shared = named.filter { $0.hasPrefix("/") } + ["/usr/local/share", "/usr/share"]
        self.init(
            folders: config.map(Self.profilesFolder) + Self.shippedFolders(executable: executable)
                + data.map(Self.profilesFolder) + shared.map(Self.profilesFolder),
            ownFolder: config.first.map(Self.profilesFolder),
            shipped: ShippedProfile.all)
    }

    private static func profilesFolder(in folder: String) -> String {
        (folder.hasSuffix("/") ? String(folder.dropLast()) : folder) + "/multicam/profiles"
    }

    /// Returns the folders installed with the program: `<prefix>/share/multicam/profiles` next to
    /// `<prefix>/bin`, and the nearest `Profiles` folder in or above the executable's folder, so that a
    /// program started from a build folder finds the profiles in its package.
    private static func shippedFolders(executable: String?) -> [String] {
        guard let executable, executable.hasPrefix("/") else { return [] }
        var folders: [String] = []
        var parts = executable.split(separator: "/").dropLast().map { String($0) }
        if parts.last == "bin" {
            folders.append(
                "/" + (parts.dropLast() + ["share", "multicam", "profiles"]).joined(separator: "/"))
        }
        // A build folder is four levels deep in its package (.build/<triple>/release/multicam). The search
        // covers one additional level.
        for _ in 0..<5 where !parts.isEmpty {
            let candidate = "/" + (parts + ["Profiles"]).joined(separator: "/")
            if !profileFiles(in: candidate).isEmpty {
                folders.append(candidate)
                break
            }
            parts.removeLast()
        }
        return folders
    }

    /// Lists all profiles by name, including those that can't be read.
    ///
    /// - Parameter extraFile: Path of another profile file to list first. It replaces the profile with the same name.
    /// - Returns: The profiles, sorted by name after the extra file.
    package func list(withFile extraFile: String? = nil) -> [Entry] {
        let extra = extraFile.map { file in
            let name = Profile.name(ofFile: file)
            do throws(ProfileError) {
                return Entry(name: name, path: file, profile: try Self.read(file), problem: nil)
            } catch {
                return Entry(name: name, path: file, profile: nil, problem: error)
            }
        }
        return [extra].compactMap(\.self)
            + names.filter { $0 != extra?.name }.compactMap { name in
                let path = file(named: name)
                do throws(ProfileError) {
                    guard let text = try text(named: name) else { return nil }
                    return Entry(name: name, path: path, profile: try text.profile(), problem: nil)
                } catch {
                    return Entry(name: name, path: path, profile: nil, problem: error)
                }
            }
    }

    /// Loads a profile.
    ///
    /// - Parameter nameOrPath: A name returned by `list()`, or the path of a file. Any text that contains a
    ///   `/` or ends in `.yaml` or `.yml` is treated as a path.
    /// - Returns: The profile. The profile's content has been validated, but its devices may not be
    ///   connected.
    /// - Throws: `ProfileError` if no profile has this name, or if the profile's file can't be read or has
    ///   invalid contents.
    package func load(_ nameOrPath: String) throws(ProfileError) -> Profile {
        try text(of: nameOrPath).profile()
    }

    /// Finds a profile and reads its text.
    ///
    /// - Parameter nameOrPath: A name returned by `list()`, or the path of a file.
    /// - Returns: The profile's text, which isn't validated.
    /// - Throws: `ProfileError` if no profile has this name, or if the profile's file can't be read.
    package func text(of nameOrPath: String) throws(ProfileError) -> ProfileText {
        if Self.isPath(nameOrPath) { return try ProfileText(file: nameOrPath) }
        if let text = try text(named: nameOrPath) { return text }
        let names = names
        let known = ProfileValue.list(names, nearestTo: nameOrPath)
        throw ProfileError(
            file: nameOrPath, found: "no profile with this name",
            expected: names.isEmpty
                ? "the path of a profile file, because no profiles are installed"
                : "\(known), or the path of a profile file")
    }

    /// Names of all profiles in the library, sorted.
    private var names: [String] {
        let named = folders.flatMap { Self.profileFiles(in: $0).map(Profile.name(ofFile:)) }
        return Set(named + shipped.map(\.name)).sorted()
    }

    /// Returns the text of the first profile with this name; `nil` if no profile has this name.
    func text(named name: String) throws(ProfileError) -> ProfileText? {
        if let path = file(named: name) { return try ProfileText(file: path) }
        return shipped.first { $0.name == name }.map { ProfileText($0) }
    }

    /// Returns the path of a profile's file in the first folder that contains a profile with this name.
    private func file(named name: String) -> String? {
        for folder in folders {
            if let file = Self.profileFiles(in: folder).first(where: { Profile.name(ofFile: $0) == name }) {
                return folder + "/" + file
            }
        }
        return nil
    }

    /// Reads a profile from a file.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The profile. The profile's content has been validated, but its devices may not be
    ///   connected.
    /// - Throws: `ProfileError` if the file isn't a regular file, can't be read, or has invalid contents.
    package static func read(_ path: String) throws(ProfileError) -> Profile {
        try ProfileText(file: path).profile()
    }

    package static func isPath(_ text: String) -> Bool {
        text.contains("/") || text.hasSuffix(".yaml") || text.hasSuffix(".yml")
    }

    /// Returns the names of the profile files in a folder, sorted; empty if the folder doesn't exist or isn't
    /// readable.
    private static func profileFiles(in folder: String) -> [String] {
        FolderListing.names(in: folder).filter {
            !$0.hasPrefix(".") && ($0.hasSuffix(".yaml") || $0.hasSuffix(".yml"))
        }
    }
}

/// The text of a profile, before it is validated.
package struct ProfileText: Sendable, Equatable {
    /// The file that contains the text; `nil` for a built-in profile.
    package let path: String?
    /// Name of the profile in error messages: the path, or the name of a built-in file such as `pip.yaml`.
    let place: String
    /// The profile's text, at most one byte longer than the maximum size of a profile. The text isn't
    /// validated.
    package let bytes: [UInt8]

    init(file path: String) throws(ProfileError) {
        self.path = path
        place = path
        bytes = try ProfileLibrary.bytes(ofFile: path)
    }

    init(_ profile: ShippedProfile) {
        path = nil
        place = profile.name + ".yaml"
        bytes = profile.bytes
    }

    /// Parses the profile's text.
    ///
    /// - Throws: `ProfileError` with the location in the text, the field, and the expected value.
    package func profile() throws(ProfileError) -> Profile {
        try Profile(yaml: bytes, file: place)
    }
}

extension ProfileLibrary {
    /// Reads a profile's file. Reading stops one byte after the maximum size of a profile, so that reading an
    /// endless file doesn't cause problems.
    ///
    /// - Throws: `ProfileError` if the file doesn't exist, isn't a regular file, or can't be read.
    static func bytes(ofFile path: String) throws(ProfileError) -> [UInt8] {
        func error(_ found: String) -> ProfileError {
            ProfileError(file: path, found: found, expected: "a readable profile file")
        }
        // Without `O_NONBLOCK`, opening a named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR, ENAMETOOLONG: throw error("no such file")
            // The kernel reports this error for a socket, which can't be opened.
            case ENXIO: throw error("a socket or a device")
            default: throw error("a file that cannot be opened")
            }
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw error("a file that cannot be read") }
        switch facts.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw error("a folder")
        case S_IFIFO: throw error("a named pipe")
        default: throw error("a device")
        }
        var bytes = [UInt8](repeating: 0, count: YAMLReader.byteLimit + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else {
                throw error("a file that cannot be read (\(String(cString: strerror(errno))))")
            }
            guard got > 0 else { break }
            count += got
        }
        return Array(bytes[..<count])
    }
}

/// A profile that is built into the program and therefore available in every installation.
package struct ShippedProfile: Sendable, Equatable {
    /// Name of the profile.
    package let name: String
    /// Text of the profile, identical to the file in `Profiles/`.
    package let bytes: [UInt8]

    /// Creates a built-in profile from a name and a text.
    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// The built-in profiles, one for each file in `Profiles/`. A test checks that the texts and the files
    /// are identical.
    package static let all = [
        ShippedProfile(name: "grid", bytes: PackageResources.grid_yaml),
        ShippedProfile(name: "interview", bytes: PackageResources.interview_yaml),
        ShippedProfile(name: "pip", bytes: PackageResources.pip_yaml),
        ShippedProfile(name: "portrait", bytes: PackageResources.portrait_yaml),
        ShippedProfile(name: "side-by-side", bytes: PackageResources.side_by_side_yaml),
        ShippedProfile(name: "stress", bytes: PackageResources.stress_yaml),
        ShippedProfile(name: "tracks", bytes: PackageResources.tracks_yaml),
    ]
}
