internal import Media
public import Session
public import SessionFolder
public import Timing

/// The facts of a recording that decide whether it held. A value, so that judging is a function.
public struct StressFindings: Sendable, Equatable {
    /// The captured and lost frames or samples of each track.
    public var tracks: [StressCertificate.Track]
    /// The gaps in which devices delivered nothing.
    public var gaps: [Gap]
    /// Failures of files, one sentence each.
    public var storageFailures: [String]
    /// Failures of encoders, one sentence each.
    public var encodingFailures: [String]
    /// Silent microphones that exceeded the profile's limit, one sentence each.
    public var silences: [String]
    /// The system pressure during the recording; `nil` when it was not measured.
    public var pressure: Manifest.Pressure?
    /// Roles of the devices whose clock model was unreliable at the end.
    public var unlocked: [String]

    /// Creates findings from their values.
    public init(
        tracks: [StressCertificate.Track], gaps: [Gap] = [], storageFailures: [String] = [],
        encodingFailures: [String] = [], silences: [String] = [], pressure: Manifest.Pressure? = nil,
        unlocked: [String] = []
    ) {
        self.tracks = tracks
        self.gaps = gaps
        self.storageFailures = storageFailures
        self.encodingFailures = encodingFailures
        self.silences = silences
        self.pressure = pressure
        self.unlocked = unlocked
    }

    /// Creates the findings of a recording.
    ///
    /// - Parameters:
    ///   - result: The result of the recording.
    ///   - silences: A sentence for each microphone that was silent for too long.
    public init(_ result: RecordingResult, silences: [String]) {
        let manifest = result.manifest
        self.init(
            tracks: manifest.tracks.map(StressCertificate.Track.init), gaps: manifest.gaps,
            storageFailures: result.storageFailures.map(\.description),
            encodingFailures: result.encodingFailures.map(\.description), silences: silences,
            pressure: manifest.cost?.pressure,
            unlocked: manifest.devices.filter { !$0.clock.locked }.map(\.role))
    }
}

extension StressCertificate.Track {
    init(_ track: Manifest.Track) {
        self.init(name: track.name, kind: track.kind, captured: 0, lost: [:])
        if let frames = track.frames {
            captured = Int64(frames.captured)
            lost = frames.lost.mapValues { Int64($0) }
        }
        if let samples = track.samples {
            captured = samples.captured
            lost = samples.filled > 0 ? ["filled": samples.filled] : [:]
        }
    }
}
