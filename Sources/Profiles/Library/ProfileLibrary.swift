internal import FileSystem
import Glibc

/// The places where profiles are looked for: folders, the user's own first, then the profiles built into the program.
public struct ProfileLibrary: Sendable, Equatable {
    /// One profile that can be named.
    public struct Entry: Sendable, Equatable {
        /// The profile's name: its file's name without the ending.
        public let name: String
        /// The profile's file; `nil` when the profile is built into the program.
        public let path: String?
        /// The profile; `nil` when it cannot be read, for the reason in `problem`.
        public let profile: Profile?
        /// Why the profile cannot be read; `nil` when it can.
        public let problem: ProfileError?

        /// The profile's description in one line; empty where there is none.
        public var description: String { profile?.description ?? "" }
    }

    /// The folders in order of precedence: a profile of an earlier folder hides one of the same name in a later one.
    public let folders: [String]
    /// The folder of the user's own profiles, the first of `folders`; `nil` where none is known.
    public let ownFolder: String?
    /// The profiles built into the program. Each folder's profiles come before them.
    public let shipped: [ShippedProfile]

    /// Creates a library of folders in order of precedence; a folder named twice counts once.
    ///
    /// - Parameters:
    ///   - folders: The folders.
    ///   - ownFolder: The folder of the user's own profiles; it need not exist. `nil` where none is known.
    ///   - shipped: The profiles built into the program.
    public init(folders: [String], ownFolder: String? = nil, shipped: [ShippedProfile] = []) {
        var seen: Set<String> = []
        self.ownFolder = ownFolder
        self.folders = folders.filter { seen.insert($0).inserted }
        self.shipped = shipped
    }

    /// Creates the usual library: `$XDG_CONFIG_HOME/multicam/profiles`, the folders installed with the program, the data folders
    /// of the XDG Base Directory Specification, then the profiles built into the program.
    ///
    /// - Parameters:
    ///   - environment: The process's environment. Relative paths in the XDG variables are ignored, as the specification says.
    ///   - executable: The absolute path of the program's file, symbolic links resolved; `nil` where it is not known.
    public init(environment: [String: String], executable: String?) {
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

    /// The folders installed with the program: `<prefix>/share/multicam/profiles` beside `<prefix>/bin`, and the nearest
    /// `Profiles` at or above the program's file, so that a build folder finds the profiles of its package.
    private static func shippedFolders(executable: String?) -> [String] {
        guard let executable, executable.hasPrefix("/") else { return [] }
        var folders: [String] = []
        var parts = executable.split(separator: "/").dropLast().map { String($0) }
        if parts.last == "bin" {
            folders.append(
                "/" + (parts.dropLast() + ["share", "multicam", "profiles"]).joined(separator: "/"))
        }
        // A build folder lies four deep in its package (.build/<triple>/release/multicam); one to spare.
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

    /// Lists all profiles by name, including those that cannot be read.
    public func list() -> [Entry] {
        names.compactMap { name in
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
    /// - Parameter nameOrPath: A name that `list()` has, or the path of a file: any text that contains a `/` or ends in `.yaml`
    ///   or `.yml`.
    /// - Returns: The profile, checked by itself but not against any device.
    /// - Throws: `ProfileError` when there is no profile of this name, its file cannot be read, or something in it is wrong.
    public func load(_ nameOrPath: String) throws(ProfileError) -> Profile {
        try text(of: nameOrPath).profile()
    }

    /// Finds a profile and reads its text.
    ///
    /// - Parameter nameOrPath: A name that `list()` has, or the path of a file.
    /// - Returns: The text, which may hold anything.
    /// - Throws: `ProfileError` when there is no profile of this name, or its file cannot be read.
    public func text(of nameOrPath: String) throws(ProfileError) -> ProfileText {
        if Self.isPath(nameOrPath) { return try ProfileText(file: nameOrPath) }
        if let text = try text(named: nameOrPath) { return text }
        let names = names
        let known = ProfileValue.list(names, nearestTo: nameOrPath)
        throw ProfileError(
            file: nameOrPath, found: "no profile of this name",
            expected: names.isEmpty
                ? "the path of a profile's file, as no profile is installed"
                : "\(known), or the path of a file")
    }

    /// The names of all profiles, sorted.
    private var names: [String] {
        let named = folders.flatMap { Self.profileFiles(in: $0).map(Profile.name(ofFile:)) }
        return Set(named + shipped.map(\.name)).sorted()
    }

    /// The text of the first profile of this name; `nil` where there is none.
    func text(named name: String) throws(ProfileError) -> ProfileText? {
        if let path = file(named: name) { return try ProfileText(file: path) }
        return shipped.first { $0.name == name }.map { ProfileText($0) }
    }

    /// The path of a profile's file in the first folder that has one.
    private func file(named name: String) -> String? {
        for folder in folders {
            if let file = Self.profileFiles(in: folder).first(where: { Profile.name(ofFile: $0) == name }) {
                return folder + "/" + file
            }
        }
        return nil
    }

    /// Reads a profile's file.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The profile, checked by itself but not against any device.
    /// - Throws: `ProfileError` when the file is no regular file, cannot be read, or something in it is wrong.
    public static func read(_ path: String) throws(ProfileError) -> Profile {
        try ProfileText(file: path).profile()
    }

    static func isPath(_ text: String) -> Bool {
        text.contains("/") || text.hasSuffix(".yaml") || text.hasSuffix(".yml")
    }

    /// Names of the profiles' files in a folder, sorted; empty where the folder does not exist or must not be read.
    private static func profileFiles(in folder: String) -> [String] {
        FolderListing.names(in: folder).filter {
            !$0.hasPrefix(".") && ($0.hasSuffix(".yaml") || $0.hasSuffix(".yml"))
        }
    }
}
