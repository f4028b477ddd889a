internal import FoundationEssentials
internal import Glibc
internal import MulticamContainers
internal import MulticamEncoding
package import MulticamInterchange
package import MulticamMedia
internal import MulticamPlan
internal import MulticamSessionFolder
internal import MulticamSystem

/// Finds the faces in the camera tracks of a recording. Each track is searched by a process `multicam-vision`, so that the
/// detectors aren't part of this process.
///
/// The results are stored in `edit/vision.ndjson` and used again as long as the camera's files are the same. Searching the same
/// files again yields the same bytes.
package struct VisionAnalysis: Sendable {
    private let session: RecordedSession
    private let folder: String
    private let program: String?
    /// Number of tracks that are searched at the same time.
    package var processorCount = ProcessInfo.processInfo.activeProcessorCount

    /// Path of the results, relative to the session folder.
    package static let file = "edit/vision.ndjson"
    /// Version of the search. It changes with the results for the same frames.
    private static let version = 1
    /// Largest size of the results in bytes.
    private static let largestByteCount = 512 << 20
    private static let programName = "multicam-vision"

    /// The line of `edit/vision.ndjson` that precedes the frames of a camera. The results are valid only for exactly these
    /// values.
    private struct Header: Codable, Equatable {
        struct File: Codable, Equatable {
            var file: String
            var stream: Int
            var from_ns: Int64
            var bytes: Int64
            var xxh3_128: String
        }

        var version: Int
        var role: String
        var rate: String
        var width: Int
        var height: Int
        var rotation: Int
        var duration_ns: Int64
        var files: [File]
    }

    private struct Track {
        var header: Header
        /// The frames, each as a line of JSON; `nil` if the track hasn't been searched.
        var lines: [String]?
        /// Whether all frames could be searched.
        var isComplete = true
    }

    /// Prepares the search of a recording.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - folder: Path of the session folder.
    ///   - program: Path of `multicam-vision`; `nil` to find it where multicam is installed or built.
    package init(of session: RecordedSession, in folder: String, program: String? = nil) {
        (self.session, self.folder) = (session, folder)
        self.program = program ?? ProgramPath.sibling(Self.programName)
    }

    /// Searches the tracks of cameras, or reads earlier results. Blocks the calling thread for a long time.
    ///
    /// - Parameters:
    ///   - roles: Roles of the cameras. Roles without a track are reported.
    ///   - progress: Receives progress reports and can cancel the search.
    /// - Returns: The analyzed frames by role, and one sentence for each track that is missing or can't be read.
    /// - Throws: `RenderError` if `multicam-vision` isn't installed or fails, if the results can't be written, or if the search
    ///   was canceled.
    package func run(
        _ roles: Set<String>, progress: RenderProgress = RenderProgress()
    ) throws(RenderError) -> (frames: [String: [AnalyzedFrame]], faults: [String]) {
        do {
            return try find(roles, progress)
        } catch {
            throw RenderError(error)
        }
    }

    private func find(
        _ roles: Set<String>, _ progress: RenderProgress
    ) throws -> (frames: [String: [AnalyzedFrame]], faults: [String]) {
        let cameras = session.angles.filter { roles.contains($0.role) && $0.kind == .camera }
        var faults = RenderedPicture.problems(ofMissing: roles, in: session)
        var tracks: [Track] = []
        for camera in cameras {
            guard !progress.cancellation.isCancelled else { throw RenderError.stopped }
            progress.report("reading files", Double(tracks.count) / Double(cameras.count))
            do throws(FileError) {
                if let header = try header(of: camera) { tracks.append(Track(header: header)) }
            } catch {
                faults.append(error.description)
            }
        }
        let stored = storedTracks()
        for index in tracks.indices {
            tracks[index].lines = stored.first { $0.header == tracks[index].header }?.lines
        }
        let missing = tracks.indices.filter { tracks[$0].lines == nil }
        if !missing.isEmpty {
            let found = try search(missing.map { tracks[$0].header }, progress)
            for (index, result) in zip(missing, found) {
                tracks[index].lines = result.lines
                tracks[index].isComplete = result.faults.isEmpty
                faults += result.faults
            }
            // Results of other cameras remain valid. A track that could be read only in part is searched again next time.
            let others = stored.filter { other in !tracks.contains { $0.header.role == other.header.role } }
            let all = (tracks.filter(\.isComplete) + others).sorted { $0.header.role < $1.header.role }
            let text = all.map {
                ([JSONText.line($0.header)] + ($0.lines ?? [])).joined(separator: "\n") + "\n"
            }
            do throws(FileError) {
                try SessionFolder.write(Data(text.joined().utf8), to: Self.file, in: folder)
            } catch {
                faults.append("the faces weren't stored: \(error)")
            }
        }
        var frames: [String: [AnalyzedFrame]] = [:]
        for track in tracks {
            frames[track.header.role] = Self.frames(track.lines ?? [], until: track.header.duration_ns) ?? []
        }
        return (frames, faults)
    }

    /// Returns the values that the results of a camera are valid for; `nil` for a track without frames.
    ///
    /// - Throws: `FileError` if a file can't be read.
    private func header(of camera: SessionTrack) throws(FileError) -> Header? {
        guard let stored = camera.parts.first?.size else { return nil }
        var files: [Header.File] = []
        for part in camera.parts {
            let file = try ContainedFile(part.file, in: folder)
            let (count, checksum) = try FileVerification.checksum(of: file, from: 0)
            files.append(
                Header.File(
                    file: part.file, stream: part.stream, from_ns: part.from.nanoseconds, bytes: count,
                    xxh3_128: checksum.value))
        }
        let size = SessionPlan.analysisSize(of: stored)
        guard AnalysisStream.sides.contains(size.width), AnalysisStream.sides.contains(size.height) else {
            return nil
        }
        return Header(
            version: Self.version, role: camera.role, rate: SessionPlan.analysisRates.usual.description,
            width: size.width, height: size.height, rotation: camera.rotation.degrees,
            duration_ns: session.duration.nanoseconds, files: files)
    }

    // MARK: Stored results

    /// Returns the valid results in `edit/vision.ndjson`. The file may be missing, or edited by users.
    private func storedTracks() -> [Track] {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try WholeFile.bytes(
                of: try ContainedFile(Self.file, in: folder), atMost: Self.largestByteCount)
        } catch {
            return []
        }
        var tracks: [Track] = []
        let decoder = JSONText.decoder()
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: Array(#"{"at_ns""#.utf8)) {
                guard !tracks.isEmpty else { return [] }
                tracks[tracks.count - 1].lines?.append(String(decoding: line, as: UTF8.self))
                continue
            }
            do {
                tracks.append(Track(header: try decoder.decode(Header.self, from: Data(line)), lines: []))
            } catch {
                return []
            }
        }
        return tracks.filter { Self.frames($0.lines ?? [], until: $0.header.duration_ns) != nil }
    }

    /// Returns the frames of lines; `nil` if a line is invalid, the times don't increase, or one isn't before the end.
    private static func frames(_ lines: [String], until end: Int64) -> [AnalyzedFrame]? {
        var frames: [AnalyzedFrame] = []
        let decoder = JSONText.decoder()
        for line in lines {
            do {
                let frame = try decoder.decode(AnalyzedFrame.self, from: Data(line.utf8))
                guard let checked = FrameAnalysis(faces: frame.faces).checked,
                    frames.last.map({ $0.at_ns < frame.at_ns }) ?? true,
                    (0..<max(end, 1)).contains(frame.at_ns)
                else { return nil }
                frames.append(AnalyzedFrame(at_ns: frame.at_ns, faces: checked.faces))
            } catch {
                return nil
            }
        }
        return frames
    }

    // MARK: Search

    /// Searches tracks, several at the same time.
    ///
    /// - Returns: The frames of each track as lines, which are valid, and a sentence for each file that can't be read.
    private func search(
        _ headers: [Header], _ progress: RenderProgress
    ) throws -> [(lines: [String], faults: [String])] {
        guard let program, access(program, X_OK) == 0 else {
            throw RenderError.nothingToRender(
                "faces can't be found: the program multicam-vision isn't installed\(program.map { " at \($0.printable(limit: 1000))" } ?? ""). "
                    + onCommandLine(
                        "Build it with `swift build`, or install the package multicam-studio.",
                        otherwise: "Install the package multicam-studio."))
        }
        struct State {
            var next = 0
            var shares: [Double]
            var found: [(lines: [String], faults: [String])]
            var error: RenderError?
        }
        let state = ConditionLock(
            State(shares: headers.map { _ in 0 }, found: headers.map { _ in ([], []) }))
        let threads = (0..<max(1, min(processorCount, headers.count))).map { number in
            MediaThread.startWhenPossible(name: "faces:\(number)") {
                while let index = state.withLock({ state -> Int? in
                    guard state.next < headers.count, state.error == nil else { return nil }
                    defer { state.next += 1 }
                    return state.next
                }) {
                    do throws(RenderError) {
                        let found = try TrackSearch(
                            session, folder, headers[index].role,
                            FrameSize(width: headers[index].width, height: headers[index].height), program
                        ).run { share in
                            state.withLock { state in
                                state.shares[index] = share
                                return state.error == nil
                            } && !progress.cancellation.isCancelled
                        }
                        guard Self.frames(found.lines, until: headers[index].duration_ns) != nil else {
                            throw TrackSearch.failure("sent invalid results.")
                        }
                        state.withLock { $0.found[index] = found }
                    } catch {
                        state.withLock { $0.error = $0.error ?? error }
                    }
                }
            }
        }
        let clock = MonotonicClock()
        for thread in threads {
            while !thread.join(until: clock.now + .milliseconds(200)) {
                let share = state.withLock { $0.shares.reduce(0, +) } / Double(headers.count)
                progress.report("finding faces", share)
            }
        }
        return try state.withLock { state -> Result<[(lines: [String], faults: [String])], RenderError> in
            state.error.map { .failure($0) } ?? .success(state.found)
        }.get()
    }
}

