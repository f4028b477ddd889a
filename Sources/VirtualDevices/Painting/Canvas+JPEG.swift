import Encoding
import Media

extension Canvas {
    /// Encodes some rows of an `i422` canvas as a JPEG of their own.
    func encode(by encoder: JPEGEncoder, rows: Range<Int>) throws(EncodingError) -> SharedBytes {
        precondition(pixel == .i422, "JPEGs of a webcam are 4:2:2")
        return try withExtendedLifetime(memory) { () throws(EncodingError) in
            try encoder.encode(
                planes: row(rows.lowerBound, of: 0), yStride: planes[0].stride,
                u: row(rows.lowerBound, of: 1),
                uStride: planes[1].stride, v: row(rows.lowerBound, of: 2), vStride: planes[2].stride,
                size: FrameSize(width: size.width, height: rows.count), chroma: .c422)
        }
    }
}
