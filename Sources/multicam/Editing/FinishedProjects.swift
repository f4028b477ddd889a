import Interchange
import Media
import Profiles
import Rendering
import Session
import SessionFolder

/// Writes the projects that a profile asks for with `edit`, when a recording has ended.
enum FinishedProjects {
    /// Writes them into the recording's folder and says so. What fails is said: the recording itself is whole all the same.
    static func write(for result: RecordingResult) {
        let formats = (result.manifest.edit ?? []).compactMap { EditFormat(rawValue: $0) }
        guard !formats.isEmpty else { return }
        do throws(FileError) {
            let session = try RecordedSession(folder: result.folder).withFirstFrames(in: result.folder)
            let files = try SessionExport.write(
                session, cut: .live(of: session), formats: formats, in: result.folder)
            Output.message(
                "for the editor: \(files.joined(separator: ", ")) in \(result.folder.printable()).")
        } catch {
            Output.message(
                "no project was written for an editor: \(error.description)".printable(limit: 1000))
        }
    }
}
