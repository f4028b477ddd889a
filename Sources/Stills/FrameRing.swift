package import Media

/// The last frames of a camera, bounded in time and in bytes. H.264 is kept from a key frame on, since no frame can be
/// shown without those back to it.
package struct FrameRing {
    package private(set) var frames: [CapturedFrame] = []
    private var byteCount = 0
    private let length: Nanoseconds
    private let byteLimit: Int

    /// Creates an empty ring.
    ///
    /// - Parameters:
    ///   - length: Longest time from the first frame to the last, in nanoseconds; of H.264, from the first frame that
    ///     can be shown without those before it.
    ///   - byteLimit: Most bytes of all frames together; the newest frame that is no H.264 is kept whatever its size.
    package init(length: Nanoseconds, byteLimit: Int) {
        self.length = length
        self.byteLimit = byteLimit
    }

    /// Adds the newest frame, and drops the oldest ones beyond the limits. A frame of another pixel format begins anew.
    package mutating func add(_ frame: CapturedFrame) {
        if let last = frames.last, last.pixel != frame.pixel { drop(frames.count) }
        frames.append(frame)
        byteCount += frame.memory.count
        if frame.pixel == .h264 { dropGroups(before: frame) } else { dropFrames(before: frame) }
    }

    private mutating func dropFrames(before newest: CapturedFrame) {
        var leftOut = 0
        var bytes = byteCount
        while leftOut + 1 < frames.count,
            newest.capturedAt - frames[leftOut].capturedAt > length || bytes > byteLimit
        {
            bytes -= frames[leftOut].memory.count
            leftOut += 1
        }
        drop(leftOut)
    }

    private mutating func dropGroups(before newest: CapturedFrame) {
        let limit = newest.capturedAt - length
        drop(frames.lastIndex { $0.isKey && $0.capturedAt <= limit } ?? 0)
        // Frames before the first key frame cannot be shown.
        drop(frames.firstIndex(where: \.isKey) ?? frames.count)
        while byteCount > byteLimit {
            drop(frames.dropFirst().firstIndex(where: \.isKey) ?? frames.count)
        }
    }

    private mutating func drop(_ count: Int) {
        for frame in frames.prefix(count) { byteCount -= frame.memory.count }
        frames.removeFirst(count)
    }
}
