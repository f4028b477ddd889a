internal import CMedia
internal import Encoding
internal import Media

/// Makes JPEGs of one size of what a screen shows. Belongs to the camera's thread.
final class ScreenEncoder {
    /// The size of the JPEGs.
    let size: FrameSize
    private let address: SourceAddress
    private let encoder = JPEGEncoder(quality: ScreenEncoder.quality)
    /// The scaled screen; `nil` while it has the frames' size.
    private var canvas: SharedBytes?
    /// Where the screen lies on the canvas.
    private var place: PixelRectangle?

    /// JPEG quality of 1…100, as libjpeg counts: letters have no seams.
    private static let quality = 95

    /// - Parameters:
    ///   - size: The size of the JPEGs, with even sides.
    ///   - address: The screen, for sentences.
    init(_ size: FrameSize, _ address: SourceAddress) { (self.size, self.address) = (size, address) }

    /// Makes a JPEG.
    ///
    /// - Parameter pixels: What the screen shows.
    /// - Returns: A whole JPEG.
    /// - Throws: `SourceError.refused` when libjpeg-turbo refuses.
    func encode(_ pixels: ScreenPixels) throws(SourceError) -> SharedBytes {
        do throws(EncodingError) {
            guard ScreenFit.even(pixels.size) != size else {
                canvas = nil
                return try encoder.encode(bgrx: pixels.start, stride: pixels.stride, size: size)
            }
            let canvas = scaled(pixels)
            return try encoder.encode(
                bgrx: canvas.start.assumingMemoryBound(to: UInt8.self), stride: size.width * 4, size: size)
        } catch {
            throw .refused("\(address): \(error)")
        }
    }

    private func scaled(_ pixels: ScreenPixels) -> SharedBytes {
        let target = ScreenFit.place(of: pixels.size, in: size)
        let canvas = canvas ?? SharedBytes(count: size.width * size.height * 4)
        if self.canvas == nil || place != target {
            canvas.start.initializeMemory(as: UInt8.self, repeating: 0, count: canvas.count)
        }
        (self.canvas, place) = (canvas, target)
        let start = canvas.start.assumingMemoryBound(to: UInt8.self)
        ARGBScale(
            pixels.start, Int32(pixels.stride), Int32(pixels.size.width), Int32(pixels.size.height),
            start + (target.y * size.width + target.x) * 4, Int32(size.width * 4), Int32(target.width),
            Int32(target.height), kFilterBox)
        return canvas
    }
}
