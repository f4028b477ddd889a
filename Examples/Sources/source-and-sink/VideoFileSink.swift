import Foundation
import MulticamKit

/// A custom sink that writes frames as YUV4MPEG2, a format that most players and encoders can read.
///
/// Only the tap's thread calls this class. If the disk is slow, only this file loses frames.
final class VideoFileSink: @unchecked Sendable {
    private let file: FileHandle
    private let rate: FrameRate
    private var hasHeader = false

    init(path: String, rate: FrameRate) throws {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        self.rate = rate
    }

    /// Writes a frame in I420.
    func write(_ frame: CapturedFrame) {
        if !hasHeader {
            let head =
                "YUV4MPEG2 W\(frame.size.width) H\(frame.size.height) F\(rate.frames):\(rate.seconds) Ip A1:1 C420jpeg\n"
            file.write(Data(head.utf8))
            hasHeader = true
        }
        file.write(Data("FRAME\n".utf8))
        for (index, plane) in frame.planes.enumerated() {
            guard let start = frame.plane(index) else { continue }
            let (width, height) =
                index == 0
                ? (frame.size.width, frame.size.height)
                : ((frame.size.width + 1) / 2, (frame.size.height + 1) / 2)
            for row in 0..<height {
                file.write(Data(bytes: start + row * plane.stride, count: width))
            }
        }
    }

    func close() throws { try file.close() }
}
