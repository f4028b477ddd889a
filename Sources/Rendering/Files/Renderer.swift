internal import Containers
internal import Encoding
internal import FoundationEssentials
internal import Glibc
public import Interchange
public import Media
internal import SessionFolder
internal import Timing

/// Renders a recording anew from its tracks: the same compositor, encoders and file as in a recording, but not in real time. The
/// same request gives the same bytes.
public struct Renderer: Sendable {
    /// What became of a rendering.
    public struct Outcome: Sendable, Equatable {
        /// Path of the file.
        public let path: String
        /// What could not be read, as sentences: slates and silence stand for it.
        public let faults: [String]
    }

    /// What is shown; `nil` for audio alone.
    public var picture: RenderedPicture?
    /// What is heard; `nil` for frames alone.
    public var sound: RenderedSound?
    /// How frames are encoded. Size and rate are the picture's.
    public var video: VideoEncodingSettings
    /// Ticks of the recording that are rendered, at its rate; within the recording.
    public var ticks: Range<Int64>
    /// Title of the file.
    public var title: String
    /// Number of processors to use.
    public var processorCount = ProcessInfo.processInfo.activeProcessorCount

    /// Key frames in a piece that one encoder makes; fewer only in tests, so that little material has several pieces.
    package var keyFramesInSegment = SegmentQueue.usualKeyFrames

    /// Columns of the cover, more than any list of files shows.
    private static let coverWidth = 1280

    private let session: RecordedSession
    private let folder: String

    /// Prepares the rendering of a whole recording.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - folder: Path of the session folder.
    ///   - picture: What is shown; `nil` for audio alone.
    ///   - sound: What is heard; `nil` for frames alone.
    ///   - video: How frames are encoded. Size and rate are the picture's.
    public init(
        _ session: RecordedSession, in folder: String, picture: RenderedPicture?,
        sound: RenderedSound? = RenderedSound(),
        video: VideoEncodingSettings = VideoEncodingSettings(
            size: FrameSize(width: 2, height: 2), rate: FrameRate(30))
    ) {
        self.session = session
        self.folder = folder
        self.picture = picture
        self.sound = sound
        self.video = video
        if let picture { self.video.size = picture.size }
        self.video.rate = session.rate
        self.video.hardware = nil
        ticks = 0..<session.frameCount
        title = session.title
    }

    /// The folder for what is made of a recording, which is made where it is missing.
    ///
    /// - Throws: `FileError` "make the folder".
    static func editFolder(in folder: String) throws(FileError) -> String {
        let edit = folder + "/edit"
        guard mkdir(edit, 0o777) == 0 || errno == EEXIST else {
            throw FileError(path: edit, operation: "make the folder", errno: errno)
        }
        return edit
    }

    /// The first free path of the session folder's `edit/render-N.mp4`.
    ///
    /// - Throws: `FileError` "make the folder" where `edit` cannot be made.
    package static func nextPath(in folder: String) throws(FileError) -> String {
        let edit = try editFolder(in: folder)
        var number = 1
        while access("\(edit)/render-\(number).mp4", F_OK) == 0 { number += 1 }
        return "\(edit)/render-\(number).mp4"
    }

    /// Renders into a file, which has its name only when it is whole. Blocks for long; not in a Swift task.
    ///
    /// - Parameters:
    ///   - path: Path of the file; `nil` for the first `edit/render-N.mp4` of the session folder that is free when the file is whole.
    ///   - replaces: Whether it takes the place of a file that is there.
    ///   - progress: Told how far it is; may stop it.
    /// - Returns: The file, and what could not be read.
    /// - Throws: `RenderError`; nothing is left of the file.
    public func run(
        to path: String? = nil, replaces: Bool = false, progress: RenderProgress = RenderProgress()
    ) throws(RenderError) -> Outcome {
        do {
            let folder = folder
            let draft =
                if let path {
                    try DraftFile(for: path, replaces: replaces)
                } else {
                    try DraftFile(for: Self.nextPath(in: folder)) { () throws(FileError) in
                        try Self.nextPath(in: folder)
                    }
                }
            do {
                return try render(draft, progress)
            } catch let error as FileError {
                throw draft.told(error)
            }
        } catch {
            throw RenderError(error)
        }
    }

    /// Indices since T0 of the samples that are rendered.
    private var samples: Range<Int64> {
        func sample(_ tick: Int64) -> Int64 {
            session.rate.time(ofTick: tick).ticks(perSecond: Int64(AudioFormat.sessionRate))
        }
        return sample(ticks.lowerBound)..<max(sample(ticks.lowerBound), sample(ticks.upperBound))
    }

