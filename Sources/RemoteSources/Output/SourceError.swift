/// Why a network camera does not deliver, as a sentence without secrets.
enum SourceError: Error, Equatable, CustomStringConvertible {
    /// The network, or the camera at the moment. It is tried again soon.
    case lost(String)
    /// The password, the path or the format: nothing changes by itself. It is tried again more rarely.
    case refused(String)
    /// A person: it is not tried again.
    case over(String)

    var description: String {
        switch self {
        case .lost(let text), .refused(let text), .over(let text): text
        }
    }
}
