internal import Encoding
public import Session
internal import SessionFolder

extension SessionStills {
    /// Takes the next whole frame of each of some cameras of a recording, at about one instant, and writes them into its folder,
    /// as `stills/2026-11-21_142310-123_desk.jpg`. Blocks its thread; not in a Swift task, nor from several threads at once.
    ///
    /// - Parameters:
    ///   - roles: Of the cameras; all where there is none.
    ///   - folder: The session folder.
    /// - Returns: What was written of each, or why nothing was, in the plan's order.
    /// - Throws: When there is no camera of a role; nothing is taken then.
    public func take(
        _ roles: [String] = [], intoSession folder: String
    ) throws(StillError) -> [(role: String, files: Result<StillFolder.Files, StillError>)] {
        try take(roles, into: StillFolder(ofSession: folder, version: MulticamVersion.current))
    }

    /// As above, into any folder: of devices that stand by.
    public func take(
        _ roles: [String] = [], into folder: StillFolder
    ) throws(StillError) -> [(role: String, files: Result<StillFolder.Files, StillError>)] {
        try take(roles, into: folder, with: Codecs())
    }
}
