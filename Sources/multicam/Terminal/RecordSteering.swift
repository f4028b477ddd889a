import Foundation
import Media
import MulticamKit
import Session

/// Brings the signals that steer a recording to the session that runs, one after the other where a recording is resumed.
final class RecordSteering: Sendable {
    private struct State {
        /// `nil` while nothing is recorded.
        var session: MulticamSession?
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

    /// Signals are this session's from now on.
    func steer(_ session: MulticamSession) {
        let isStopped = state.withLock { state in
            state.session = session
            return state.isStopped
        }
        if isStopped { session.stop() }
    }

    /// The session is over: signals are nobody's until there is another.
    func release() { state.withLock { $0.session = nil } }

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
