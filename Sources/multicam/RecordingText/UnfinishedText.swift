import Control
import SessionFolder

/// Hints when no recording runs although one was expected: it may have been cut off.
enum UnfinishedText {
    /// The folders to search: the usual output folder, and the current folder, which may be a session folder.
    private static let places = ["recordings", "."]

    /// Prints the unfinished recordings near the current folder, with the command that recovers each.
    static func tell(after error: ControlError) {
        guard case .nobody(let said) = error else { return }
        for folder in places + RecordingSearch(below: places[0]).unfinished.suffix(3) {
            guard let remedy = FolderState(of: folder).remedy(for: folder),
                !said.contains(command(in: remedy))
            else { continue }
            Output.message("\(folder): \(remedy)")
        }
    }

    /// The command in a remedy: `multicam recover …`. The error may contain it already.
    private static func command(in remedy: String) -> Substring {
        remedy.split(separator: "`", omittingEmptySubsequences: false).dropFirst().first ?? remedy[...]
    }
}
