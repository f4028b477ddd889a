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
        try Self.library.keep(scene, in: try profileName())
    }

    /// Takes a scene out of the user's profile: out of its file where that is the user's own, else a copy among the user's own
    /// profiles is made without it. The rest of the file stays as it is. Waits for the disk; do not call it in a Swift task.
    ///
    /// - Parameter name: The scene's name.
    /// - Returns: The path of the file, and whether it is a new copy; `nil` where the profile has no such scene.
    /// - Throws: `ProfileError` with the reason why it is not taken out; all files are as before then.
    public func forget(sceneNamed name: String) throws(ProfileError) -> (path: String, isCopy: Bool)? {
        try Self.library.forget(sceneNamed: name, in: try profileName())
    }

    private func profileName() throws(ProfileError) -> String {
        guard let request, profile?.source.isText ?? false else {
            throw ProfileError(
                file: plan.profile, found: "a profile that no file holds", expected: "a profile's file")
        }
        return request.profile
    }
}
