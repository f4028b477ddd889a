import Control
import Media
import Timing

@testable import Group

/// What other computers of a group say: pairing codes, orders, answers, states, recordings, what chrony tells, and measurements of the
/// group's time, which steer a session clock.
final class GroupText: FuzzTarget {
    static let name = "group"
    static let limit = 4096

    init(folder: String) {}

    func check(_ bytes: [UInt8]) throws(BrokenRule) {
        let text = String(decoding: bytes, as: UTF8.self)
        _ = GroupStatus.state(bytes).map { GroupStatus.line($0) }
        _ = Conductor.sign(bytes)
        if let recording = RecordingBoard.recording(bytes) {
            _ = recording.isRunning(at: .max)
            try hold(!recording.name.contains("/"), "a recording is called \(recording.name)")
        }
        if let order = NodeDesk.order(bytes), NodeDesk.fault(of: order) == nil {
            try hold(!(order.recording ?? "").contains("/"), "a recording is called \(order.recording ?? "")")
        }
        if let tracking = ChronyTracking(text) {
            try hold(tracking.bound >= .zero, "a bound is \(tracking.bound)")
        }
        if case .failure(let error) = Result(catching: { () throws(GroupError) in
            try GroupCaller.answer(bytes)
        }) {
            try holdShown(error.description)
        }
        try steer(text)
        switch Self.code(text) {
        case .success(let code):
            try hold(GroupName.isValid(code.group), "a group is called \(code.group)")
            try hold(
                Self.code(code.text) == .success(code), "a code is read otherwise when it is written again")
        case .failure(let error): try holdShown(error.description)
        }
    }

    /// Steers a clock by each line that is a command `clock`: it goes forward, and its rate is one that a crystal can have.
    private func steer(_ text: String) throws(BrokenRule) {
        var steering = ClockSteering()
        var now = ClockTime(nanoseconds: 0)
        _ = steering.begin(at: now, utc: 0, now: now)
        for line in text.split(separator: "\n").prefix(100) {
            guard case .clock(let measurement)? = Self.command(line) else { continue }
            let before = steering.time(stamped: now)
            do throws(ClockRefusal) {
                try steering.take(measurement, now: measurement.stamp)
                now = max(now, measurement.stamp)
            } catch {
                try holdShown(error.description)
            }
            try hold(steering.time(stamped: now) >= before, "the session clock went back")
            let ppm = steering.partsPerMillion(at: now)
            try hold(ppm.magnitude <= 500, "the session clock runs at \(ppm) ppm")
        }
    }

    private static func command(_ line: Substring) -> ControlCommand? {
        do throws(ControlError) {
            return try ControlCommand(words: line.split(separator: " ").map(String.init))
        } catch {
            return nil
        }
    }

    private static func code(_ text: String) -> Result<PairingCode, GroupError> {
        Result { () throws(GroupError) in try PairingCode(text) }
    }
}
