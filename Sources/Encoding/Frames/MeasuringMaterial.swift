internal import CMedia
import Media

/// A few consecutive frames to measure work on: plain ones like those of synthetic cameras, or as detailed as a
/// camera's.
struct MeasuringMaterial {
    let size: FrameSize
    /// The frames as packed I420.
    let frames: [SharedBytes]
    /// A white frame that comes once a second, as synthetic cameras show one at each clap; `nil` in photographic
    /// material.
    let flash: SharedBytes?

    private static let count = 8
    /// Pixels that the scene moves from one frame to the next.
    private static let motion = 3
    /// Luma noise of a webcam's sensor in a room, in codes.
    private static let grain = 3

    init(_ detail: CostTable.Detail, size: FrameSize) {
        self.size = size
        let byteCount = FramePlane.packed(.i420, size).byteCount
        if detail == .plain {
            let memory = SharedBytes(count: byteCount)
            Planes(i420: memory, size: size).fill(YCbCr(y: 235, cb: 128, cr: 128))
            flash = memory
        } else {
            flash = nil
        }
        frames = (0..<Self.count).map { index in
            let memory = SharedBytes(count: byteCount)
            let planes = Planes(i420: memory, size: size)
            switch detail {
            case .photographic:
                let chroma = planes.chromaSize
                for (plane, stride, side, grain) in [
                    (planes.y, planes.yStride, size, Self.grain), (planes.u, planes.uStride, chroma, 1),
                    (planes.v, planes.vStride, chroma, 1),
                ] {
                    media_paint_texture(
                        plane, Int32(stride), Int32(side.width), Int32(side.height),
                        Int32(index * Self.motion),
                        Int32(grain), UInt32(index))
                }
            case .plain: Self.paintPlain(planes, index)
            }
            return memory
        }
    }

    /// Paints tiles of one colour each, a box that travels, and a strip of cells that are black or white by the frame's
    /// number.
    private static func paintPlain(_ planes: Planes, _ index: Int) {
        planes.fill(YCbCr(y: 110, cb: 128, cr: 128))
        let (columns, rows) = (8, 6)
        let tile = FrameSize(
            width: planes.size.width / columns & ~1, height: planes.size.height / rows & ~1)
        for column in 0..<columns {
            for row in 0..<rows {
                let place = PixelRectangle(
                    x: column * tile.width, y: row * tile.height, width: tile.width - 2,
                    height: tile.height - 2)
                planes.part(place).fill(
                    YCbCr(y: UInt8(60 + column * 15), cb: UInt8(100 + row * 10), cr: UInt8(150 - column * 5)))
            }
        }
        let box = PixelRectangle(
            x: (index * 8 * Self.motion) & ~1, y: planes.size.height / 2 & ~1, width: tile.width,
            height: tile.height)
        planes.part(box).fill(YCbCr(y: 200, cb: 60, cr: 160))
        let cells = 64
        let cell = FrameSize(width: planes.size.width / cells & ~1, height: planes.size.height / 16 & ~1)
        var bits = UInt64(index + 1) &* 0x9E37_79B9_7F4A_7C15
        for column in 0..<cells {
            let place = PixelRectangle(x: column * cell.width, y: 0, width: cell.width, height: cell.height)
            planes.part(place).fill(YCbCr(y: bits & 1 == 0 ? 16 : 235, cb: 128, cr: 128))
            bits >>= 1
        }
    }

    /// The frame at a position of the sequence at 30 frames per second; the sequence repeats.
    func frame(at index: Int) -> SharedBytes {
        if let flash, index % 30 == 20 { return flash }
        return frames[index % frames.count]
    }

    /// Encodes the frames as a webcam would: 4:2:2 JPEGs.
    func jpegs() throws(EncodingError) -> [CapturedFrame] {
        let encoder = JPEGEncoder(quality: 85)
        var scratch = ScratchPlanes()
        var result: [CapturedFrame] = []
        for (index, memory) in frames.enumerated() {
            let wide = scratch.planes(size, 1, 0)
            Planes(i420: memory, size: size).scale(into: wide)
            let bytes = try encoder.encode(
                planes: wide.y, yStride: wide.yStride, u: wide.u, uStride: wide.uStride, v: wide.v,
                vStride: wide.vStride, size: size, chroma: .c422)
            result.append(
                CapturedFrame(
                    pixel: .mjpeg, size: size, color: .jpeg, capturedAt: ClockTime(nanoseconds: 0),
                    sequence: Int64(index), memory: bytes, isOwned: true))
        }
        return result
    }
}
