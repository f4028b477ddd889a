internal import Media
public import Session
public import SessionFolder
public import Timing

/// What a recording told of itself, as far as it decides whether it held. A value, so that judging is a function.
public struct StressFindings: Sendable, Equatable {
    public var tracks: [StressCertificate.Track]
    public var gaps: [Gap]
    /// Sentences of files and encoders that failed.
    public var storageFailures: [String]
    public var encodingFailures: [String]
    /// Sentences of limits of the profile that the recording itself found exceeded and that are not about frames.
    public var silences: [String]
    public var pressure: Manifest.Pressure?
    /// Devices whose clock could not be relied on in the end.
    public var unlocked: [String]

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

    /// - Parameters:
    ///   - result: How the recording ended.
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
