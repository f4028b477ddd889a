internal import Inputs
internal import Media
public import Monitoring
internal import Plan
internal import Timing

extension ControlStatus {
    /// The state of one microphone.
    public struct Microphone: Sendable, Equatable, Codable {
        /// The microphone's role.
        public var role: String
        /// The name of the device that plays the role.
        public var name: String
        /// The number of channels of its track.
        public var channels: Int
        /// Peak level, linear, 0…1, with the fall of a programme meter (`AudioLevel.peak`).
        public var peak: Double
        /// Root mean square level, linear, 0…1, averaged over 300 ms (`AudioLevel.rootMeanSquare`).
        public var level: Double
        /// The loudness of the microphone's track so far; `nil` while nothing is recorded.
        public var loudness: Loudness?
        /// Its gain in the program's mix, in decibels. Level, loudness and track are before it.
        public var gain: Double
        /// Whether the program's mix does not have it.
        public var muted: Bool
        /// The active alarms.
        public var alarms: [AudioAlarm.Kind]
        /// Nanoseconds for which it has given no signal or has been silent; `nil` while neither alarm is active.
        public var silent_ns: Int64?
        /// Clips since T0, on standby since the last T0: overloads within a second count as one.
        public var clipped: Int
        /// Clips in the last 60 s.
        public var clipped_last_minute: Int
        /// Duration of the audio missing so far, in nanoseconds.
        public var missing_ns: Int64
        /// Deviation of the microphone's clock from its nominal rate in parts per million; positive when it runs fast.
        public var ppm: Double
        /// Whether the model of the microphone's clock is reliable.
        public var locked: Bool
        /// Standard error of the audio's times in microseconds, by that model.
        public var residual_us: Double

        init(_ microphone: SessionStatus.Microphone, in plan: SessionPlan, at now: ClockTime) {
            role = microphone.role
            name = microphone.name.printable()
            channels = microphone.channels
            peak = Double(microphone.level.peak)
            level = Double(microphone.level.rootMeanSquare)
            loudness = microphone.loudness.map { Loudness($0) }
            gain = plan.microphones.first { $0.role == microphone.role }?.gain ?? 0
            muted = plan.program.map { !$0.mix.contains(microphone.role) } ?? false
            alarms = microphone.alarms
            silent_ns = microphone.silentSince.map { max((now - $0).count, 0) }
            clipped = microphone.clips.total
            clipped_last_minute = microphone.clips.inLastMinute(at: now)
            missing_ns = microphone.missing.count
            ppm = microphone.clock.partsPerMillion
            locked = microphone.clock.isLocked
            residual_us = ControlStatus.microseconds(microphone.clock.residual)
        }
    }
}
