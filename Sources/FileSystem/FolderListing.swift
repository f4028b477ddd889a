internal import Glibc
package import Media

/// The names of all entries of a folder, except `.` and `..`.
package struct FolderListing {
    /// The names that are valid UTF-8, sorted.
    package private(set) var names: [String] = []
    /// The names that are not valid UTF-8, unsorted, with replacement characters so that a person can read them.
    package private(set) var unreadableNames: [String] = []

    /// Reads a folder.
    ///
    /// - Parameters:
    ///   - folder: Path of the folder.
    ///   - limit: Largest number of names to read, as a bound for folders with any number of entries.
    /// - Throws: `FileError` "open" when the folder cannot be opened, with the system's error number.
    package init(of folder: String, atMost limit: Int = .max) throws(FileError) {
        guard let stream = opendir(folder) else {
            throw FileError(path: folder, operation: "open", errno: errno)
        }
        defer { closedir(stream) }
        while names.count + unreadableNames.count < limit, let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                let name = bytes.prefix { $0 != 0 }
                return (
                    valid: String(validating: name, as: UTF8.self),
                    shown: String(decoding: name, as: UTF8.self)
                )
            }
            guard let valid = name.valid else {
                unreadableNames.append(name.shown)
                continue
            }
            if valid != ".", valid != ".." { names.append(valid) }
        }
        names.sort()
    }

    /// Returns the names in a folder that are valid UTF-8, sorted.
    ///
    /// - Parameters:
    ///   - folder: Path of the folder.
    ///   - limit: Largest number of names to read.
    /// - Returns: The names; empty when the folder cannot be opened.
    package static func names(in folder: String, atMost limit: Int = .max) -> [String] {
        do throws(FileError) { return try FolderListing(of: folder, atMost: limit).names } catch { return [] }
    }
}
