public import Media
public import Plan

/// A measure that relieves a running session, and can be taken back.
public struct GovernorMeasure: Sendable, Equatable {
    /// The change that a measure makes.
    public enum Action: Sendable, Equatable {
        /// The preset of an encoder, by its stream's name: `program` or a role.
        case preset(
            stream: String, from: VideoEncodingSettings.Preset, to: VideoEncodingSettings.Preset)
        /// The rate at which frames are composed and encoded anew; the others repeat the last.
        case rate(stream: String, from: FrameRate, to: FrameRate)
        /// New frames of the program altogether: its last frame stands.
        case programPause
        /// The sharpness of JPEGs, which are decoded at half of the size at which they are shown.
        case coarseDecoding
        /// Frames for programs that only show them.
        case previews
        /// The rate that a camera delivers.
        case cameraRate(role: String, from: FrameRate, to: FrameRate)
        /// The size that a camera delivers.
        case cameraSize(role: String, from: FrameSize, to: FrameSize)
        /// A whole camera, which is switched off.
        case cameraOff(role: String)
    }

    /// The length of work in an encoder's queue from which it gets no new frame.
    package static let fullBacklog = Nanoseconds.milliseconds(500)

    /// The change that the measure makes.
    public let action: Action
    /// The resources that the measure saves.
    public let relieves: Relief

    /// Creates a measure with the resources that it saves.
    public init(_ action: Action, relieves: Relief) {
        self.action = action
        self.relieves = relieves
    }

    /// Whether the measure restarts a camera's stream, which costs a gap.
    public var restartsCamera: Bool {
        switch action {
        case .preset, .rate, .programPause, .coarseDecoding, .previews: false
        case .cameraRate, .cameraSize, .cameraOff: true
        }
    }

    /// The role of the camera that the measure changes; `nil` where it changes none.
    package var changedCamera: String? {
        switch action {
        case .preset, .rate, .programPause, .coarseDecoding, .previews: nil
        case .cameraRate(let role, _, _), .cameraSize(let role, _, _), .cameraOff(let role): role
        }
    }

    /// The measure in short when it is taken: `desk rate 30 → 20`.
    public var text: String { text(isUp: false) }

    /// The measure in short when it is taken back: `desk rate 20 → 30`.
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
