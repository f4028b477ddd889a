internal import Encoding
public import Media
internal import SessionFolder
public import Stills

extension SessionStills {
    /// Creates a still camera for each camera of a setup, for clips of any camera, with audio. Give it to `makeSession`.
    ///
    /// - Parameters:
    ///   - setup: The setup with its opened devices.
    ///   - live: Length of the clip around each still, in nanoseconds; zero for none.
    public init(_ setup: SessionSetup, live: Nanoseconds = .zero) {
        self.init(setup.plan, cameras: setup.cameras, live: live, codecs: setup.codecs)
    }

    /// Takes the next whole frame of each camera of a recording, at about one instant, and writes them into its folder as
    /// `stills/2026-11-21_142310-123_desk.jpg`. Blocks its thread: do not call it in a Swift task, nor from several threads at
    /// once.
    ///
    /// - Parameters:
    ///   - roles: The roles of the cameras; all when empty.
    ///   - folder: The path of the session folder.
    /// - Returns: The written files of each camera, or why there are none, in the plan's order.
    /// - Throws: `StillError` when there is no camera of a role; nothing is taken then.
    public func take(
        _ roles: [String] = [], intoSession folder: String
    ) throws(StillError) -> [(role: String, files: Result<StillFolder.Files, StillError>)] {
        try take(roles, into: StillFolder(ofSession: folder, version: MulticamVersion.current))
    }

    /// Takes the next whole frame of each camera, at about one instant, and writes them into any folder, for cameras on standby.
    /// Blocks its thread: do not call it in a Swift task, nor from several threads at once.
    ///
    /// - Parameters:
    ///   - roles: The roles of the cameras; all when empty.
    ///   - folder: The folder to write into.
    /// - Returns: The written files of each camera, or why there are none, in the plan's order.
    /// - Throws: `StillError` when there is no camera of a role; nothing is taken then.
    public func take(
        _ roles: [String] = [], into folder: StillFolder
    ) throws(StillError) -> [(role: String, files: Result<StillFolder.Files, StillError>)] {
        try take(roles, into: folder, with: Codecs())
    }
}
