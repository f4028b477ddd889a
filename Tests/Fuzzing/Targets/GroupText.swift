import MulticamControl
import MulticamMedia
import MulticamTiming

@testable import MulticamGroup

/// Tests messages from other computers of a group: pairing codes, orders, answers, states, recordings,
/// chrony's tracking output, and measurements of the group's time, which adjust a session clock.
final class GroupText: FuzzTarget {
    static let name = "group"
    static let limit = 4096

    init(folder: String) {}

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        let text = String(decoding: bytes, as: UTF8.self)
        if let state = GroupStatus.state(bytes) { try requireDisplayable(GroupStatus.line(state)) }
        _ = Coordinator.heartbeat(bytes)
        if let recording = StoredRecording((bytes, 1), of: "studio", at: .max).recording {
            _ = recording.isRunning(at: .max)
            _ = CoordinatorChoice(
                stored: .recording(recording, revision: 1), heartbeats: [], nodes: ["left": recording.name],
                at: recording.t0_utc_ns)
            try require(!recording.name.contains("/"), "a recording is called \(recording.name)")
        }
        if let order = NodeCommandHandler.order(bytes), NodeCommandHandler.fault(of: order) == nil {
            try require(
                !(order.recording ?? "").contains("/"), "a recording is called \(order.recording ?? "")")
        }
        if let tracking = ChronyTracking(text) {
            try require(tracking.bound >= .zero, "a bound is \(tracking.bound)")
        }
        if case .failure(let error) = Result(catching: { () throws(GroupError) in
            try GroupCaller.answer(bytes)
        }) {
            try requireDisplayable(error.description)
        }
        try steer(text)
        switch Self.code(text) {
        case .success(let code):
            try require(GroupName.isValid(code.group), "a group is called \(code.group)")
            try require(
                Self.code(code.text) == .success(code), "a code is read otherwise when it is written again")
        case .failure(let error): try requireDisplayable(error.description)
        }
    }

    /// Adjusts a clock with each line that is a `clock` command. The clock must not go backward, and its rate
    /// must be plausible for a crystal.
    private func steer(_ text: String) throws(RuleViolation) {
        var steering = ClockSteering()
        var now = ClockTime(nanoseconds: 0)
        _ = steering.begin(at: now, utc: 0, now: now)
        for line in text.split(separator: "\n").prefix(100) {
            guard let measurement = Self.measurement(line) else { continue }
            let before = steering.time(stamped: now)
            do throws(ClockMeasurementError) {
                try steering.update(with: measurement, now: measurement.stamp)
                now = max(now, measurement.stamp)
            } catch {
                try requireDisplayable(error.description)
            }
            try require(steering.time(stamped: now) >= before, "the session clock went back")
            let ppm = steering.partsPerMillion(at: now)
            try require(ppm.magnitude <= 500, "the session clock runs at \(ppm) ppm")
        }
    }

    /// Parses a line such as `clock at=7 utc=9 bound=3`.
    private static func measurement(_ line: Substring) -> ClockMeasurement? {
        let numbers = line.split(separator: " ").dropFirst().compactMap { word in
            word.split(separator: "=").last.flatMap { Int64($0) }
        }
        guard line.hasPrefix("clock "), numbers.count == 3, numbers.allSatisfy({ $0 >= 0 }) else {
            return nil
        }
        return ClockMeasurement(
            stamp: ClockTime(nanoseconds: numbers[0]), utc: numbers[1], bound: Nanoseconds(numbers[2]))
    }

    private static func code(_ text: String) -> Result<PairingCode, GroupError> {
        Result { () throws(GroupError) in try PairingCode(text) }
    }
}
