import Encoding
import Media

/// Shows the same few pictures in turn: bars, noise, a still image. As raw pictures or as JPEGs, made once.
final class StandingPictures: PicturePainting {
    private let pictures: [PaintedPicture]

    /// Takes at least one canvas; `i422` where JPEGs are wanted.
    init(_ canvases: [Canvas], asJPEG: Bool) throws(EncodingError) {
        precondition(!canvases.isEmpty, "a camera shows something")
        let encoder = JPEGEncoder()
        var pictures: [PaintedPicture] = []
        for canvas in canvases {
            guard asJPEG else {
                pictures.append(PaintedPicture(memory: canvas.memory, planes: canvas.planes))
                continue
            }
            let jpeg = try canvas.encode(by: encoder, rows: 0..<canvas.size.height)
            pictures.append(PaintedPicture(memory: jpeg))
        }
        self.pictures = pictures
    }

    func paint(_ frame: ExposedFrame) -> PaintedPicture {
        let count = Int64(pictures.count)
        return pictures[Int(frame.number - frame.number.floorDivided(by: count) * count)]
    }
}
