internal import FoundationEssentials
internal import Glibc
internal import MulticamConfinement
internal import MulticamControl
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamMediaLink
internal import MulticamSessionFolder
internal import MulticamSystem

/// The process that finds faces and codes. It receives scaled frames from the media socket of a session, and sends the
/// positions of faces and codes back. After it has connected, it can't open files or connections any more.
package enum Vision {
    /// Examines the cameras that are requested on standard input, until standard input or the connection ends. Blocks
    /// the calling thread, which must be the main thread.
    ///
    /// With `--frames` instead, frames of one recorded camera are received from a descriptor; see `AnalysisStream`.
    ///
    /// - Parameter arguments: The program's name, `--socket`, and the path of the media socket; or `--frames`.
    /// - Returns: The exit status: 0 after the end of standard input, 1 if the connection or a detector fails, 2 for
    ///   invalid arguments.
    package static func run(_ arguments: [String]) -> Int32 {
        if arguments.dropFirst() == [AnalysisStream.option] { return analyzeRecording() }
        guard arguments.count == 3, arguments[1] == "--socket" else {
            writeMessage(
                "this program must be started by `multicam` with the option --socket PATH, the path of the session's media socket."
            )
            return 2
        }
        let connection: MediaConnection
        do throws(ControlError) {
            connection = try MediaPath.connect(process: nil, path: arguments[2])
        } catch {
            writeMessage(error.description)
            return 1
        }
        guard let detector = HOGFaceDetector(), let reader = CodeReader() else {
            writeMessage("the detectors can't be created: out of memory.")
            return 1
        }
        confine()
        let process = VisionProcess(connection)
        MediaThread.startWhenPossible(name: "vision:input") {
            StandardStreams.readLines(
                { line in
                    if let sentence = process.handle(line) { writeMessage(sentence) }
                },
                tooLong: {
                    writeMessage(
                        "a line on standard input is longer than \(StandardStreams.longestLine) bytes.")
                })
            // Other threads are still examining frames, so destructors must not run.
            _exit(0)
        }
        MediaThread.startWhenPossible(name: "vision:reports") {
            let clock = MonotonicClock()
            // A process that stops reporting is replaced.
            while !process.hangs(at: clock.now),
                StandardStreams.write(JSONText.line(process.report) + "\n", to: STDOUT_FILENO)
            {
                clock.sleep(until: clock.now + .seconds(1), unless: Cancellation())
            }
        }
        // Everything that a viewer sees is more urgent. Only this thread is affected, so the reports stay punctual.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        process.run(detector, reader)
        return 1
    }

    /// Examines the frames of a recorded camera, until the stream ends.
    private static func analyzeRecording() -> Int32 {
        let stream = OwnedDescriptor(owning: AnalysisStream.descriptor)
        guard let detector = HOGFaceDetector() else {
            writeMessage("the detectors can't be created: out of memory.")
            return 1
        }
        confine()
        MediaThread.startWhenPossible(name: "vision:input") {
            StandardStreams.readLines({ _ in }, tooLong: {})
            // The renderer has ended.
            _exit(0)
        }
        do throws(RecordedFrameStream.Failure) {
            try RecordedFrameStream(stream).analyze(detector)
        } catch {
            writeMessage(error.description)
            return 1
        }
        return 0
    }

    private static func confine() {
        Confinement.limitMemory()
        let refusals =
            Confinement.restrictFilesAndPrepareReserve()
            + [Confinement.restrictSystemCalls()].compactMap(\.self)
        for refusal in refusals { writeMessage(refusal) }
    }

    private static func writeMessage(_ sentence: String) {
        _ = StandardStreams.write("multicam-vision: \(sentence)\n", to: STDERR_FILENO)
    }
}

/// The requests and the connection of the process. Requests arrive on another thread than frames.
final class VisionProcess: Sendable {
    private struct State {
        var requests: [Int: VisionRequest] = [:]
        var lastID = 0
        var examined = 0
        /// When the examination of the current frame began; `nil` between frames.
        var began: ClockTime?
    }

