internal import Media
public import Plan
public import Profiles

/// Named arrangements of the program.
extension MulticamSession {
    /// Keeps what the program shows and sounds like as a scene of this session, in the place of one of its name where there is one.
    /// No file is changed: `SessionSetup.keep` writes it into the profile. `commit([.scene(name)])` shows it again.
    ///
    /// - Parameter name: A few words.
    /// - Returns: The scene.
    /// - Throws: `SessionChangeError` when the name is none for a scene, or the session has no program.
    public nonisolated func keepScene(named name: String) throws(SessionChangeError) -> SceneSettings {
        try running.withLock { running -> Result<SceneSettings, SessionChangeError> in
            Result { () throws(SessionChangeError) in try running.keepScene(named: name) }
        }.get()
    }

    /// Forgets a scene of this session; what the program shows stays. No file is changed: `SessionSetup.forget` takes it out of the
    /// profile.
    ///
    /// - Parameter name: The scene's name.
    /// - Throws: `SessionChangeError` when the session has no scene of this name.
    public nonisolated func forgetScene(named name: String) throws(SessionChangeError) {
        try running.withLock { running -> Result<Void, SessionChangeError> in
            Result { () throws(SessionChangeError) in try running.forgetScene(named: name) }
        }.get()
    }

    /// Removes a scene that was forgotten in an earlier session of the same profile.
    package nonisolated func dropScene(named name: String) {
        running.withLock { $0.dropScene(named: name) }
    }

    /// Adds a scene that was kept in an earlier session of the same profile.
    package nonisolated func keep(_ scene: SceneSettings) { running.withLock { $0.keep(scene) } }
}
