import Encoding
import Media

/// A file's frames in their order, read some at a time: to read one at each instant at which a frame is due costs twice as much.
///
/// Used by one thread.
struct FileFramesAhead {
    private let reader: MediaFileReader
    /// How many frames are read at a time.
    private let most: Int
    /// The frames that were read, the next one last.
    private var frames: [CapturedFrame] = []
    /// What the last reading threw, told after the frames before it.
    private var failure: EncodingError?

    /// Number of JPEGs that are read at a time: a quarter of a second, a megabyte at 1080p.
    private static let usual = 8

    /// Opens the video of a file.
    ///
    /// - Throws: As `MediaFileReader` does.
    init(path: String) throws(EncodingError) {
        reader = try MediaFileReader(path: path, media: .video)
        // What has to be decoded is large, and takes its time.
        most = reader.video?.pixel == .mjpeg ? Self.usual : 1
    }

    /// Takes the next frame; `nil` at the end of the file.
    ///
    /// - Throws: When reading failed there.
    mutating func next() throws(EncodingError) -> CapturedFrame? {
        if frames.isEmpty { read() }
        if let frame = frames.popLast() { return frame }
        if let failure { throw failure }
        return nil
    }

    private mutating func read() {
        guard failure == nil else { return }
        do throws(EncodingError) {
            while frames.count < most, let frame = try reader.nextFrame() { frames.append(frame) }
        } catch {
            failure = error
        }
        frames.reverse()
    }
}
