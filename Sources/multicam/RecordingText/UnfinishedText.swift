import Control
import SessionFolder

/// What is said where a recording was expected to run and none does: it may have been cut off.
enum UnfinishedText {
    /// Where recordings are made unless `--output` says otherwise, and where one may stand.
    private static let places = ["recordings", "."]

    /// Names the recordings near here that did not come to their end, with what makes each whole.
    static func tell(after error: ControlError) {
        guard case .nobody(let said) = error else { return }
        for folder in places + RecordingSearch(below: places[0]).unfinished.suffix(3) {
            guard let remedy = FolderState(of: folder).remedy(for: folder),
                !said.contains(command(in: remedy))
            else { continue }
            Output.message("\(folder): \(remedy)")
        }
    }

    /// `multicam recover …`, which the error may have named already.
    private static func command(in remedy: String) -> Substring {
        remedy.split(separator: "`", omittingEmptySubsequences: false).dropFirst().first ?? remedy[...]
    }
}
