package import Media
package import Timing

/// States of clocks and tracks during a recording, as `SyncReport` draws them. Only the timeline's thread uses it.
package struct SyncHistory: Sendable {
    /// State of a device's clock at one time.
    struct ClockPoint: Sendable {
        let partsPerMillion: Double
        /// Standard error of the clock's line.
        let residual: Nanoseconds
    }

    /// Counts of a track at one time, in frames or samples since T0.
    struct TrackPoint: Sendable {
        let repeated: Int64
        let missing: Int64
    }

    private(set) var clocks: [String: Course<ClockPoint>] = [:]
    private(set) var tracks: [String: Course<TrackPoint>] = [:]
    /// Scatter of each device's time stamps, by its role.
    package var jitters: [String: JitterHistogram] = [:]
    private var due = MediaTime.zero

    private static let interval: Int64 = 1_000_000_000

    package init() {}

    /// Takes the clock readings from the events of an interrupted recording: they exist where something about a clock changed.
    init(_ events: RecordedEvents) {
        for reading in events.clockReadings where reading.at >= .zero {
            clocks[reading.role, default: Course()].add(
                ClockPoint(
                    partsPerMillion: reading.ppm,
                    residual: Nanoseconds(Int64(rounding: reading.residualMicroseconds * 1000, .towardZero))),
                at: reading.at)
        }
    }

    /// Whether a second has passed since the last state was noted, at a time since T0. A `true` holds for one call.
    package mutating func isDue(at time: MediaTime) -> Bool {
        guard time >= due else { return false }
        due = MediaTime(nanoseconds: time.nanoseconds + Self.interval)
        return true
    }

    /// Name of the program's track.
    package static let program = "program"

    /// Notes the state of a device's clock at a time since T0.
    package mutating func note(_ clock: DeviceClock, of role: String, at time: MediaTime) {
        clocks[role, default: Course()].add(
            ClockPoint(partsPerMillion: clock.partsPerMillion, residual: clock.residual), at: time)
    }

    /// Notes the counts of a track, in frames or samples, at a time since T0.
    package mutating func note(repeated: Int64, missing: Int64, of track: String, at time: MediaTime) {
        tracks[track, default: Course()].add(TrackPoint(repeated: repeated, missing: missing), at: time)
    }
}
