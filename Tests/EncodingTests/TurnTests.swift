import MulticamMedia
import Testing

@testable import MulticamEncoding

@Suite("Rotation of planes")
struct TurnTests {
    /// Returns the position in the stored frame of a code in the rotated and mirrored frame.
    private static func origin(
        _ x: Int, _ y: Int, of size: FrameSize, _ rotation: Rotation, isMirrored: Bool
    ) -> (x: Int, y: Int) {
        let turned = rotation.swapsSides ? size.transposed : size
        let seen = isMirrored ? turned.width - 1 - x : x
        return switch rotation {
        case .none: (seen, y)
        case .quarter: (y, size.height - 1 - seen)
        case .half: (size.width - 1 - seen, size.height - 1 - y)
        case .threeQuarters: (size.width - 1 - y, seen)
        }
    }

    /// The frame is larger than a tile in both directions, and its dimensions aren't multiples of a tile.
    @Test(
        "each code moves to the right position for all dimensions, rotated and mirrored",
        arguments: Rotation.allCases, [false, true])
    func places(rotation: Rotation, isMirrored: Bool) {
        for size in [FrameSize(width: 1090, height: 154), FrameSize(width: 62, height: 530)] {
            var (stored, made) = (ScratchPlanes(), ScratchPlanes())
            let source = stored.planes(size, 1, 1)
            let target = made.planes(rotation.swapsSides ? size.transposed : size, 1, 1)
            let planes = [
                (source.y, source.yStride, target.y, target.yStride, size),
                (source.u, source.uStride, target.u, target.uStride, source.chromaSize),
                (source.v, source.vStride, target.v, target.vStride, source.chromaSize),
            ]
            for (number, plane) in planes.enumerated() {
                for y in 0..<plane.4.height {
                    for x in 0..<plane.4.width {
                        plane.0[y * plane.1 + x] = UInt8(
                            truncatingIfNeeded: x * 7 + y * 13 + (x * y) / 31 + number)
                    }
                }
            }
            source.rotate(rotation, isMirrored: isMirrored, into: target)
            for plane in planes {
                let turned = rotation.swapsSides ? plane.4.transposed : plane.4
                var wrong = 0
                for y in 0..<turned.height {
                    for x in 0..<turned.width {
                        let from = Self.origin(x, y, of: plane.4, rotation, isMirrored: isMirrored)
                        if plane.2[y * plane.3 + x] != plane.0[from.y * plane.1 + from.x] { wrong += 1 }
                    }
                }
                #expect(wrong == 0, "\(size)")
            }
        }
    }
}
