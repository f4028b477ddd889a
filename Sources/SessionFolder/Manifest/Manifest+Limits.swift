internal import Media
package import Profiles

extension Manifest {
    /// What the profile let the recording lose before its end counts as a failure. Left out of recordings without limits.
    public struct Limits: Sendable, Equatable, Codable {
        /// Of each track of frames: lost ÷ (captured + lost), 0…1.
        public var lost_frames: Double?
        /// Of each microphone: filled ÷ written, 0…1.
        public var lost_samples: Double?
        /// How long a microphone may be silent.
        public var silence_ns: Int64?
        /// Roles of the microphones that were silent for longer.
        public var silent: [String]?

        /// `nil` where a profile limits nothing.
        package init?(_ limits: RecordingLimits) {
            guard limits != .none else { return nil }
            lost_frames = limits.lostFrames
            lost_samples = limits.lostSamples
            silence_ns = limits.silence?.count
        }
    }
}
