internal import CMedia
import Media

/// The few pictures that are on their way to one encoder. Used by one thread alone.
struct HardwarePictures {
    private let subject: String
    private let size: PictureSize
    private let layout: HardwarePicture.Layout
    private var all: [HardwarePicture] = []

    init(_ subject: String, size: PictureSize, layout: HardwarePicture.Layout) {
        self.subject = subject
        self.size = size
        self.layout = layout
    }

    /// - Returns: A copy of an I420 frame, in memory that nobody else holds.
    mutating func copy(_ frame: UnsafeMutablePointer<AVFrame>) throws(EncodingError) -> HardwarePicture {
        for index in all.indices where isKnownUniquelyReferenced(&all[index]) && all[index].isFree {
            try all[index].take(frame, subject)
            return all[index]
        }
        let picture = try HardwarePicture(subject, size: size, layout: layout)
        try picture.take(frame, subject)
        all.append(picture)
        return picture
    }
}
