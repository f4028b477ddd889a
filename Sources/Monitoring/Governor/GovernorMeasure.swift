public import Media
public import Plan

/// One thing that a running session can give up, and take back.
public struct GovernorMeasure: Sendable, Equatable {
    public enum Action: Sendable, Equatable {
        /// Of an encoder, by its stream's name: `program` or a role.
        case preset(
            stream: String, from: VideoEncodingSettings.Preset, to: VideoEncodingSettings.Preset)
        /// Frames that are composed and encoded anew; the others repeat the last.
        case rate(stream: String, from: FrameRate, to: FrameRate)
        /// All new frames of the program; its last one stands.
        case programPause
        /// JPEGs are decoded at half of the size at which they are shown.
        case coarseDecoding
        /// Frames for programs that only show them.
        case previews
        case cameraRate(role: String, from: FrameRate, to: FrameRate)
        case cameraSize(role: String, from: FrameSize, to: FrameSize)
        case cameraOff(role: String)
    }

    /// An encoder whose queue holds this much work gets no new frame.
    package static let fullBacklog = Nanoseconds.milliseconds(500)

    public let action: Action
    /// The resources that it makes easier.
    public let relieves: Relief

    public init(_ action: Action, relieves: Relief) {
        self.action = action
        self.relieves = relieves
    }

    /// Whether a camera's stream is restarted for it, which costs a gap.
    public var restartsCamera: Bool {
        switch action {
        case .preset, .rate, .programPause, .coarseDecoding, .previews: false
        case .cameraRate, .cameraSize, .cameraOff: true
        }
    }

    /// The role of the camera that is changed for it, if any.
    package var changedCamera: String? {
        switch action {
        case .preset, .rate, .programPause, .coarseDecoding, .previews: nil
        case .cameraRate(let role, _, _), .cameraSize(let role, _, _), .cameraOff(let role): role
        }
    }

    /// Taking it, as `desk rate 30 → 20`.
    public var text: String { text(isUp: false) }

    /// Taking it back, as `desk rate 20 → 30`.
    public var reverseText: String { text(isUp: true) }

    private func text(isUp: Bool) -> String {
        func change(_ what: String, _ from: some CustomStringConvertible, _ to: some CustomStringConvertible)
            -> String
        {
            isUp ? "\(what) \(to) → \(from)" : "\(what) \(from) → \(to)"
        }
        return switch action {
        case .preset(let stream, let from, let to):
            change("\(stream) preset", from.rawValue, to.rawValue)
        case .rate(let stream, let from, let to): change("\(stream) frames", from, to)
        case .programPause: change("program", "on", "paused")
        case .coarseDecoding: change("decoding", "full", "half size")
        case .previews: change("previews", "on", "off")
        case .cameraRate(let role, let from, let to): change("\(role) rate", from, to)
        case .cameraSize(let role, let from, let to): change("\(role) size", from, to)
        case .cameraOff(let role): change(role, "on", "off")
        }
    }
}
