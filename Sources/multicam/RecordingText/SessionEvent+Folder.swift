import Media
import SessionFolder

extension SessionEvent {
    /// The session folder's path in a `started` event; `nil` for other events.
    var folder: String? {
        guard name == .started, case .string(let folder)? = fields["folder"] else { return nil }
        return folder
    }
}
