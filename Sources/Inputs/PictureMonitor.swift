internal import MulticamMedia
internal import MulticamSessionFolder

/// Detects whether a camera delivers identical or black frames, at the moment or during the whole recording.
///
/// The monitor compares a few bytes of each frame until a frame differs, and then compares five frames per
/// second. The monitor decodes five frames per second at reduced size until a frame isn't black, and then one
/// every five seconds. Don't add H.264 frames, because they can't be decoded individually and their bytes
/// differ even if the images are identical. Use an instance only on the camera's thread.
struct PictureMonitor {
    private var last: [UInt8]?
    private var compared = 0
    private var differs = false
    private var lastComparison: ClockTime?
    /// Capture time of the first frame in the current series of identical frames.
    private var identicalSince: ClockTime?
    private var wasLit = false
    private var isLit = false
    private var examinedFrames = 0
    /// Capture time of the first frame in the current series of black frames.
    private var blackSince: ClockTime?
    private var lastExamination: ClockTime?

    /// Minimum number of identical frames that can't be a coincidence.
    private static let fewest = 10
    /// Number of bytes compared per frame. Few bytes are sufficient for JPEGs, because almost every change of
    /// the image also changes the length of the JPEG.
    private static let samples = (compressed: 64, raw: 4096)
    private static let comparisonInterval = Nanoseconds.milliseconds(200)
    /// Maximum luma of a black frame, in the range 16…235.
    private static let black = 24
    private static let examinationIntervals = (
        dark: Nanoseconds.milliseconds(200), lit: Nanoseconds.seconds(5)
    )
    /// Time for which frames must be identical or black before the camera is considered faulty.
    private static let minFaultDuration = Nanoseconds.seconds(2)

    /// Classification of the content if all frames so far are identical or black; otherwise `nil`.
    var content: Manifest.Device.Content? {
        if examinedFrames > 0, !wasLit { return .black }
        return compared >= Self.fewest && !differs ? .frozen : nil
    }

    /// The current fault, based on the frames from the last few seconds; `nil` for none.
    var fault: CameraFault? {
        func lasts(_ since: ClockTime?, until last: ClockTime?) -> Bool {
            guard let since, let last else { return false }
            return last - since >= Self.minFaultDuration
        }
        if lasts(blackSince, until: lastExamination) { return .black }
        return lasts(identicalSince, until: lastComparison) ? .frozen : nil
    }

    /// Whether the monitor needs a frame captured at `time`, so that `add` must be called.
    func wantsFrame(at time: ClockTime) -> Bool { isComparisonDue(at: time) || isExaminationDue(at: time) }

    private func isComparisonDue(at time: ClockTime) -> Bool {
        !differs || lastComparison.map { time - $0 >= Self.comparisonInterval } ?? true
    }

    private func isExaminationDue(at time: ClockTime) -> Bool {
        lastExamination.map {
            time - $0 >= (isLit ? Self.examinationIntervals.lit : Self.examinationIntervals.dark)
        } ?? true
    }

    /// Examines a frame that was captured at `time`.
    mutating func add(_ frame: CapturedFrame, at time: ClockTime, codecs: any CodecFactory) {
        if isComparisonDue(at: time) { compare(frame, at: time) }
        if isExaminationDue(at: time) { examine(frame, time, codecs) }
    }

    private mutating func compare(_ frame: CapturedFrame, at time: ClockTime) {
        let memory = frame.memory
        let bytes = UnsafeRawBufferPointer(start: memory.start, count: memory.count)
        let count = min(frame.pixel.isCompressed ? Self.samples.compressed : Self.samples.raw, bytes.count)
        // The compared bytes are distributed over the whole frame. For compressed frames, the length is the
        // most reliable indicator of a change.
        var found = withUnsafeBytes(of: memory.count) { Array($0) }
        for index in 0..<count { found.append(bytes[(bytes.count - 1) * index / max(count - 1, 1)]) }
        compared += 1
        if found == last {
            identicalSince = identicalSince ?? lastComparison
        } else {
            if last != nil { differs = true }
            (last, identicalSince) = (found, nil)
        }
        lastComparison = time
    }

    private mutating func examine(_ frame: CapturedFrame, _ time: ClockTime, _ codecs: any CodecFactory) {
        isLit = isLit(frame, codecs)
        examinedFrames += 1
        wasLit = wasLit || isLit
        blackSince = isLit ? nil : blackSince ?? time
        lastExamination = time
    }

    /// Whether any part of a frame is brighter than black. The result is `true` if the frame can't be
    /// decoded.
    private func isLit(_ frame: CapturedFrame, _ codecs: any CodecFactory) -> Bool {
        let small: CapturedFrame
        let size = FrameSize(width: 32, height: 18)
        do throws(EncodingError) {
            small = try codecs.convert(frame, to: .i420, part: nil, size: size)
        } catch {
            return true
        }
        guard let plane = small.planes.first else { return true }
        let luma = small.startOfPlane(0)
        return (0..<size.height).contains { row in
            (0..<size.width).contains { Int(luma[row * plane.stride + $0]) > Self.black }
        }
    }
}
