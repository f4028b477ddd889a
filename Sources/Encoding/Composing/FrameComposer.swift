internal import CMulticamMedia
import MulticamMedia

/// Composes layers into I420 frames. Each composed frame has separate memory. Not thread-safe: use it from
/// one thread only.
final class FrameComposer: FrameComposing {
    private let size: FrameSize
    private let color: ColorDescription
    private let name: String
    private let canvas: SharedBytes
    private let compositor: Compositor
    private let pool = BytesPool()

    /// Creates a composer; see `Codecs.makeComposer`.
    init(size: FrameSize, color: ColorDescription, name: String) throws(EncodingError) {
        guard size.isPlausible, (size.width | size.height) & 1 == 0 else {
            throw EncodingError(
                subject: name, operation: "composing",
                reason: "the frame size \(size) is not valid: the width and height must be even and positive")
        }
        self.size = size
        self.color = color
        self.name = name
        canvas = SharedBytes(count: FramePlane.packed(.i420, size).byteCount)
        compositor = Compositor(color: color)
    }

    func compose(
        _ layers: [FrameLayer], at time: ClockTime, sequence: Int64
    ) throws(EncodingError) -> CapturedFrame {
        try Self.check(layers, inside: size, of: name)
        let planes = Planes(i420: canvas, size: size)
        defer { withExtendedLifetime(canvas) {} }
        if !compositor.shows(layers) { compositor.compose(layers, onto: planes) }
        return planes.makeFrame(color: color, at: time, sequence: sequence, from: pool)
    }

    /// Checks that all layers are inside the composed frame and at even pixel positions.
    ///
    /// - Throws: An `EncodingError` that names the invalid layer.
    static func check(_ layers: [FrameLayer], inside size: FrameSize, of name: String) throws(EncodingError) {
        for layer in layers {
            let place = layer.shape.rectangle
            guard place.x >= 0, place.y >= 0, place.width >= 2, place.height >= 2,
                (place.x | place.y | place.width | place.height) & 1 == 0,
                place.x + place.width <= size.width, place.y + place.height <= size.height
            else {
                throw EncodingError(
                    subject: name, operation: "composing",
                    reason:
                        "the layer of size \(place.size) at (\(place.x), \(place.y)) must have even coordinates and fit inside \(size)"
                )
            }
        }
    }
}

extension Planes {
    /// Copies 4:2:0 planes into a new I420 frame.
    ///
    /// - Parameters:
    ///   - color: Color description of the samples.
    ///   - time: The frame's time on the session clock.
    ///   - sequence: Sequence number of the frame.
    ///   - pool: Pool that provides the memory.
    /// - Returns: The frame.
    func makeFrame(
        color: ColorDescription, at time: ClockTime, sequence: Int64, from pool: BytesPool
    ) -> CapturedFrame {
        let (places, byteCount) = FramePlane.packed(.i420, size)
        let memory = pool.bytes(byteCount)
        let copy = Planes(i420: memory, size: size)
        I420Copy(
            y, Int32(yStride), u, Int32(uStride), v, Int32(vStride), copy.y, Int32(copy.yStride), copy.u,
            Int32(copy.uStride), copy.v, Int32(copy.vStride), Int32(size.width), Int32(size.height))
        return CapturedFrame(
            pixel: .i420, size: size, color: color, capturedAt: time, sequence: sequence, isKey: true,
            memory: memory, planes: places, isOwned: true)
    }
}
