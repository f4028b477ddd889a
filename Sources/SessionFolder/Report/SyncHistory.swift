package import Media
package import Timing

/// What the clocks and the tracks of a recording did while it ran: what `SyncReport` draws. Timeline's thread only.
package struct SyncHistory: Sendable {
    /// A device's clock at one time.
    struct ClockPoint: Sendable {
        let partsPerMillion: Double
        /// The standard error of the line.
        let residual: Nanoseconds
    }

    /// A track's counts at one time, in frames or samples since T0.
    struct TrackPoint: Sendable {
        let repeated: Int64
        let missing: Int64
    }

    private(set) var clocks: [String: Course<ClockPoint>] = [:]
    private(set) var tracks: [String: Course<TrackPoint>] = [:]
    package var jitters: [String: JitterHistogram] = [:]
    private var due = MediaTime.zero

    private static let interval: Int64 = 1_000_000_000

    package init() {}

    /// What the events of a recording tell that a crash has ended: of clocks, when something about them changed.
    init(_ events: RecordedEvents) {
        for reading in events.clockReadings where reading.at >= .zero {
            clocks[reading.role, default: Course()].add(
                ClockPoint(
                    partsPerMillion: reading.ppm,
                    residual: Nanoseconds(Int64(rounding: reading.residualMicroseconds * 1000, .towardZero))),
                at: reading.at)
        }
    }

    /// Whether the state is to be noted now: once a second. A `true` holds for one call.
    package mutating func isDue(at time: MediaTime) -> Bool {
        guard time >= due else { return false }
        due = MediaTime(nanoseconds: time.nanoseconds + Self.interval)
        return true
    }

    /// The name of the program's track.
    package static let program = "program"

    package mutating func note(_ clock: DeviceClock, of role: String, at time: MediaTime) {
        clocks[role, default: Course()].add(
            ClockPoint(partsPerMillion: clock.partsPerMillion, residual: clock.residual), at: time)
    }

    package mutating func note(repeated: Int64, missing: Int64, of track: String, at time: MediaTime) {
        tracks[track, default: Course()].add(TrackPoint(repeated: repeated, missing: missing), at: time)
    }
}
