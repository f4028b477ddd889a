internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
package import MulticamSession

/// Frames the cameras of a session automatically: moves the visible parts of the cameras in the program, so that people
/// stay in frame. The session keeps the framer alive.
///
/// The motions begin when an analysis arrives. While no analyses arrive, the visible parts don't
/// move.
package final class SessionFramer: Sendable {
    private struct State {
        weak var session: MulticamSession?
        var policies: [String: FramingPolicy] = [:]
    }

    private let state: ConditionLock<State>

    /// Creates a framer for a session.
    init(_ session: MulticamSession) {
        state = ConditionLock(State(session: session))
        _ = session.addAnalysisListener(
            AnalysisListener { [weak self] received in
                self?.receive(received.analysis, of: received.role, capturedAt: received.capturedAt)
            })
    }

    private func receive(_ analysis: FrameAnalysis, of role: String, capturedAt time: ClockTime) {
        guard let session = state.withLock(\.session) else { return }
        let plan = session.currentPlan
        guard let program = plan.program, let camera = plan.cameras.first(where: { $0.role == role }) else {
            return
        }
        let mode = program.arrangement.framingMode(of: camera)
        // A hidden camera is framed as if it filled the program, so that it is ready when it is shown.
        let size = program.settings.size
        let layer =
            program.layers.first { $0.role == role }
            ?? PlannedLayer(
                role: role,
                LayerShape(
                    PixelRectangle(x: 0, y: 0, width: size.width, height: size.height), fit: .cover,
                    rotation: program.arrangement.rotation(of: camera)))
        let view = FramedView(of: camera, rotation: layer.rotation, layer)
        let now = session.now
        let motion = state.withLock { state -> FramingMotion? in
            guard mode != .off else {
                state.policies[role] = nil
                return nil
            }
            let shown = program.motions[role]
            var policy = state.policies[role] ?? FramingPolicy(mode: mode, view: view, continuing: shown)
            policy.adapt(to: mode, view, showing: shown)
            defer { state.policies[role] = policy }
            return policy.update(analysis.faces, capturedAt: time, now: max(now, time))
        }
        if let motion, !session.setMotion(motion, of: role) {
            // The user has switched framing off in the meantime.
            state.withLock { $0.policies[role] = nil }
        }
    }
}

extension SessionSetup {
    /// Creates the automatic framing of a session. It ends with the session.
    ///
    /// - Parameter session: A session of this setup.
    package func makeFramer(for session: MulticamSession) {
        guard plan.program != nil else { return }
        session.keep(SessionFramer(session))
    }
}
