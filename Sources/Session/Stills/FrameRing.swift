internal import Media

/// The last frames of a camera, bounded in time and in bytes.
struct FrameRing {
    private(set) var frames: [CapturedFrame] = []
    private var byteCount = 0
    private let length: Nanoseconds
    private let byteLimit: Int

    /// Creates an empty ring.
    ///
    /// - Parameters:
    ///   - length: Longest time from the first frame to the last, in nanoseconds.
    ///   - byteLimit: Most bytes of all frames together; the newest frame is kept whatever its size.
    init(length: Nanoseconds, byteLimit: Int) {
        self.length = length
        self.byteLimit = byteLimit
    }

    /// Adds the newest frame, and drops the oldest ones beyond the limits.
    mutating func add(_ frame: CapturedFrame) {
        frames.append(frame)
        byteCount += frame.memory.count
        var leftOut = 0
        while leftOut + 1 < frames.count, !isKept(frames[leftOut], beside: frame) {
            byteCount -= frames[leftOut].memory.count
            leftOut += 1
        }
        frames.removeFirst(leftOut)
    }

    private func isKept(_ oldest: CapturedFrame, beside newest: CapturedFrame) -> Bool {
        newest.capturedAt - oldest.capturedAt <= length && byteCount <= byteLimit
    }
}
