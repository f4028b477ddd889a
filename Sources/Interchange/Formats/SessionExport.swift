internal import Glibc
public import Media
public import Profiles
internal import SessionFolder

/// Writes projects for editors into a session folder.
public enum SessionExport {
    /// Where the cut stands that was exported last, relative to the session folder; `--cut FILE` reads it back.
    public static let cutFile = "edit/cut.json"

    /// Writes the projects of a cut, and the cut itself. Files that exist are replaced as a whole.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - cut: A cut of it.
    ///   - formats: The formats, in order.
    ///   - folder: Path of the session folder.
    /// - Returns: Paths of the files, relative to the session folder.
    /// - Throws: `FileError` "make the folder", "create", "write" or "rename".
    public static func write(
        _ session: RecordedSession, cut: Cut, formats: [EditFormat], in folder: String
    ) throws(FileError) -> [String] {
        for format in formats {
            try SessionFolder.write(format.data(of: session, cut: cut), to: format.file, in: folder)
        }
        try SessionFolder.write(cut.json, to: cutFile, in: folder)
        return formats.map(\.file) + [cutFile]
    }
}
