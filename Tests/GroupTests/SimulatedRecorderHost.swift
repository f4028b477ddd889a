import Foundation
import Glibc
import MulticamControl
import MulticamMedia

@testable import MulticamGroup

/// A substitute for recorders, without processes or devices. A profile named `typo…` fails its check; one
/// named `busy…` fails to start.
final class SimulatedRecorderHost: RecorderHost {
    struct State {
        var running: [Int32: String] = [:]
        var next: Int32 = 100
        var log: [String] = []
        /// Names of the commands that came from another computer.
        var fromGroup: [String] = []
        var recording: Set<Int32> = []
        var broken: Set<String> = []
        /// Commands that aren't answered.
        var unanswered: Set<String> = []
        /// How many more times a running recorder isn't found, as during execve(2).
        var hiddenLookups = 0
    }

    let state: ConditionLock<State>

    init(running: [Int32: String] = [:], recording: Set<Int32> = []) {
        state = ConditionLock(State(running: running, recording: recording))
    }

    var log: [String] { state.withLock(\.log) }
    var fromGroup: [String] { state.withLock(\.fromGroup) }

    func check(_ profile: String) throws(GroupError) {
        state.withLock { $0.log.append("check \(profile)") }
        if profile.hasPrefix("typo") { throw GroupError("\(profile): no such profile.", status: 2) }
    }

    func start(
        _ profile: String, ended: @escaping @Sendable (Int32, Int32, String) -> Void
    ) throws(GroupError) -> Int32 {
        let (process, works) = state.withLock { state in
            state.next += 1
            state.log.append("start \(profile)")
            let works = !profile.hasPrefix("busy") && !state.broken.contains(profile)
            if works { state.running[state.next] = profile }
            return (state.next, works)
        }
        if !works { ended(process, 3, "/dev/video0: start failed.") }
        return process
    }

    func running() -> [(process: Int32, profile: String)] {
        state.withLock { $0.running.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    func isAlive(_ process: Int32) -> Bool {
        state.withLock { state in
            guard state.hiddenLookups == 0 else {
                state.hiddenLookups -= 1
                return false
            }
            return state.running[process] != nil
        }
    }

    func status(of process: Int32) -> ControlStatus? {
        let (profile, isRecording) = state.withLock { state in
            guard state.hiddenLookups == 0 else {
                state.hiddenLookups -= 1
                return (nil as String?, false)
            }
            return (state.running[process], state.recording.contains(process))
        }
        return profile.map { Self.status($0, isRecording) }
    }

    func send(_ request: CommandRequest, to process: Int32) throws(GroupError) -> ControlReply {
        let words = request.arguments
        if request.isFromGroup { state.withLock { $0.fromGroup.append(words[0]) } }
        state.withLock { $0.log.append(words[0]) }
        if state.withLock({ $0.unanswered.contains(words[0]) }) { throw GroupError("no answer.") }
        if words == ["quit"] { signal(SIGTERM, to: process) }
        return ControlReply(ok: true, text: "done.")
    }

    func signal(_ number: Int32, to process: Int32) {
        state.withLock { state in
            if let profile = state.running.removeValue(forKey: process) { state.log.append("end \(profile)") }
        }
    }

    private static func status(_ profile: String, _ isRecording: Bool) -> ControlStatus {
        let text = """
            {"state": "\(isRecording ? "recording" : "standby")", "profile": "\(profile)", "time_ns": 0, "cameras": [], "microphones": [],
            "scenes": [], "markers": [], "marker_count": 0, "limits": {}, "policy": "adapt", "given_up": [], "paused": [], "live_outputs": [], "governor": []
            \(isRecording ? ", \"folder\": \"/f/r\", \"t0_monotonic_ns\": 5" : "")}
            """
        do {
            return try JSONDecoder().decode(ControlStatus.self, from: Data(text.utf8))
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
