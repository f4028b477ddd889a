package import MulticamMedia
package import MulticamPlan

/// A reversible measure that reduces the load of a running session.
package struct GovernorMeasure: Sendable, Equatable {
    /// The change that a measure makes.
    package enum Action: Sendable, Equatable {
        /// Uses a faster encoder preset for a stream. The stream's name is `program` or a role.
        case preset(
            stream: String, from: VideoEncodingSettings.Preset, to: VideoEncodingSettings.Preset)
        /// Composes and encodes new frames at a lower rate. The remaining ticks repeat the previous frame.
        case rate(stream: String, from: FrameRate, to: FrameRate)
        /// Stops composing new program frames. The program repeats its last frame.
        case programPause
        /// Decodes JPEG frames at half their display size, which reduces sharpness.
        case coarseDecoding
        /// Stops delivering frames to apps that only display them.
        case previews
        /// Searches one frame per second and camera for faces and codes.
        case analysis
        /// Reduces the frame rate of a camera.
        case cameraRate(role: String, from: FrameRate, to: FrameRate)
        /// Reduces the frame size of a camera.
        case cameraSize(role: String, from: FrameSize, to: FrameSize)
        /// Switches a camera off.
        case cameraOff(role: String)
    }

    /// Maximum time needed to encode the frames in an encoder's queue. At this limit, the encoder stops
    /// receiving new frames.
    package static let fullBacklog = Nanoseconds.milliseconds(500)

    /// The change that the measure makes.
    package let action: Action
    /// The resources that the measure frees.
    package let relieves: MachineResources

    /// Creates a measure with the resources that it frees.
    package init(_ action: Action, relieves: MachineResources) {
        self.action = action
        self.relieves = relieves
    }

    /// Whether the measure restarts a camera's stream, which causes a gap.
    package var restartsCamera: Bool {
        switch action {
        case .preset, .rate, .programPause, .coarseDecoding, .previews, .analysis: false
        case .cameraRate, .cameraSize, .cameraOff: true
        }
    }

    /// The role of the camera that the measure changes. `nil` if the measure doesn't change a camera.
    package var changedCamera: String? {
        switch action {
        case .preset, .rate, .programPause, .coarseDecoding, .previews, .analysis: nil
        case .cameraRate(let role, _, _), .cameraSize(let role, _, _), .cameraOff(let role): role
        }
    }

    /// Short description of applying the measure, such as `desk rate 30 → 20`.
    package var text: String { text(isReverted: false) }

    /// Short description of reverting the measure, such as `desk rate 20 → 30`.
    package var reverseText: String { text(isReverted: true) }

    /// The effect of the measure, as a clause that begins with a lowercase letter and ends with a period.
    func effect(isReverted: Bool) -> String {
        func subject(_ stream: String) -> String { stream == "program" ? "the program" : "camera \(stream)" }
        return switch action {
        case .preset(let stream, _, _):
            isReverted
                ? "the encoder preset of \(subject(stream)) was restored."
                : "\(subject(stream)) uses a faster encoder preset, so the picture quality is slightly lower."
        case .rate(let stream, let from, let to):
            isReverted
                ? "the frame rate of \(subject(stream)) was restored to \(from) fps."
                : "\(subject(stream)) was reduced to \(to) new frames per second. The other frames are repeated."
        case .programPause:
            isReverted
                ? "the program was resumed."
                : "the program was paused and repeats its last frame. The tracks are not affected."
        case .coarseDecoding:
            isReverted
                ? "the full sharpness of the program was restored."
                : "JPEG frames are decoded at half size, so the program is less sharp."
        case .previews:
            isReverted
                ? "the camera previews were resumed."
                : "the camera previews were paused. The recording is not affected."
        case .analysis:
            isReverted
                ? "faces and codes are searched for at the usual rate again."
                : "faces and codes are searched for only once per second. The recording is not affected."
        case .cameraRate(let role, let from, let to):
            isReverted
                ? "the frame rate of camera \(role) was restored to \(from) fps."
                : "the frame rate of camera \(role) was reduced to \(to) fps."
        case .cameraSize(let role, let from, let to):
            isReverted
                ? "the frame size of camera \(role) was restored to \(from)."
                : "the frame size of camera \(role) was reduced to \(to)."
        case .cameraOff(let role):
            isReverted
                ? "camera \(role) was switched on again."
                : "camera \(role) was switched off. The other devices are not affected."
        }
    }

    private func text(isReverted: Bool) -> String {
        func change(_ what: String, _ from: some CustomStringConvertible, _ to: some CustomStringConvertible)
            -> String
        {
            isReverted ? "\(what) \(to) → \(from)" : "\(what) \(from) → \(to)"
        }
        return switch action {
        case .preset(let stream, let from, let to):
            change("\(stream) preset", from.rawValue, to.rawValue)
        case .rate(let stream, let from, let to): change("\(stream) frames", from, to)
        case .programPause: change("program", "on", "paused")
        case .coarseDecoding: change("decoding", "full", "half size")
        case .previews: change("previews", "on", "off")
        case .analysis:
            change("analysis", SessionPlan.analysisRates.usual, SessionPlan.analysisRates.reduced)
        case .cameraRate(let role, let from, let to): change("\(role) rate", from, to)
        case .cameraSize(let role, let from, let to): change("\(role) size", from, to)
        case .cameraOff(let role): change(role, "on", "off")
        }
    }
}

/// A step of the governor, in which a measure is applied or reverted for a reason.
package struct GovernorStep: Sendable, Equatable {
    /// Index of the measure in the ladder, starting at 0.
    package let index: Int
    /// The measure that is applied or reverted.
    package let measure: GovernorMeasure
    /// Whether the measure is reverted.
    package let isReverted: Bool
    /// The reason in two or three words, such as `Computer too slow`.
    let situation: String
    /// The reason as a sentence that includes the measured values.
    package let reason: String

    /// Short description of the step, such as `desk rate 30 → 20`.
    package var text: String { isReverted ? measure.reverseText : measure.text }

    /// The reason and the effect without measured values, such as `Computer too slow: camera previews paused.
    /// The recording is not affected.`
    package var summary: String { "\(situation): \(measure.effect(isReverted: isReverted))" }
}

/// Drops frames at even intervals to convert a stream to a lower frame rate.
///
/// The algorithm is commonly used in video conferencing (WebRTC, `FramerateController::KeepFrame`). The
/// target time starts at half an interval and advances by one interval of the lower rate per kept frame. The
/// target time is reset if a frame's time differs from it by two intervals or more.
package struct FrameDecimator: Sendable, Equatable {
    package let rate: FrameRate
    private var next: MediaTime?

    /// Creates a decimator that keeps its first frame.
    ///
    /// - Parameter rate: The output frame rate.
    package init(rate: FrameRate) {
        self.rate = rate
    }

    /// Returns whether to keep the frame with this time. Frames must be passed in ascending order of time.
    package mutating func shouldKeep(_ time: MediaTime) -> Bool {
        let interval = rate.interval.count
        guard let wanted = next, abs(wanted.nanoseconds - time.nanoseconds) < 2 * interval else {
            next = MediaTime(nanoseconds: time.nanoseconds + interval / 2)
            return true
        }
        // Ticks are whole nanoseconds, so a frame that is 1 % of an interval early counts as on time.
        guard time.nanoseconds >= wanted.nanoseconds - interval / 100 else { return false }
        next = MediaTime(nanoseconds: wanted.nanoseconds + interval)
        return true
    }
}
