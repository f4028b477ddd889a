package import FoundationEssentials
internal import Glibc
package import MulticamMedia
package import MulticamProfiles
internal import MulticamSessionFolder

/// Writes editing projects into a session folder.
package enum SessionExport {
    /// Path of the last exported cut, relative to the session folder. `--cut FILE` reads this file.
    package static let cutFile = "edit/cut.json"

    /// Writes the projects for a cut, and the cut itself. Existing files are replaced.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - cut: A cut of the recording.
    ///   - formats: The formats, in order.
    ///   - folder: Path of the session folder.
    /// - Returns: Paths of the files relative to the session folder.
    /// - Throws: `FileError` with the operation "creating the folder", "creating the file", "writing" or "renaming".
    package static func write(
        _ session: RecordedSession, cut: Cut, formats: [EditFormat], in folder: String
    ) throws(FileError) -> [String] {
        for format in formats {
            try SessionFolder.write(format.data(of: session, cut: cut), to: format.file, in: folder)
        }
        try SessionFolder.write(cut.json, to: cutFile, in: folder)
        return formats.map(\.file) + [cutFile]
    }
}

extension EditFormat {
    /// Path of the project file, relative to the session folder.
    package var file: String { "edit/session.\(rawValue)" }

    /// Returns the content of the project file.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - cut: A cut of the recording.
    /// - Returns: The bytes of the file.
    package func data(of session: RecordedSession, cut: Cut) -> Data {
        let timeline = EditTimeline(session, cut: cut)
        return switch self {
        case .fcpxml: FinalCutXML.data(of: timeline)
        case .otio: OpenTimeline.data(of: timeline)
        case .mlt: MeltProject.data(of: timeline)
        case .edl: DecisionList.data(of: timeline)
        }
    }
}
