internal import Media
internal import SessionFolder

/// Detects a camera that delivers identical or black pictures, either throughout a recording or currently.
///
/// Compares a few bytes of each frame until one differs, and then those of five frames per second. Decodes
/// one small picture per second until one isn't black, and then one every five seconds. Don't add H.264
/// frames: their pictures aren't decoded here, and their bytes differ even if the pictures are identical. Use
/// it only on the camera's thread.
struct PictureMonitor {
    private var last: [UInt8]?
    private var compared = 0
    private var differs = false
    private var lastComparison: ClockTime?
    /// Capture time of the first of the current identical pictures.
    private var identicalSince: ClockTime?
    private var wasLit = false
    private var isLit = false
    private var looks = 0
    /// Capture time of the first of the current black pictures.
    private var blackSince: ClockTime?
    private var lastLook: ClockTime?

    /// Minimum number of identical pictures for which coincidence can be ruled out.
    private static let fewest = 10
    /// Number of compared bytes per frame. The length of a JPEG changes with almost every change of its picture.
    private static let samples = (compressed: 64, raw: 4096)
    private static let compareEvery = Nanoseconds.milliseconds(200)
    /// Maximum luma, in 16…235, of a picture that counts as black.
    private static let black = 24
    private static let lookEvery = (dark: Nanoseconds.seconds(1), lit: Nanoseconds.seconds(5))
    /// Time for which pictures must be identical or black before the camera is considered faulty.
    private static let patience = Nanoseconds.seconds(2)

    /// Kind of content if all frames up to now are frozen or black; otherwise `nil`.
    var content: Manifest.Device.Content? {
        if looks > 0, !wasLit { return .black }
        return compared >= Self.fewest && !differs ? .frozen : nil
    }

    /// The current fault, based on the pictures from the last few seconds.
    var fault: CameraFault? {
        func lasts(_ since: ClockTime?, until last: ClockTime?) -> Bool {
            guard let since, let last else { return false }
            return last - since >= Self.patience
        }
        if lasts(blackSince, until: lastLook) { return .black }
        return lasts(identicalSince, until: lastComparison) ? .frozen : nil
    }

    /// Whether `add` must be called with the next frame.
    func wantsFrame(at time: ClockTime) -> Bool { isComparisonDue(at: time) || isLookDue(at: time) }

    private func isComparisonDue(at time: ClockTime) -> Bool {
        !differs || lastComparison.map { time - $0 >= Self.compareEvery } ?? true
    }

    private func isLookDue(at time: ClockTime) -> Bool {
        lastLook.map { time - $0 >= (isLit ? Self.lookEvery.lit : Self.lookEvery.dark) } ?? true
    }

    /// Examines a frame captured at a given time.
    mutating func add(_ frame: CapturedFrame, at time: ClockTime, codecs: any CodecFactory) {
        if isComparisonDue(at: time) { compare(frame, at: time) }
        if isLookDue(at: time) { look(at: frame, time, codecs) }
    }

    private mutating func compare(_ frame: CapturedFrame, at time: ClockTime) {
        let memory = frame.memory
        let bytes = UnsafeRawBufferPointer(start: memory.start, count: memory.count)
        let count = min(frame.pixel.isCompressed ? Self.samples.compressed : Self.samples.raw, bytes.count)
        // The bytes are spread over the whole picture. For compressed frames, the length is the most significant
        // indicator.
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

    private mutating func look(at frame: CapturedFrame, _ time: ClockTime, _ codecs: any CodecFactory) {
        isLit = isLit(frame, codecs)
        looks += 1
        wasLit = wasLit || isLit
        blackSince = isLit ? nil : blackSince ?? time
        lastLook = time
    }

    /// Whether any part of a picture is brighter than black. Returns `true` for a picture that can't be decoded.
    private func isLit(_ frame: CapturedFrame, _ codecs: any CodecFactory) -> Bool {
        let small: CapturedFrame
        let size = FrameSize(width: 32, height: 18)
        do throws(EncodingError) {
            small = try codecs.convert(frame, to: .i420, part: nil, size: size)
        } catch {
            return true
        }
        guard let plane = small.planes.first else { return true }
        let luma = small.plane(0)
        return (0..<size.height).contains { row in
            (0..<size.width).contains { Int(luma[row * plane.stride + $0]) > Self.black }
        }
    }
}
