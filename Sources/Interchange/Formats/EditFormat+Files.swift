public import FoundationEssentials
public import Profiles

extension EditFormat {
    /// The file of the project, relative to the session folder.
    public var file: String { "edit/session.\(rawValue)" }

    /// The content of the project's file.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - cut: A cut of it.
    /// - Returns: The bytes of the file.
    public func data(of session: RecordedSession, cut: Cut) -> Data {
        let timeline = EditTimeline(session, cut: cut)
        return switch self {
        case .fcpxml: FinalCutXML.data(of: timeline)
        case .otio: OpenTimeline.data(of: timeline)
        case .mlt: MeltProject.data(of: timeline)
        case .edl: DecisionList.data(of: timeline)
        }
    }
}
