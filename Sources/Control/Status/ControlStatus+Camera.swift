internal import Inputs
internal import Media
internal import Plan
internal import Timing

extension ControlStatus {
    /// The state of one camera. Frames are those of its own tracks or, where it has none, those that the program could have of it
    /// and lost while it showed it.
    public struct Camera: Sendable, Equatable, Codable {
        /// The camera's role.
        public var role: String
        /// The name of the device that plays the role now.
        public var name: String
        /// The format in which the camera delivers, or delivered last: `mjpeg`, `yuyv`, `nv12`, `h264`.
        public var pixel: String
        /// Width in pixels of the frames as they are delivered.
        public var width: Int
        /// Height in pixels of the frames as they are delivered.
        public var height: Int
        /// Frames per second that the camera is set to.
        public var nominal_rate: Double
        /// Frames per second by the camera's own clock; 0 on standby while it is away.
        public var rate: Double
        /// Clockwise degrees by which a preview turns the delivered frames so that they are upright.
        public var rotation: Int
        /// Whether a preview exchanges left and right, after the rotation.
        public var mirrored: Bool
        /// Whether no frames come.
        public var away: Bool
        /// Why no frames come, in words; `nil` while they come.
        public var reason: String?
        /// The ledger's cause of the frames that are missing meanwhile: `away`, `change` (a person's), `governor`; `nil` while frames
        /// come.
        public var away_cause: String?
        /// Nanoseconds for which no frames have come; `nil` while they come.
        public var away_ns: Int64?
        /// Good frames captured since T0.
        public var captured: Int
        /// Surplus frames of a camera that is faster than its track.
        public var skipped: Int
        /// Frames that stand in for missing ones: the last one again.
        public var repeated: Int
        /// Slates that stand in for missing frames.
        public var slate: Int
        /// The number of frames lost so far.
        public var lost: Int
        /// The lost frames by cause, such as `bus`; no entry is zero.
        public var losses: [String: Int]
        /// Deviation of the camera's clock from its nominal rate in parts per million; positive when it runs fast.
        public var ppm: Double
        /// Whether the model of the camera's clock is reliable.
        public var locked: Bool
        /// Standard error of the frames' times in microseconds, by that model.
        public var residual_us: Double

        init(_ camera: SessionStatus.Camera, in plan: SessionPlan, at now: ClockTime) {
            let preview = plan.cameras.first { $0.role == camera.role }?.preview
            role = camera.role
            name = camera.name.printable()
            pixel = camera.format.pixel.rawValue
            width = camera.format.size.width
            height = camera.format.size.height
            nominal_rate = camera.format.rate.perSecond
            rate = camera.rate
            rotation = preview?.rotation.degrees ?? 0
            mirrored = preview?.isMirrored ?? false
            away = camera.absence != nil
            reason = camera.absence?.reason
            away_cause = camera.absence?.cause.rawValue
            away_ns = camera.absence.map { max((now - $0.since).count, 0) }
            captured = camera.counts.captured
            skipped = camera.counts.skipped
            repeated = camera.counts.repeated
            slate = camera.counts.slate
            lost = camera.lost
            losses = ControlStatus.byCause(camera.counts.lost)
            ppm = camera.clock.partsPerMillion
            locked = camera.clock.isLocked
            residual_us = ControlStatus.microseconds(camera.clock.residual)
        }
    }

    static func byCause(_ losses: [LossCause: Int]) -> [String: Int] {
        Dictionary(losses.map { ($0.key.rawValue, $0.value) }) { $1 }
    }

    /// Microseconds, rounded to a tenth.
    static func microseconds(_ time: Nanoseconds) -> Double { (Double(time.count) / 100).rounded() / 10 }
}
