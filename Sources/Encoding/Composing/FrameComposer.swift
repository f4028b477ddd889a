internal import CMedia
import Media

/// Composes layers into frames of I420, each in memory of its own. Used by one thread alone.
final class FrameComposer: FrameComposing {
    private let size: FrameSize
    private let color: ColorDescription
    private let name: String
    private let canvas: SharedBytes
    private let compositor: Compositor
    private let pool = BytesPool()

    /// Makes a composer; see `Codecs.makeComposer`.
    init(size: FrameSize, color: ColorDescription, name: String) throws(EncodingError) {
        guard size.isPlausible, (size.width | size.height) & 1 == 0 else {
            throw EncodingError(
                subject: name, operation: "composing", reason: "frames of \(size) have an odd side, or none")
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
        return planes.frame(color: color, at: time, sequence: sequence, from: pool)
    }

    /// Checks that layers lie inside the composed frame, at even places.
    ///
    /// - Throws: `EncodingError` that names the layer which does not.
    static func check(_ layers: [FrameLayer], inside size: FrameSize, of name: String) throws(EncodingError) {
        for layer in layers {
            let place = layer.rectangle
            guard place.x >= 0, place.y >= 0, place.width >= 2, place.height >= 2,
                (place.x | place.y | place.width | place.height) & 1 == 0,
                place.x + place.width <= size.width, place.y + place.height <= size.height
            else {
                throw EncodingError(
                    subject: name, operation: "composing",
                    reason:
                        "a layer at \(place.x), \(place.y) of \(place.size) is not even or not inside \(size)"
                )
            }
        }
    }
}

extension Planes {
    /// Copies 4:2:0 planes into a frame of I420 in memory of its own.
    ///
    /// - Parameters:
    ///   - color: What the samples mean.
    ///   - time: The frame's time on the session clock.
    ///   - sequence: The frame's number.
    ///   - pool: Where the memory comes from.
    /// - Returns: The frame.
    func frame(
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
