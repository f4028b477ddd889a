internal import Plan
public import Profiles

extension SessionSetup {
    /// Writes a scene into the user's profile: into its file where that is the user's own, else into a copy among the user's own
    /// profiles. The rest of the file stays as it is. Waits for the disk; do not call it in a Swift task.
    ///
    /// - Parameter scene: The scene, as `MulticamSession.keepScene` returns it.
    /// - Returns: The path of the file, and whether it is a new copy.
    /// - Throws: `ProfileError` with the reason why it is not written; all files are as before then.
    public func keep(_ scene: SceneSettings) throws(ProfileError) -> (path: String, isCopy: Bool) {
        guard let request, profile?.source.isText ?? false else {
            throw ProfileError(
                file: plan.profile, found: "a profile that no file holds", expected: "a profile's file")
        }
        return try Self.library.keep(scene, in: request.profile)
    }
}
