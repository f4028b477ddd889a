internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// Receives the frames of one recorded camera as an `AnalysisStream`, and writes the faces in each frame to standard output.
struct RecordedFrameStream: ~Copyable {
    /// The reason why a stream can't be analyzed, as a sentence.
    struct Failure: Error {
        let description: String
    }

    private let stream: OwnedDescriptor

    private static let invalidRequest = Failure(
        description: "invalid request: expected a line of JSON with width, height, and rotation.")

    /// Longest request in bytes.
    private static let longestRequest = 4096

    init(_ stream: consuming OwnedDescriptor) { self.stream = stream }

    /// Analyzes frames until the stream ends. Blocks the calling thread.
    ///
    /// - Throws: `Failure` for an invalid request, a stream that can't be read or ends within a frame, or if standard output is
    ///   closed.
    func analyze(_ detector: any FaceDetector) throws(Failure) {
        let request = try readRequest()
        let size = FrameSize(width: request.width, height: request.height)
        guard AnalysisStream.sides.contains(size.width), AnalysisStream.sides.contains(size.height),
            let rotation = Rotation(rawValue: request.rotation)
        else { throw Self.invalidRequest }
        let analyzer = CameraAnalyzer(request, detector: detector, reader: nil)
        let header = SharedBytes(count: 8)
        while try read(into: header) {
            let memory = SharedBytes(count: size.pixelCount)
            guard try read(into: memory) else {
                throw Failure(description: "the stream ended within a frame.")
            }
            let time = Int64(
                littleEndian: UnsafeRawPointer(header.start).loadUnaligned(as: Int64.self))
            let frame = CapturedFrame(
                pixel: .i420, size: size, color: .jpeg, capturedAt: ClockTime(nanoseconds: time),
                sequence: 0, memory: memory, planes: [FramePlane(offset: 0, stride: size.width)],
                isOwned: true)
            guard let image = GrayImage(lumaOf: frame, rotation: rotation) else {
                throw Failure(description: "a frame is invalid.")
            }
            let analysis = analyzer.analyze(image, at: Double(time) / 1e9)
            let line = JSONText.line(AnalyzedFrame(at_ns: time, faces: analysis.faces))
            guard StandardStreams.write(line + "\n", to: STDOUT_FILENO) else {
                throw Failure(description: "the results can't be written.")
            }
        }
    }

    private func readRequest() throws(Failure) -> VisionRequest {
        var line = Data()
        let byte = SharedBytes(count: 1)
        while line.count < Self.longestRequest, try read(into: byte) {
            let next = UnsafeRawPointer(byte.start).load(as: UInt8.self)
            guard next != UInt8(ascii: "\n") else { break }
            line.append(next)
        }
        do {
            return try JSONText.decoder().decode(VisionRequest.self, from: line)
        } catch {
            throw Self.invalidRequest
        }
    }

    /// Fills memory from the stream.
    ///
    /// - Returns: `false` if the stream has ended.
    /// - Throws: `Failure` if the stream ends before the memory is full.
    private func read(into memory: SharedBytes) throws(Failure) -> Bool {
        var place = 0
        while place < memory.count {
            let count = Glibc.read(stream.number, memory.start + place, memory.count - place)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(description: "the stream can't be read.") }
            guard count > 0 else {
                guard place == 0 else { throw Failure(description: "the stream ended within a frame.") }
                return false
            }
            place += count
        }
        return true
    }
}
