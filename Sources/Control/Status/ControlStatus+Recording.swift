internal import Inputs
internal import Media
internal import Monitoring
internal import Plan
internal import Profiles

extension ControlStatus {
    /// The room where the recording is written, or where the next one will be.
    public struct Disk: Sendable, Equatable, Codable {
        /// Bytes that are free.
        public var free_bytes: Int64
        /// Seconds until it is full: at the rate at which the files grow, before that is known at the rate that is expected of the
        /// plan; `nil` where nothing is written.
        public var seconds_left: Double?

        init(_ freeBytes: Int64, _ status: SessionStatus, _ plan: SessionPlan) {
            free_bytes = freeBytes
            let left = status.pressure?.diskTime ?? plan.timeToFill(freeBytes)
            seconds_left = left.map { $0.inSeconds.rounded() }
        }
    }

    /// How far the files of a recording that has ended are closed.
    public struct Finishing: Sendable, Equatable, Codable {
        /// Number of files that are closed.
        public var done: Int
        /// Number of files.
        public var total: Int

        init(_ finishing: SessionStatus.Finishing) { (done, total) = (finishing.done, finishing.total) }
    }

    /// A named instant of the recording.
    public struct Mark: Sendable, Equatable, Codable {
        /// Nanoseconds since T0.
        public var at_ns: Int64
        /// Its name.
        public var text: String
    }

    /// Something that the governor did, as in the manifest.
    public struct GovernorStep: Sendable, Equatable, Codable {
        /// Nanoseconds since T0.
        public var at_ns: Int64
        /// What was given up or returned, such as `desk rate 30 → 20`.
        public var step: String
        /// Why.
        public var reason: String
    }

    /// What the recording may lose; a field is `nil` where there is no limit.
    public struct Limits: Sendable, Equatable, Codable {
        /// The largest share of a track's frames.
        public var lost_frames: Double?
        /// The largest share of a microphone's samples.
        public var lost_samples: Double?
        /// Nanoseconds for which a microphone may be silent.
        public var silence_ns: Int64?

        init(_ limits: RecordingLimits) {
            lost_frames = limits.lostFrames
            lost_samples = limits.lostSamples
            silence_ns = limits.silence?.count
        }
    }
}
