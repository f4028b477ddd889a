internal import FoundationEssentials
internal import MulticamContainers
internal import MulticamEncoding
internal import MulticamMedia
internal import MulticamSessionFolder

/// Produces frames and waveforms of completed recordings. Blocks the calling thread. Used by only one thread.
final class RecordedMedia {
    private var library: RecordingLibrary
    private let encoder = PreviewEncoder()
    /// Recently used readers. Readers are kept because a page requests the frames of a track one by one.
    private var readers: [(key: String, reader: RecordedFrames)] = []
    private var waveforms: [(key: String, json: String)] = []

    private static let mostReaders = 8
    private static let maxWaveforms = 64
    /// Time after the end of a track for which the track's last frame is still returned, in nanoseconds.
    private static let lastFrameTime: Int64 = 1_000_000_000
    /// Tolerance of frame times, in nanoseconds. A file's timestamps are rounded to its time base, so a frame
    /// may begin this much later than its exact time.
    private static let rounding: Int64 = 100_000

    /// Creates a reader for the recordings in the folder at this path.
    init(_ folder: String) { library = RecordingLibrary(folder) }

    /// Responds to a request for a frame or a waveform.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - canContinue: Called periodically; `false` cancels the request.
    /// - Returns: The response.
    func response(to request: RecordingRequest, while canContinue: () -> Bool = { true }) -> WebResponse {
        do throws(RecordingRefusal) {
            let recording = try library.recording(request.folder)
            switch request.content {
            case .frame(let track, let time, let width):
                return try frame(of: try recording.track(track), recording, time, width)
            case .waveform(let track, let count):
                return try waveform(of: try recording.track(track), recording, count, canContinue)
            case .manifest, .program, .files, .file, .archive:
                throw RecordingRefusal(
                    status: 404, text: "This address refers to a file, not to a frame or waveform.")
            }
        } catch {
            return WebResponse(error.status, message: error.text)
        }
    }

    // MARK: Frames

    private func frame(
        of track: Manifest.Track, _ recording: RecordingLibrary.Recording, _ time: Int64, _ width: Int
    ) throws(RecordingRefusal) -> WebResponse {
        guard track.kind != "microphone" else {
            throw RecordingRefusal(status: 404, text: "\(track.name.printable()) is an audio track.")
        }
        let files = RecordingLibrary.files(of: track)
        let time = time + Self.rounding
        let end = max(track.first_ns, 0).addingReportingOverflow(track.duration_ns)
        guard time >= max(0, track.first_ns), end.overflow || time - end.partialValue < Self.lastFrameTime,
            let first = files.first
        else {
            throw RecordingRefusal(
                status: 404,
                text:
                    "\(track.name.printable()) does not have a frame at this time, because the track was not being recorded."
            )
        }
        // Later files are tried first. With stream copy, a file begins with the first key frame after the
        // file's start time. Until this key frame, frames come from the previous file.
        for part in files.filter({ $0.start <= time }).reversed() {
            let (frame, at) = try frame(in: part.file, recording, track.stream, time - part.start)
            if at <= time - part.start || part.file == first.file {
                return try response(frame, at: at &+ part.start, track, width)
            }
        }
        throw RecordingRefusal(
            status: 404,
            text:
                "\(track.name.printable()) does not have a frame at this time, because the track was not being recorded."
        )
    }

    /// Returns the frame of a file at the given time within the file, and the frame's start time.
    private func frame(
        in path: String, _ recording: RecordingLibrary.Recording, _ stream: Int, _ time: Int64
    ) throws(RecordingRefusal) -> (frame: CapturedFrame, at: Int64) {
        let file = try recording.file(path)
        do throws(EncodingError) {
            let reader = try reader(file, stream: stream)
            guard let found = try reader.frame(at: MediaTime(nanoseconds: time)) else {
                throw EncodingError(
                    subject: path, operation: "reading", reason: "the file contains no frames")
            }
            return (found.frame, found.time.nanoseconds)
        } catch {
            removeReader(of: file, stream: stream)
            throw Self.refusal(error)
        }
    }

