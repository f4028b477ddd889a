import Media

@testable import Group

/// What other computers of a group say: pairing codes, orders, answers, states, recordings, and what chrony tells.
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
        switch Self.code(text) {
        case .success(let code):
            try hold(GroupName.isValid(code.group), "a group is called \(code.group)")
            try hold(
                Self.code(code.text) == .success(code), "a code is read otherwise when it is written again")
        case .failure(let error): try holdShown(error.description)
        }
    }

    private static func code(_ text: String) -> Result<PairingCode, GroupError> {
        Result { () throws(GroupError) in try PairingCode(text) }
    }
}
