internal import Media

/// The last pictures of a camera, bounded in time and in bytes.
struct PictureRing {
    private(set) var pictures: [CapturedPicture] = []
    private var byteCount = 0
    private let length: Nanoseconds
    private let byteLimit: Int

    /// - Parameters:
    ///   - length: From the first to the last, at most.
    ///   - byteLimit: Of all pictures together; the newest is kept whatever its size.
    init(length: Nanoseconds, byteLimit: Int) {
        self.length = length
        self.byteLimit = byteLimit
    }

    /// Adds the newest and lets the oldest go.
    mutating func add(_ picture: CapturedPicture) {
        pictures.append(picture)
        byteCount += picture.memory.count
        var leftOut = 0
        while leftOut + 1 < pictures.count, !isKept(pictures[leftOut], beside: picture) {
            byteCount -= pictures[leftOut].memory.count
            leftOut += 1
        }
        pictures.removeFirst(leftOut)
    }

    private func isKept(_ oldest: CapturedPicture, beside newest: CapturedPicture) -> Bool {
        newest.capturedAt - oldest.capturedAt <= length && byteCount <= byteLimit
    }
}
