import Encoding
import Media

/// Shows the same few frames in turn: bars, noise, a still image. As raw frames or as JPEGs, made once.
final class StandingFrames: FramePainting {
    private let frames: [PaintedFrame]

    /// Takes at least one canvas; `i422` where JPEGs are wanted.
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
