internal import FoundationEssentials
internal import Glibc
internal import MulticamContainers
internal import MulticamEncoding
package import MulticamInterchange
package import MulticamMedia
internal import MulticamSessionFolder
package import MulticamSystem
internal import MulticamTiming

/// Renders the program of a recording again from its tracks. Rendering uses the same compositor, encoders,
/// and file format as a recording, but doesn't run in real time. Identical inputs and settings result in
/// identical files.
package struct Renderer: Sendable {
    /// The result of a rendering.
    package struct Outcome: Sendable, Equatable {
        /// Path of the rendered file.
        package let path: String
        /// One sentence for each read error. Unreadable material is replaced with slates and silence.
        package let faults: [String]
    }

    /// The visual content; `nil` to render only audio.
    package var picture: RenderedPicture?
    /// The audio settings; `nil` to render only video.
    package var sound: RenderedSound?
    /// Video encoding settings. The frame size and rate in these settings are ignored; the values come from
    /// the picture and the recording.
    package var video: VideoEncodingSettings
    /// Range of ticks to render, at the frame rate of the recording. The range must be within the recording.
    package var ticks: Range<Int64>
    /// Title in the metadata of the file.
    package var title: String
    /// Number of processors to use.
    package var processorCount = ProcessInfo.processInfo.activeProcessorCount

    /// Number of key frames in a segment. Each segment is encoded by one encoder. Tests use a smaller number,
    /// so that short material has several segments.
    package var keyFramesInSegment = SegmentQueue.defaultKeyFrames

    /// Width of the cover image in pixels, which is sufficient for all file browsers.
    private static let coverWidth = 1280

    private let session: RecordedSession
    private let folder: String

    /// Creates a renderer for a complete recording.
    ///
    /// - Parameters:
    ///   - session: The recording to render.
    ///   - folder: Path of the session folder.
    ///   - picture: The visual content; `nil` to render only audio.
    ///   - sound: The audio settings; `nil` to render only video.
    ///   - video: Video encoding settings. The frame size and rate in these settings are ignored; the values
    ///     come from the picture and the recording.
    package init(
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

    /// Returns the location of a file in the session folder, and creates the parent folders.
    ///
    /// - Throws: `FileError` with the operation "creating the folder" if a parent folder can't be created.
    static func makeFile(_ name: String, in folder: String) throws(FileError) -> ContainedFile {
        let file = try ContainedFile(name, in: folder)
        try file.makeParents()
        return file
    }

    /// Returns the first path of the form `edit/render-N.mp4` in the session folder that isn't in use.
    ///
    /// - Throws: `FileError` with the operation "creating the folder" if the folder `edit` can't be created.
    package static func nextFile(in folder: String) throws(FileError) -> ContainedFile {
        let folder = try makeFile("edit/render-1.mp4", in: folder).folder
        var number = 1
        while folder.file("edit/render-\(number).mp4").exists { number += 1 }
        return folder.file("edit/render-\(number).mp4")
    }

    /// Removes all unfinished files of this process. Call this method before the process exits without
    /// waiting for renderings.
    package static func discardDrafts() { DraftFile.discardAll() }

    /// Renders to a file, which gets its final name only when it is complete. This method blocks for a long
    /// time, so don't call it from a Swift task.
    ///
    /// - Parameters:
    ///   - path: Path of the file; `nil` for the first `edit/render-N.mp4` in the session folder that isn't
    ///     in use when the rendering is complete.
    ///   - replaces: Whether to replace an existing file.
    ///   - progress: Receives progress reports and can cancel the operation.
    /// - Returns: The path of the file, and the read errors.
    /// - Throws: `RenderError` if the rendering fails or is canceled. The incomplete file is then removed.
    package func run(
        to path: String? = nil, replaces: Bool = false, progress: RenderProgress = RenderProgress()
    ) throws(RenderError) -> Outcome {
        do {
            return try run(
                to: path.map { path throws(FileError) in
                    try ContainedFile(path: path, operation: "creating the file")
                },
                replaces: replaces, progress: progress)
        } catch {
            throw RenderError(error)
        }
    }

    /// Renders to a file inside a folder. For details, see `run(to:replaces:progress:)`.
    func run(
        to file: ContainedFile?, replaces: Bool, progress: RenderProgress
    ) throws(RenderError) -> Outcome {
        do {
            let folder = folder
            let draft =
                if let file {
                    try DraftFile(for: file, replaces: replaces)
                } else {
                    try DraftFile(for: Self.nextFile(in: folder)) { () throws(FileError) in
                        try Self.nextFile(in: folder)
                    }
                }
            do {
                return try render(draft, progress)
            } catch let error as FileError {
                throw draft.withFinalPath(error)
            }
        } catch {
            throw RenderError(error)
        }
    }

    /// Range of sample indices to render, counted from T0.
    private var samples: Range<Int64> {
        func sample(_ tick: Int64) -> Int64 {
            session.rate.time(ofTick: tick).ticks(perSecond: Int64(AudioFormat.sessionRate))
        }
        return sample(ticks.lowerBound)..<max(sample(ticks.lowerBound), sample(ticks.upperBound))
    }

    private func render(_ draft: DraftFile, _ progress: RenderProgress) throws -> Outcome {
        guard !ticks.isEmpty else {
            throw RenderError.nothingToRender(
                "the requested range contains no frame. Choose a longer range.")
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
            throw RenderError.nothingToRender(
                "the recording doesn't contain a camera or microphone that can be rendered.")
        }
        let file = try MovieFile(
            draft.temporaryFile, kind: .mp4, tracks: tracks,
            createdAt: session.date(at: session.rate.time(ofTick: ticks.lowerBound)))
        defer { file.abandon() }
        let notes = try metadata()
        file.metadata = notes
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
        return Outcome(
            path: draft.target.path, faults: faults + soundFaults + [notes.remark].compactMap(\.self))
    }

    // MARK: Audio

    private func soundEncoding(_ progress: RenderProgress) throws -> SoundEncoding? {
        guard let sound else { return nil }
        func mix() -> SessionMix {
            SessionMix(
                session, folder: folder, gains: sound.gains, processing: sound.processing,
                from: samples.lowerBound)
        }
        guard mix().hasAudio else { return nil }
        var mastering = Mastering.none
        if let target = sound.loudness {
            let found = try Mastering(target: target, upTo: samples.upperBound, makeMix: mix) { share in
                progress.report("measuring loudness", share)
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
            progress.report("encoding", min(1, Double(end - samples.lowerBound) / Double(samples.count)))
        }
    }

    // MARK: Frames

    /// Writes the video segments in order, interleaved with the audio of the same time range.
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
                progress.report("rendering", Double(queue.frameCount) / Double(ticks.count))
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

    // MARK: File metadata

    private func metadata() throws -> MovieMetadata {
        let first = session.rate.time(ofTick: ticks.lowerBound).nanoseconds
        var notes = MovieMetadata(session.markers)
        notes.chapters = notes.chapters.map {
            MovieMetadata.Chapter(
                start: MediaTime(nanoseconds: $0.start.nanoseconds - first), title: $0.title)
        }
        notes.title = title
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        notes.date = "\(session.start.year)-\(two(session.start.month))-\(two(session.start.day))"
        notes.cover = try cover()
        return notes
    }

    /// Returns the frame at one third of the rendered range as a JPEG. At this point, people are usually in
    /// position and no longer operating the controls.
    private func cover() throws -> SharedBytes? {
        let shown =
            picture
            ?? (session.angles.isEmpty ? nil : RenderedPicture(session, in: folder, cut: .live(of: session)))
        guard let shown else { return nil }
        return try PictureStill(shown).jpeg(
            at: ticks.lowerBound + Int64(ticks.count) / 3, width: Self.coverWidth)
    }
}

/// Reason why a rendering failed or was canceled.
package enum RenderError: Error, Sendable, CustomStringConvertible {
    /// The rendering was canceled. The incomplete file was removed.
    case stopped
    /// There is nothing to render. The sentence states the reason and a remedy.
    case nothingToRender(String)
    /// A file couldn't be written.
    case file(FileError)
    /// An encoder or decoder failed.
    case encoding(EncodingError)

    /// Converts an error from a rendering component.
    init(_ error: any Error) {
        self =
            switch error {
            case let error as RenderError: error
            case let error as FileError: .file(error)
            case let error as EncodingError: .encoding(error)
            default: .nothingToRender("\(error)")
            }
    }

    /// User-readable message with the reason and, if possible, a remedy.
    package var description: String {
        switch self {
        case .stopped: "rendering was stopped. The unfinished file was deleted."
        case .nothingToRender(let text): text
        case .file(let error): error.description
        case .encoding(let error): error.description
        }
    }
}

/// Progress reporting and cancellation of a rendering. Thread-safe.
package struct RenderProgress: Sendable {
    /// Called several times per second with the current step and the completed fraction, 0…1.
    package let report: @Sendable (_ step: String, _ share: Double) -> Void
    /// The object that cancels the rendering. After a cancellation, data that was already written is removed.
    package let cancellation: Cancellation

    /// Creates progress reporting. By default, progress isn't reported.
    package init(
        cancellation: Cancellation = Cancellation(),
        report: @escaping @Sendable (_ step: String, _ share: Double) -> Void = { _, _ in }
    ) {
        self.cancellation = cancellation
        self.report = report
    }
}