    private let connection: MediaConnection
    private let state = ConditionLock(State())

    private let clock = MonotonicClock()

    /// Longest time that the examination of a frame may take.
    private static let longestExamination = Nanoseconds.seconds(5)
    /// Largest number of cameras.
    private static let mostCameras = 32

    init(_ connection: MediaConnection) { self.connection = connection }

    /// The number of examined frames, and the processor time of this process.
    var report: VisionReport {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func duration(_ time: timeval) -> Nanoseconds {
            .seconds(Int64(time.tv_sec)) + .microseconds(Int64(time.tv_usec))
        }
        return VisionReport(
            examined: state.withLock(\.examined),
            processor: duration(usage.ru_utime) + duration(usage.ru_stime))
    }

    /// Whether the current frame has been examined for so long that a detector probably hangs.
    func hangs(at time: ClockTime) -> Bool {
        state.withLock(\.began).map { time - $0 > Self.longestExamination } ?? false
    }

    /// Executes one line of standard input.
    ///
    /// - Returns: An error message; `nil` on success.
    func handle(_ line: Data) -> String? {
        let request: VisionRequest
        do {
            request = try JSONText.decoder().decode(VisionRequest.self, from: line)
        } catch {
            return
                "invalid request on standard input: expected role, detect, width, height, rate, and rotation."
        }
        let (id, isEnd) = state.withLock { state -> (Int?, Bool) in
            let known = state.requests.first { $0.value.role == request.role }?.key
            if request.detect.isEmpty {
                if let known { state.requests[known] = nil }
                return (known, true)
            }
            guard let id = known ?? (state.requests.count < Self.mostCameras ? state.lastID + 1 : nil) else {
                return (nil, false)
            }
            state.lastID = max(state.lastID, id)
            state.requests[id] = request
            return (id, false)
        }
        guard let id else {
            return isEnd ? nil : "the limit of \(Self.mostCameras) cameras has been reached."
        }
        if isEnd {
            _ = connection.send(MediaHeader("unwant", id: id))
            return nil
        }
        var frames = FrameRequest(
            .converted(.nv12), size: FrameSize(width: request.width, height: request.height))
        frames.rate = FrameRate(request.rate)
        _ = connection.send(
            RequestedMedia.frames(role: request.role, frames, isPreview: false).header(id: id))
        return nil
    }

    /// Examines frames until the connection ends.
    func run(_ detector: any FaceDetector, _ reader: CodeReader) {
        var analyzers: [Int: (request: VisionRequest, analyzer: CameraAnalyzer)] = [:]
        do throws(MediaLinkError) {
            while let message = try connection.receive() {
                let header = try MediaConnection.header(of: message)
                guard header.type == "frame", let id = header.id,
                    case .frame(let frame, _)? = try RemoteTap.piece(of: message)
                else { continue }
                let requests = state.withLock(\.requests)
                analyzers = analyzers.filter { requests[$0.key] != nil }
                guard let request = requests[id] else { continue }
                let entry =
                    analyzers[id]
                    ?? (request, CameraAnalyzer(request, detector: detector, reader: reader))
                if entry.request != request { entry.analyzer.change(to: request) }
                analyzers[id] = (request, entry.analyzer)
                guard
                    let image = GrayImage(
                        lumaOf: frame, rotation: Rotation(rawValue: request.rotation) ?? .none)
                else { continue }
                let seconds = Double(frame.capturedAt.nanoseconds) / 1e9
                state.withLock { $0.began = clock.now }
                let analysis = entry.analyzer.analyze(image, at: seconds)
                state.withLock { ($0.examined, $0.began) = ($0.examined + 1, nil) }
                var reply = MediaHeader("metadata", id: id)
                (reply.role, reply.at_ns, reply.sequence) = (
                    request.role, frame.capturedAt.nanoseconds, frame.sequence
                )
                reply.analysis = analysis
                guard connection.send(reply) else { return }
            }
        } catch {
            return
        }
    }
}
