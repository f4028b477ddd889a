import MulticamKit
import Session

/// What is said where a recording was expected to run and none does: it may have been cut off.
enum UnfinishedText {
    /// Where recordings are made unless `--output` says otherwise, and where one may stand.
    private static let places = ["recordings", "."]

    /// Names the recordings near here that did not come to their end, with what makes each whole.
    static func tell(after error: ControlError) {
        guard case .nobody = error else { return }
        for place in places {
            if let remedy = FolderState(of: place).remedy(for: place) {
                Output.message("\(place): \(remedy)")
            }
        }
        for folder in RecordingSearch(below: places[0]).unfinished.suffix(3) {
            guard let remedy = FolderState(of: folder).remedy(for: folder) else { continue }
            Output.message("\(folder): \(remedy)")
        }
    }
}
