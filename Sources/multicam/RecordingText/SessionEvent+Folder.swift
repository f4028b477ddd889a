import Media
import SessionFolder

extension SessionEvent {
    /// Of `started`: the session folder's path.
    var folder: String? {
        guard name == .started, case .string(let folder)? = fields["folder"] else { return nil }
        return folder
    }
}