    private func render(_ draft: DraftFile, _ progress: RenderProgress) throws -> Outcome {
        guard !ticks.isEmpty else {
            throw RenderError.nothing(
                "there is no frame between the times that are asked for. Ask for a longer part.")
        }
        let encoding = try soundEncoding(progress)
        let stream = try picture.map { _ in
            try Codecs().makeVideoEncoder(video, name: "the rendered picture").parameters
        }
        let tracks = [
            stream.map { MovieTrack.video($0, name: "program") },
            encoding.map { MovieTrack.audio($0.parameters, name: "mix") },
        ].compactMap(\.self)
        guard !tracks.isEmpty else {
            throw RenderError.nothing(
                "the recording has neither cameras nor microphones that could be rendered.")
        }
        let file = try MovieFile(
            path: draft.path, kind: .mp4, tracks: tracks,
            createdAt: session.date(at: session.rate.time(ofTick: ticks.lowerBound)))
        defer { file.abandon() }
        file.notes = try notes()
        var faults: [String] = []
        if let picture {
            faults = try write(picture, encoding, to: file, progress)
        } else {
            try write(encoding, to: file, progress)
        }
        let soundFaults = encoding?.faults ?? []
        let ends: [Int64?] = [
            stream.map { _ in Int64(ticks.count) * session.rate.seconds },
            encoding.map { _ in Int64(samples.count) },
        ].filter { $0 != nil }
        try file.finish(ends: ends)
        try draft.publish()
        return Outcome(path: draft.target, faults: faults + soundFaults)
    }

    // MARK: Audio

    private func soundEncoding(_ progress: RenderProgress) throws -> SoundEncoding? {
        guard let sound else { return nil }
        func mix() -> SessionMix {
            SessionMix(session, folder: folder, gains: sound.gains, from: samples.lowerBound)
        }
        guard mix().hasAudio else { return nil }
        var mastering = Mastering.none
        if let target = sound.loudness {
            let found = try Mastering(target: target, upTo: samples.upperBound, listen: mix) { share in
                progress.tell("measuring loudness", share)
                return !progress.cancellation.isCancelled
            }
            guard let found else { throw RenderError.stopped }
            mastering = found
        }
        return try SoundEncoding(mix(), mastering: mastering, samples: samples, bitrate: sound.bitrate)
    }

    private func write(_ encoding: SoundEncoding?, to file: MovieFile, _ progress: RenderProgress) throws {
        let second = Int64(AudioFormat.sessionRate)
        for end in stride(
            from: samples.lowerBound + second, through: samples.upperBound + second - 1, by: Int(second))
        {
            guard !progress.cancellation.isCancelled else { throw RenderError.stopped }
            for packet in try encoding?.packets(upTo: end) ?? [] { try file.append(packet, to: 0) }
            progress.tell("encoding", min(1, Double(end - samples.lowerBound) / Double(samples.count)))
        }
    }

    // MARK: Frames

    /// Writes the segments in order, each with its audio beside it.
    private func write(
        _ picture: RenderedPicture, _ encoding: SoundEncoding?, to file: MovieFile, _ progress: RenderProgress
    ) throws -> [String] {
        let queue = SegmentQueue(
            ticks: ticks, settings: video, keyFrames: keyFramesInSegment, processorCount: processorCount
        ) {
            PictureSource(picture)
        }
        defer { queue.stop() }
        let audioRate = Int64(AudioFormat.sessionRate)
        for segment in 0..<queue.count {
            let packets = try queue.wait(for: segment) {
                progress.tell("rendering", Double(queue.frameCount) / Double(ticks.count))
                return !progress.cancellation.isCancelled
            }
            let end = session.rate.time(ofTick: queue.ticks(of: segment).upperBound)
            var audio = (try encoding?.packets(upTo: end.ticks(perSecond: audioRate)) ?? [])[...]
            for packet in packets {
                let time = packet.decode.rescaled(from: session.rate.frames, to: audioRate)
                while let next = audio.first, next.presentation <= time {
                    try file.append(next, to: 1)
                    audio.removeFirst()
                }
                try file.append(packet, to: 0)
            }
            for packet in audio { try file.append(packet, to: 1) }
        }
        return queue.faults
    }

    // MARK: Notes

    private func notes() throws -> MovieNotes {
        let first = session.rate.time(ofTick: ticks.lowerBound).nanoseconds
        var notes = MovieNotes(session.marks)
        notes.chapters = notes.chapters.map {
            MovieNotes.Chapter(
                start: MediaTime(nanoseconds: $0.start.nanoseconds - first), title: $0.title)
        }
        notes.title = title
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        notes.date = "\(session.start.year)-\(two(session.start.month))-\(two(session.start.day))"
        notes.cover = try cover()
        return notes
    }

    /// A frame from the first third, where people sit and nobody looks for the button.
    private func cover() throws -> SharedBytes? {
        let shown =
            picture
            ?? (session.angles.isEmpty ? nil : RenderedPicture(session, in: folder, cut: .live(of: session)))
        guard let shown else { return nil }
        return try PictureStill(shown).jpeg(
            at: ticks.lowerBound + Int64(ticks.count) / 3, width: Self.coverWidth)
    }
}