/// Sends the frames of one camera track to a process `multicam-vision`, and receives the faces. Used by one thread.
private struct TrackSearch {
    private let track: SessionTrack?
    private let folder: String
    private let size: FrameSize
    private let program: String
    private let rate = SessionPlan.analysisRates.usual
    private let count: Int64

    /// Longest time without progress of the process.
    private static let timeout = Nanoseconds.seconds(60)

    init(_ session: RecordedSession, _ folder: String, _ role: String, _ size: FrameSize, _ program: String) {
        (self.folder, self.size, self.program) = (folder, size, program)
        track = session.angle(role)
        count = rate.ticks(before: session.duration)
    }

    /// Searches the track.
    ///
    /// - Parameter proceed: Called with the completed share, 0…1; returns whether to continue.
    /// - Returns: One line for each analyzed frame, and a sentence for each file that can't be read.
    /// - Throws: `RenderError` if the process can't be started, fails, or hangs, or if `proceed` returned `false`.
    func run(proceed: (Double) -> Bool) throws(RenderError) -> (lines: [String], faults: [String]) {
        guard let track else { return ([], []) }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else { throw Self.failure("cannot be started: \(MachineLimit.explanation(errno: errno))") }
        let own = OwnedDescriptor(owning: ends[0])
        var limit = timeval(tv_sec: Int(Self.timeout.count / 1_000_000_000), tv_usec: 0)
        setsockopt(own.number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let child = try start(OwnedDescriptor(owning: ends[1]))
        let lines = ConditionLock<[String]>([])
        let (output, messages) = (Cancellation(), ConditionLock<[String]>([]))
        child.readOutput({ line in lines.withLock { $0.append(line) } }, whenOver: { output.cancel() })
        child.readMessages { line in messages.withLock { $0.append(line) } }
        do throws(RenderError) {
            let (sent, faults) = try send(track, to: own.number, proceed)
            shutdown(own.number, Int32(SHUT_WR))
            try waitForEnd(output, lines, proceed)
            let status = child.wait()
            guard status == 0 else {
                let last = messages.withLock(\.last)?.replacing("multicam-vision: ", with: "")
                let reason = last.map { ": \($0.printable(limit: 1000))" } ?? "."
                throw Self.failure("ended with status \(status)\(reason)")
            }
            let found = lines.withLock { $0 }
            guard found.count == sent else {
                throw Self.failure("sent \(found.count) results for \(sent) frames.")
            }
            return (found, faults)
        } catch {
            child.signal(SIGKILL)
            _ = child.wait()
            throw error
        }
    }

    private func start(_ other: consuming OwnedDescriptor) throws(RenderError) -> ChildProcess {
        do throws(ProcessError) {
            return try ChildProcess(
                program, [AnalysisStream.option], passing: (other.number, AnalysisStream.descriptor))
        } catch {
            throw .nothingToRender(error.description)
        }
    }

    static func failure(_ words: String) -> RenderError {
        .nothingToRender("faces can't be found: the program multicam-vision \(words)")
    }

    private func send(
        _ track: SessionTrack, to socket: Int32, _ proceed: (Double) -> Bool
    ) throws(RenderError) -> (sent: Int, faults: [String]) {
        let request = VisionRequest(
            role: track.role, detect: [.faces], size: size, rate: rate, rotation: track.rotation)
        try send(Array((JSONText.line(request) + "\n").utf8), to: socket)
        let schedule =
            track.isOnGrid ? nil : FrameSchedule(track, folder: folder, rate: rate, count: count)
        let reader = AngleReader(track, folder: folder, schedule: schedule)
        let shape = LayerShape(
            PixelRectangle(x: 0, y: 0, width: size.width, height: size.height), fit: .cover)
        var sent = 0
        do {
            let composer = try Codecs().makeComposer(size: size, color: .jpeg, name: track.role)
            for tick in 0..<count {
                guard proceed(Double(tick) / Double(max(count, 1))) else { throw RenderError.stopped }
                let time = rate.time(ofTick: tick)
                guard let frame = reader.frame(at: time, tick: tick) else { continue }
                let gray = try composer.compose(
                    [FrameLayer(frame: frame, shape)], at: ClockTime(nanoseconds: time.nanoseconds),
                    sequence: tick)
                try send(bytes(of: gray, at: time), to: socket)
                sent += 1
            }
        } catch {
            throw RenderError(error)
        }
        return (sent, (schedule?.faults ?? []) + [reader.fault].compactMap(\.self))
    }

    /// Returns the time and the luma of a frame as `AnalysisStream` defines them.
    private func bytes(of frame: CapturedFrame, at time: MediaTime) -> [UInt8] {
        var bytes = withUnsafeBytes(of: time.nanoseconds.littleEndian) { Array($0) }
        bytes.reserveCapacity(8 + size.pixelCount)
        guard let luma = frame.plane(0) else { return bytes + Array(repeating: 0, count: size.pixelCount) }
        for row in 0..<size.height {
            bytes += UnsafeBufferPointer(start: luma + row * frame.planes[0].stride, count: size.width)
        }
        return bytes
    }

    private func send(_ bytes: [UInt8], to socket: Int32) throws(RenderError) {
        var place = 0
        while place < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    socket, buffer.baseAddress.map { $0 + place }, buffer.count - place, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw Self.failure(errno == EAGAIN ? "doesn't respond." : "has terminated unexpectedly.")
            }
            place += count
        }
    }

    /// Waits until the process has written its last line.
    private func waitForEnd(
        _ output: Cancellation, _ lines: ConditionLock<[String]>, _ proceed: (Double) -> Bool
    ) throws(RenderError) {
        let clock = MonotonicClock()
        var (known, since) = (-1, clock.now)
        while !output.wait(until: clock.now + .milliseconds(200)) {
            guard proceed(1) else { throw .stopped }
            let written = lines.withLock(\.count)
            if written != known { (known, since) = (written, clock.now) }
            guard clock.now - since < Self.timeout else { throw Self.failure("doesn't respond.") }
        }
    }
}
