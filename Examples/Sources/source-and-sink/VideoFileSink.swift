import Foundation
import MulticamKit

/// A sink of this program's own: writes frames as YUV4MPEG2, which most players and encoders read.
///
/// One thread calls it, that of its tap: a slow disk loses frames of this file and none of anything else.
final class VideoFileSink: @unchecked Sendable {
    private let file: FileHandle
    private let rate: FrameRate
    private var hasHeader = false

    init(path: String, rate: FrameRate) throws {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        self.rate = rate
    }

    /// Writes a frame of I420.
    func write(_ frame: CapturedFrame) {
        if !hasHeader {
            let head =
                "YUV4MPEG2 W\(frame.size.width) H\(frame.size.height) F\(rate.frames):\(rate.seconds) Ip A1:1 C420jpeg\n"
            file.write(Data(head.utf8))
            hasHeader = true
        }
        file.write(Data("FRAME\n".utf8))
        for (index, plane) in frame.planes.enumerated() {
            let (width, height) =
                index == 0
                ? (frame.size.width, frame.size.height)
                : ((frame.size.width + 1) / 2, (frame.size.height + 1) / 2)
            for row in 0..<height {
                file.write(Data(bytes: frame.plane(index) + row * plane.stride, count: width))
            }
        }
    }

    func close() throws { try file.close() }
}