    private func response(
        _ frame: CapturedFrame, at time: Int64, _ track: Manifest.Track, _ width: Int
    ) throws(RecordingRefusal) -> WebResponse {
        do throws(EncodingError) {
            let jpeg = try encoder.jpeg(of: frame, atMost: width)
            let facts = ExifMetadata(
                date: Date(timeIntervalSince1970: 0), secondsFromGMT: 0,
                size: PreviewEncoder.size(frame.size, atMost: width),
                rotation: Rotation(rawValue: track.rotation ?? 0) ?? .none)
            guard let pieces = StillFile.pieces(of: jpeg, facts) else {
                throw EncodingError(
                    subject: track.file, operation: "reading", reason: "the frame is damaged")
            }
            let bytes = pieces.reduce(into: Data()) { $0.append(contentsOf: $1.bytes) }
            var answer = WebResponse(200, "image/jpeg", bytes)
            answer.headers["X-At-Ns"] = String(time)
            return answer
        } catch {
            throw Self.refusal(error)
        }
    }

    private static func refusal(_ error: EncodingError) -> RecordingRefusal {
        RecordingRefusal(
            status: 409, text: "The frame cannot be shown: \(error.reason.printable(limit: 200)).")
    }

    private func reader(_ file: RecordedFile, stream: Int) throws(EncodingError) -> RecordedFrames {
        let key = "\(file.version)/\(stream)"
        if let index = readers.firstIndex(where: { $0.key == key }) {
            let found = readers.remove(at: index)
            readers.append(found)
            return found.reader
        }
        // The descriptor must stay open, because the path refers to it.
        defer { withExtendedLifetime(file) {} }
        let reader = try RecordedFrames(path: file.path, stream: stream)
        readers.append((key, reader))
        if readers.count > Self.mostReaders { readers.removeFirst() }
        return reader
    }

    private func removeReader(of file: RecordedFile, stream: Int) {
        readers.removeAll { $0.key == "\(file.version)/\(stream)" }
    }

    // MARK: Waveforms

    private func waveform(
        of track: Manifest.Track, _ recording: RecordingLibrary.Recording, _ count: Int,
        _ canContinue: () -> Bool
    ) throws(RecordingRefusal) -> WebResponse {
        guard track.kind == "microphone" || track.channels != nil else {
            throw RecordingRefusal(status: 404, text: "\(track.name.printable()) contains no audio.")
        }
        guard recording.manifest.duration_ns > 0 else {
            throw RecordingRefusal(status: 409, text: "The duration of the recording is unknown.")
        }
        // The program's audio stream follows its video stream.
        let stream = track.kind == "microphone" ? track.stream : track.stream + 1
        var files: [(file: RecordedFile, start: Int64)] = []
        for (path, start) in RecordingLibrary.files(of: track) {
            files.append((try recording.file(path), start))
        }
        let key = "\(files.map(\.file.version).joined())/\(stream)/\(count)"
        if let found = waveforms.first(where: { $0.key == key }) { return WebResponse(200, json: found.json) }
        var peaks = RecordedPeaks(count: count, duration: Nanoseconds(recording.manifest.duration_ns))
        for (file, start) in files {
            // The descriptor must stay open, because the path refers to it.
            defer { withExtendedLifetime(file) {} }
            do throws(EncodingError) {
                try peaks.addFile(
                    path: file.path, stream: stream, from: Nanoseconds(start), while: canContinue)
            } catch {
                throw RecordingRefusal(
                    status: 409,
                    text: "The audio cannot be read: \(error.reason.printable(limit: 200)).")
            }
        }
        guard canContinue() else { return WebResponse(503, message: "The request was canceled.") }
        // A precision of one thousandth is finer than any displayed waveform.
        let values = peaks.peaks.map { JSONValue.number((Double($0) * 1000).rounded() / 1000) }
        let json = WebJSON.text(["peaks": JSONValue.array(values)])
        waveforms.append((key, json))
        if waveforms.count > Self.maxWaveforms { waveforms.removeFirst() }
        return WebResponse(200, json: json)
    }
}
