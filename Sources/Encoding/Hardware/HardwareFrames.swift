internal import CMedia
import Media

/// Pool of the few frames that are on their way to one encoder. Used by one thread alone.
struct HardwareFrames {
    private let subject: String
    private let size: FrameSize
    private let layout: HardwareFrame.Layout
    private var all: [HardwareFrame] = []

    init(_ subject: String, size: FrameSize, layout: HardwareFrame.Layout) {
        self.subject = subject
        self.size = size
        self.layout = layout
    }

    /// Copies an I420 frame.
    ///
    /// - Returns: The copy, in memory that nobody else holds.
    mutating func copy(_ source: UnsafeMutablePointer<AVFrame>) throws(EncodingError) -> HardwareFrame {
        for index in all.indices where isKnownUniquelyReferenced(&all[index]) && all[index].isFree {
            try all[index].take(source, subject)
            return all[index]
        }
        let frame = try HardwareFrame(subject, size: size, layout: layout)
        try frame.take(source, subject)
        all.append(frame)
        return frame
    }
}
