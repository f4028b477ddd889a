import Foundation
import Media
import MulticamKit
import Session

/// Brings signals and commands of the control socket to the session that runs, one after the other where a recording is resumed.
final class RecordSteering: Sendable {
    private struct State {
        /// `nil` while nothing is recorded.
        var session: MulticamSession?
        /// Of that session.
        var stills: SessionStills?
        var isStopped = false
    }

    private let state = Monitor(State())
    private let stopped = Cancellation()

    /// Whether somebody asked to stop.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Begins to listen. A signal that comes before there is a session stops it when there is one.
    func listen() {
        SignalInbox.listen { [self] request in
            let session = state.withLock { state in
                if case .stop = request { state.isStopped = true }
                return state.session
            }
            switch request {
            case .stop(1):
                stopped.cancel()
                session?.stop()
            case .stop(2) where session == nil: stopped.cancel()
            case .stop(2):
                session?.stopUrgently()
                Output.message("closing the files without waiting for the encoders")
            case .stop: _exit(ExitStatus.aborted.rawValue)
            case .mark where session == nil:
                Output.message("nothing is being recorded at the moment: the mark is not set.")
            case .mark: session?.mark("signal")
            case .split where session == nil:
                Output.message("nothing is being recorded at the moment: there is no file to go on from.")
            case .split: session?.split()
            }
        }
    }

    /// Does what somebody asks over the control socket.
    ///
    /// - Parameters:
    ///   - command: Of the socket.
    ///   - paused: The plan that is told of while nothing is recorded.
    /// - Returns: What to answer.
    func perform(_ command: ControlCommand, paused: SessionPlan) -> ControlReply {
        let (session, isStopped) = state.withLock { ($0.session, $0.isStopped) }
        guard let session else {
            switch command {
            case .status:
                let status = ControlStatus(SessionStatus(), plan: paused, folder: nil, state: .paused)
                return ControlReply(
                    ok: true, text: "nothing is being recorded at the moment.", status: status)
            case .stop:
                state.withLock { $0.isStopped = true }
                stopped.cancel()
                return ControlReply(ok: true, text: "it does not go on.")
            case .mark, .split, .change, .snapshot:
                return ControlReply(ok: false, text: "nothing is being recorded at the moment.")
            }
        }
        if isStopped, command != .status {
            return ControlReply(ok: false, text: "the recording is being ended.")
        }
        switch command {
        case .status:
            let status = ControlStatus(session.status, plan: session.currentPlan, folder: session.folderPath)
            return ControlReply(ok: true, text: status.state.rawValue, status: status)
        case .mark(let text):
            session.mark(text)
            return ControlReply(ok: true, text: "marked: \(text)")
        case .split:
            session.split()
            return ControlReply(ok: true, text: "the recording goes on in new files.")
        case .snapshot(let roles): return takeStills(roles, of: session)
        case .stop:
            state.withLock { $0.isStopped = true }
            stopped.cancel()
            session.stop()
            return ControlReply(ok: true, text: "the recording is being ended.")
        case .change(let change):
            do throws(SessionChangeError) {
                try session.commit([change])
                return ControlReply(ok: true, text: "changed: \(change)")
            } catch {
                return ControlReply(ok: false, text: error.description, usage: true)
            }
        }
    }

    /// Waits for the pictures, and for the disk.
    private func takeStills(_ roles: [String], of session: MulticamSession) -> ControlReply {
        guard let stills = state.withLock({ $0.stills }), let folder = session.folderPath,
            session.status.phase == .recording
        else { return ControlReply(ok: false, text: "nothing is being recorded at the moment.") }
        do throws(StillError) {
            return ControlReply(try stills.take(roles, intoSession: folder))
        } catch {
            return ControlReply(ok: false, text: error.description, usage: true)
        }
    }

    /// Signals and commands are this session's from now on.
    ///
    /// - Parameters:
    ///   - session: That is about to record.
    ///   - stills: Whose taps it has.
    func steer(_ session: MulticamSession, stills: SessionStills) {
        let isStopped = state.withLock { state in
            state.session = session
            state.stills = stills
            return state.isStopped
        }
        if isStopped { session.stop() }
    }

    /// The session is over: signals are nobody's until there is another.
    func release() {
        state.withLock { state in
            state.session = nil
            state.stills = nil
        }
    }

    /// Waits until system pressure has recovered, and says about every minute what is waited for.
    ///
    /// - Returns: `false` when somebody asked to stop meanwhile.
    func waitForRecovery(folder: String) async -> Bool {
        let hasRecovered = await withCheckedContinuation { continuation in
            _ = MediaThread(name: "rest") { [stopped] in
                continuation.resume(
                    returning: PressureRest(folder: folder).waitForRecovery(unless: stopped) {
                        Output.message($0)
                    })
            }
        }
        return hasRecovered && !isStopped
    }
}
