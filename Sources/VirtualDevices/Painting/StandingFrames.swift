import Encoding
import Media

/// Shows the same few frames in turn – bars, noise, a still image – as raw frames or as JPEGs that are encoded once.
final class StandingFrames: FramePainting {
    private let frames: [PaintedFrame]

    /// Makes the frames once.
    ///
    /// - Parameters:
    ///   - canvases: At least one; `i422` when JPEGs are wanted.
    ///   - asJPEG: Whether the frames become JPEGs.
    /// - Throws: When encoding a JPEG fails.
    init(_ canvases: [Canvas], asJPEG: Bool) throws(EncodingError) {
        precondition(!canvases.isEmpty, "a camera shows something")
        let encoder = JPEGEncoder()
        var frames: [PaintedFrame] = []
        for canvas in canvases {
            guard asJPEG else {
                frames.append(PaintedFrame(memory: canvas.memory, planes: canvas.planes))
                continue
            }
            let jpeg = try canvas.encode(by: encoder, rows: 0..<canvas.size.height)
            frames.append(PaintedFrame(memory: jpeg))
        }
        self.frames = frames
    }

    func paint(_ frame: ExposedFrame) -> PaintedFrame {
        let count = Int64(frames.count)
        return frames[Int(frame.number - frame.number.floorDivided(by: count) * count)]
    }
}
