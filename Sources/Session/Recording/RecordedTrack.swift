public import MulticamMedia
internal import MulticamSessionFolder

/// A track of a recording: its files, and the numbers of its frames or samples.
public struct RecordedTrack: Sendable, Equatable {
    /// Name of the track: a role, a role with a number such as `desk.2`, or `program`.
    public var name: String
    /// Role of the device, or `program`.
    public var role: String
    /// Absolute paths of the track's files, in order. A track has several files if it was split.
    public var files: [String]
    /// Start of the track, counted from T0.
    public var start: Nanoseconds
    /// Length of the track.
    public var duration: Nanoseconds
    /// Width and height of the stored frames in pixels; `nil` for audio.
    public var size: FrameSize?
    /// Number of frames in the files; `nil` for audio.
    public var frameCount: Int?
    /// Number of frames in the files that repeat the previous frame because no new one was available.
    public var repeatedFrameCount: Int
    /// Number of frames in the files that show a slate because the camera was away.
    public var slateFrameCount: Int
    /// Number of samples in the files; `nil` for video without audio.
    public var sampleCount: Int64?
    /// Number of samples in the files that replace missing audio with silence.
    public var silentSampleCount: Int64
    /// Number of lost frames by cause. A lost frame was due, but isn't in the files.
    public var losses: [LossCause: Int]

    /// Creates a track, for example for a test of an application. Each parameter sets the property of the same name.
    public init(
        name: String, role: String, files: [String], start: Nanoseconds = .zero, duration: Nanoseconds,
        size: FrameSize? = nil, frameCount: Int? = nil, repeatedFrameCount: Int = 0, slateFrameCount: Int = 0,
        sampleCount: Int64? = nil, silentSampleCount: Int64 = 0, losses: [LossCause: Int] = [:]
    ) {
        self.name = name
        self.role = role
        self.files = files
        self.start = start
        self.duration = duration
        self.size = size
        self.frameCount = frameCount
        self.repeatedFrameCount = repeatedFrameCount
        self.slateFrameCount = slateFrameCount
        self.sampleCount = sampleCount
        self.silentSampleCount = silentSampleCount
        self.losses = losses
    }
}

extension RecordedTrack {
    /// Creates the track from its entry in the manifest of a session folder.
    init(_ track: Manifest.Track, in folder: String) {
        let lost = (track.frames?.lost ?? [:]).compactMap { name, count in
            LossCause(rawValue: name).map { ($0, count) }
        }
        self.init(
            name: track.name, role: track.role ?? track.name,
            files: ([track.file] + (track.parts ?? [])).map { "\(folder)/\($0)" },
            start: Nanoseconds(track.first_ns), duration: Nanoseconds(track.duration_ns),
            size: track.width.flatMap { width in
                track.height.map { FrameSize(width: width, height: $0) }
            },
            frameCount: track.frames?.written, repeatedFrameCount: track.frames?.duplicated ?? 0,
            slateFrameCount: track.frames?.slate ?? 0, sampleCount: track.samples?.written,
            silentSampleCount: track.samples?.silence ?? 0,
            losses: Dictionary(uniqueKeysWithValues: lost))
    }
}
