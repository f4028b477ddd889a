internal import Media

/// What the clocks and the tracks of a recording did while it ran: what `SyncReport` draws. Timeline's thread only.
struct SyncHistory: Sendable {
    /// A device's clock at one time.
    struct ClockPoint: Sendable {
        let partsPerMillion: Double
        /// The standard error of the line.
        let residual: Nanoseconds
    }

    /// A track's counts at one time, in pictures or samples since T0.
    struct TrackPoint: Sendable {
        let repeated: Int64
        let missing: Int64
    }

    private(set) var clocks: [String: Course<ClockPoint>] = [:]
    private(set) var tracks: [String: Course<TrackPoint>] = [:]
    private(set) var jitters: [String: JitterHistogram] = [:]
    private var due = MediaTime.zero

    private static let interval: Int64 = 1_000_000_000

    init() {}

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

    /// Takes the state at `time`, once a second.
    mutating func note(_ inputs: SessionInputs, _ outputs: SessionOutputs, at time: MediaTime) {
        guard time >= due else { return }
        due = MediaTime(nanoseconds: time.nanoseconds + Self.interval)
        for camera in inputs.cameras { note(camera.clockModel, of: camera.role, at: time) }
        for microphone in inputs.microphones { note(microphone.clockModel, of: microphone.role, at: time) }
        for track in outputs.cameraTracks {
            let counts = track.counts
            note(
                repeated: Int64(counts.repeated), missing: Int64(counts.slate + counts.lostInAll),
                of: track.name, at: time)
        }
        for track in outputs.microphoneTracks where !track.hasEnded {
            note(repeated: 0, missing: track.filled, of: track.name, at: time)
        }
        if let program = outputs.program {
            note(
                repeated: Int64(program.counts.repeated), missing: Int64(program.counts.lostInAll),
                of: Self.program, at: time)
        }
    }

    /// The name of the program's track.
    static let program = "program"

    /// Takes how the stamps scattered, at the end.
    mutating func noteJitter(_ inputs: SessionInputs) {
        for camera in inputs.cameras { jitters[camera.role] = camera.jitter }
        for microphone in inputs.microphones { jitters[microphone.role] = microphone.jitter }
    }

    private mutating func note(_ clock: DeviceClock, of role: String, at time: MediaTime) {
        clocks[role, default: Course()].add(
            ClockPoint(partsPerMillion: clock.partsPerMillion, residual: clock.residual), at: time)
    }

    private mutating func note(repeated: Int64, missing: Int64, of track: String, at time: MediaTime) {
        tracks[track, default: Course()].add(TrackPoint(repeated: repeated, missing: missing), at: time)
    }
}
