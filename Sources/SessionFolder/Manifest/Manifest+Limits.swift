internal import Media
package import Profiles

extension Manifest {
    /// Losses that the profile allowed: a recording that exceeds one of them counts as failed.
    public struct Limits: Sendable, Equatable, Codable {
        /// Largest share of lost frames in each video track: lost ÷ (captured + lost), 0…1. `nil` where it is not limited.
        public var lost_frames: Double?
        /// Largest share of filled samples in each microphone's track: filled ÷ written, 0…1. `nil` where it is not limited.
        public var lost_samples: Double?
        /// Longest silence of a microphone in nanoseconds; `nil` where it is not limited.
        public var silence_ns: Int64?
        /// Roles of the microphones that were silent for longer than `silence_ns`; `nil` where none was.
        public var silent: [String]?

        /// Takes the limits of a profile; `nil` where the profile limits nothing.
        package init?(_ limits: RecordingLimits) {
            guard limits != .none else { return nil }
            lost_frames = limits.lostFrames
            lost_samples = limits.lostSamples
            silence_ns = limits.silence?.count
        }
    }
}
