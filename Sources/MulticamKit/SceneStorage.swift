internal import MulticamControl
internal import MulticamMedia
internal import MulticamProfiles
internal import MulticamSession
internal import MulticamSetup

/// Saves and deletes scenes on request: in the current session, in later sessions, and in the user's profile.
/// Thread-safe.
final class SceneStorage: Sendable {
    private struct State {
        var saved: [SceneSettings] = []
        var deleted: Set<String> = []
    }

    private let state = ConditionLock(State())

    /// Applies all saved and deleted scenes to a session, because the session's profile was read before these
    /// changes were made.
    func apply(to session: MulticamSession) {
        let state = state.withLock { $0 }
        for scene in state.saved { session.save(scene) }
        for name in state.deleted { session.dropScene(named: name) }
    }

    /// Saves the program's current layout and mix as a scene. The call blocks until the data is on disk.
    ///
    /// - Parameters:
    ///   - name: The scene's name.
    ///   - session: The current session.
    ///   - setup: The session's setup; `nil` if the session has ended.
    /// - Returns: The reply to the sender.
    func save(_ name: String, of session: MulticamSession, _ setup: SessionSetup?) -> ControlReply {
        let scene: SceneSettings
        do throws(SessionChangeError) {
            scene = try session.saveScene(named: name)
        } catch {
            return ControlReply(error)
        }
        state.withLock { state in
            state.saved.save(scene)
            state.deleted.remove(name)
        }
        guard let setup else { return ControlReply(ok: false, text: "The session has ended.") }
        do throws(ProfileError) {
            let (path, isCopy) = try setup.save(scene)
            return ControlReply(
                ok: true, text: "Scene \(name) was saved to \(Self.file(path, isCopy: isCopy))")
        } catch {
            return ControlReply(
                ok: true,
                text:
                    "Scene \(name) is available only until this session ends, because the profile can't be written: \(error.description)"
            )
        }
    }

    /// Deletes a scene. The call blocks until the data is on disk.
    ///
    /// - Parameters:
    ///   - name: The scene's name.
    ///   - session: The current session.
    ///   - setup: The session's setup; `nil` if the session has ended.
    /// - Returns: The reply to the sender.
    func delete(_ name: String, of session: MulticamSession, _ setup: SessionSetup?) -> ControlReply {
        do throws(SessionChangeError) {
            try session.deleteScene(named: name)
        } catch {
            return ControlReply(error)
        }
        state.withLock { state in
            state.saved.removeAll { $0.name == name }
            state.deleted.insert(name)
        }
        guard let setup else { return ControlReply(ok: false, text: "The session has ended.") }
        do throws(ProfileError) {
            guard let (path, isCopy) = try setup.delete(sceneNamed: name) else {
                return ControlReply(
                    ok: true, text: "Scene \(name) was deleted. The scene wasn't saved in a profile file.")
            }
            return ControlReply(
                ok: true, text: "Scene \(name) was deleted from \(Self.file(path, isCopy: isCopy))")
        } catch {
            return ControlReply(
                ok: true,
                text:
                    "Scene \(name) was deleted only for this session, because the profile can't be written: \(error.description)"
            )
        }
    }

    private static func file(_ path: String, isCopy: Bool) -> String {
        path.printable(limit: 1000)
            + (isCopy ? ", a copy of the profile that is used from now on." : ".")
    }
}
