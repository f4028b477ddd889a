import MulticamMedia
import Testing

@testable import MulticamEncoding

private let descriptions: [ColorDescription] = [
    .jpeg, .bt601Limited, .bt709Limited, ColorDescription(matrix: .bt709, range: .full),
]

@Test(
    "conversion differs from the defining equations by at most one level", arguments: descriptions,
    descriptions)
func codesConvert(from source: ColorDescription, to target: ColorDescription) throws {
    guard let map = ColorMap(from: source, to: target) else {
        #expect(source == target)
        return
    }
    // Each of 18 × 18 colors has 16 luma codes next to each other in two rows.
    var worst = 0.0
    for cb in stride(from: 0, through: 255, by: 15) {
        for cr in stride(from: 0, through: 255, by: 15) {
            let canvas = Canvas(16, 2)
            for x in 0..<16 {
                canvas.planes.y[x] = UInt8(x * 17)
                canvas.planes.y[16 + x] = UInt8(255 - x * 17)
            }
            for x in 0..<8 {
                canvas.planes.u[x] = UInt8(cb)
                canvas.planes.v[x] = UInt8(cr)
            }
            map.convert(canvas.planes)
            for y in 0..<2 {
                for x in 0..<16 {
                    let luma = y == 0 ? x * 17 : 255 - x * 17
                    let wanted = reference([luma, cb, cr], source, target)
                    for (got, want) in zip(canvas[x, y], wanted) {
                        worst = max(worst, abs(Double(got) - want))
                    }
                }
            }
        }
    }
    #expect(worst <= 1)
}

@Test("4:2:2 and odd dimensions convert like 4:2:0")
func otherShapesConvert() throws {
    let map = try #require(ColorMap(from: .jpeg, to: .bt709Limited))
    let wanted = reference([90, 200, 60], .jpeg, .bt709Limited)
    for (width, height, verticalShift) in [(5, 3, 0), (5, 3, 1), (1, 1, 1), (2049, 2, 0), (1027, 3, 1)] {
        let size = FrameSize(width: width, height: height)
        var scratch = ScratchPlanes()
        let planes = scratch.planes(size, 1, verticalShift)
        withExtendedLifetime(scratch) {
            planes.fill(YCbCr(y: 90, cb: 200, cr: 60))
            map.convert(planes)
            let chroma = planes.chromaSize
            for place in [0, width - 1] {
                let last = (height - 1) * planes.yStride + place
                #expect(abs(Double(planes.y[last]) - wanted[0]) <= 1)
            }
            let last = (chroma.height - 1) * planes.uStride + chroma.width - 1
            #expect(abs(Double(planes.u[last]) - wanted[1]) <= 1)
            #expect(abs(Double(planes.v[last]) - wanted[2]) <= 1)
        }
    }
}

/// Converts via RGB in doubles, clamped to valid codes.
private func reference(_ codes: [Int], _ source: ColorDescription, _ target: ColorDescription) -> [Double] {
    let (zero, luma, chroma) = source.range == .full ? (0.0, 255.0, 255.0) : (16.0, 219.0, 224.0)
    let (red, blue) = source.matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
    let y = (Double(codes[0]) - zero) / luma
    let (cb, cr) = ((Double(codes[1]) - 128) / chroma, (Double(codes[2]) - 128) / chroma)
    let (r, b) = (y + 2 * (1 - red) * cr, y + 2 * (1 - blue) * cb)
    let g = (y - red * r - blue * b) / (1 - red - blue)
    return TestFrames.exactCodes([r, g, b], target).map { max(0, min(255, $0)) }
}
