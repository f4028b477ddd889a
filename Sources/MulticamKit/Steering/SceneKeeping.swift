internal import Control
internal import Media
internal import Profiles
internal import Session
internal import Setup

/// Keeps and forgets scenes as people ask for it: in the present session, in those to come, and in the user's profile. Safe to call from
/// any thread.
final class SceneKeeping: Sendable {
    private struct State {
        var kept: [SceneSettings] = []
        var forgotten: Set<String> = []
    }

    private let state = ConditionLock(State())

    /// Gives a session, which knows its profile as it was read, what has been kept and forgotten since.
    func update(_ session: MulticamSession) {
        let state = state.withLock { $0 }
        for scene in state.kept { session.keep(scene) }
        for name in state.forgotten { session.dropScene(named: name) }
    }

    /// Keeps what the program shows and sounds like as a scene; waits for the disk.
    ///
    /// - Parameters:
    ///   - name: The scene's name.
    ///   - session: The present session.
    ///   - setup: Its setup; `nil` when the session is over.
    /// - Returns: The answer to who asked for it.
    func keep(_ name: String, of session: MulticamSession, _ setup: SessionSetup?) -> ControlReply {
        let scene: SceneSettings
        do throws(SessionChangeError) {
            scene = try session.keepScene(named: name)
        } catch {
            return ControlReply(error)
        }
        state.withLock { state in
            state.kept.keep(scene)
            state.forgotten.remove(name)
        }
        guard let setup else { return ControlReply(ok: false, text: "the session is over.") }
        do throws(ProfileError) {
            let (path, isCopy) = try setup.keep(scene)
            return ControlReply(
                ok: true, text: "scene \(name) is kept in \(Self.file(path, isCopy: isCopy))")
        } catch {
            return ControlReply(
                ok: true,
                text: "scene \(name) is kept until this session ends, and in no file: \(error.description)")
        }
    }

    /// Forgets a scene; waits for the disk.
    ///
    /// - Parameters:
    ///   - name: The scene's name.
    ///   - session: The present session.
    ///   - setup: Its setup; `nil` when the session is over.
    /// - Returns: The answer to who asked for it.
    func forget(_ name: String, of session: MulticamSession, _ setup: SessionSetup?) -> ControlReply {
        do throws(SessionChangeError) {
            try session.forgetScene(named: name)
        } catch {
            return ControlReply(error)
        }
        state.withLock { state in
            state.kept.removeAll { $0.name == name }
            state.forgotten.insert(name)
        }
        guard let setup else { return ControlReply(ok: false, text: "the session is over.") }
        do throws(ProfileError) {
            guard let (path, isCopy) = try setup.forget(sceneNamed: name) else {
                return ControlReply(ok: true, text: "scene \(name) is forgotten; no file had it.")
            }
            return ControlReply(
                ok: true, text: "scene \(name) is taken out of \(Self.file(path, isCopy: isCopy))")
        } catch {
            return ControlReply(
                ok: true,
                text:
                    "scene \(name) is forgotten until this session ends, and is still in the file: \(error.description)"
            )
        }
    }

    private static func file(_ path: String, isCopy: Bool) -> String {
        path.printable(limit: 1000)
            + (isCopy ? ", a copy of the profile, which is yours and counts from now on." : ".")
    }
}
