internal import Control
internal import Media
internal import Session
internal import Stills

/// Takes the stills of the current session. Thread-safe.
final class StillController: Sendable {
    private struct State {
        var current: SessionStills?
        /// The stills of the planned cameras, without cameras that were added during a recording.
        var planned: SessionStills?
    }

    private let state = ConditionLock(State())

    /// The stills of the current session; `nil` without a session.
    var current: SessionStills? { state.withLock(\.current) }

    /// Sets the stills of a new session. `nil` releases the stills of the previous session.
    func attach(_ stills: SessionStills?) { state.withLock { ($0.current, $0.planned) = (stills, stills) } }

    /// Removes the cameras that were added during a recording.
    func reset() { state.withLock { $0.current = $0.planned } }

    /// Adds a camera until `reset` is called.
    func add(_ camera: StillCamera) { state.withLock { $0.current?.add(camera) } }

    /// Removes the camera of a role until `reset` is called.
    func remove(_ role: String) { state.withLock { $0.current?.remove(role) } }

    /// Takes stills. The call blocks until the frames have arrived and the files are written.
    ///
    /// - Parameters:
    ///   - roles: Roles of the cameras; empty for all cameras.
    ///   - session: The current session.
    ///   - isRecording: Whether a recording is starting, running, or ending.
    /// - Returns: The reply to the sender.
    func takeStills(_ roles: [String], of session: MulticamSession, isRecording: Bool) -> ControlReply {
        let place: StillFolder
        switch session.status.phase {
        // The command `multicam snapshot` saves stills to the same folder.
        case .standby where !isRecording: place = StillFolder(path: ".", version: MulticamVersion.current)
        case .recording:
            guard let folder = session.folderPath else { fallthrough }
            place = StillFolder(ofSession: folder, version: MulticamVersion.current)
        case .starting, .standby, .finishing: return CommandContext.notRecordingReply
        }
        guard let stills = current else { return ControlReply(ok: false, text: "No cameras are available.") }
        do throws(StillError) {
            let taken = try stills.take(roles, into: place)
            if isRecording {
                for case (let role, .success(let files)) in taken { session.registerStill(of: role, files) }
            }
            return ControlReply(taken)
        } catch {
            return ControlReply(ok: false, text: error.description, usage: true)
        }
    }
}
