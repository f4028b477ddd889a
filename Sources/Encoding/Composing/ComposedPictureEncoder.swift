internal import CMedia
import Media

/// Composes layers straight into the frame that x264 reads. Used by one thread alone.
///
/// x264 copies a frame before it returns, so one frame serves the whole stream and always holds the last picture. Should the
/// library hold on to it one day, libavcodec makes a copy before it is painted on.
final class ComposedPictureEncoder: PictureEncoding {
    private let settings: PictureEncodingSettings
    /// That it encodes with now; the parameter sets are those of the settings' own.
    private var preset: PictureEncodingSettings.Preset
    private let name: String
    private let threads: Int
    private let frame: OwnedFrame
    private var stream: X264Stream
    private var compositor: Compositor
    private var isColorFixed: Bool
    private var hasPicture = false
    private var isKeyRequested = false

    /// - Parameters:
    ///   - settings: Both sides of the size must be even.
    ///   - name: The track, for messages.
    ///   - threads: Of x264, 1…16. Two cost no more processor time than one.
    /// - Throws: When a side is odd, or x264 is missing, refuses the settings or finds no memory.
    init(_ settings: PictureEncodingSettings, name: String, threads: Int = 2) throws(EncodingError) {
        self.settings = settings
        self.name = name
        self.threads = threads
        preset = settings.preset
        let color = settings.color ?? .jpeg
        isColorFixed = settings.color != nil
        stream = try Self.makeStream(settings, settings.preset, name, threads, color)
        compositor = Compositor(color: color)
        frame = try OwnedFrame(name)
        frame.pointer.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        frame.pointer.pointee.width = Int32(settings.size.width)
        frame.pointer.pointee.height = Int32(settings.size.height)
        let result = av_frame_get_buffer(frame.pointer, 0)
        guard result >= 0 else { throw EncodingError(name, "av_frame_get_buffer", code: result) }
    }

    private static func makeStream(
        _ settings: PictureEncodingSettings, _ preset: PictureEncodingSettings.Preset, _ name: String,
        _ threads: Int, _ color: ColorDescription
    ) throws(EncodingError) -> X264Stream {
        try X264Stream(
            name, size: settings.size, rate: settings.rate, preset: preset, continuing: settings.preset,
            quality: settings.quality, color: color, purpose: .recording(threads: threads))
    }

    /// With a colour of `nil` final only after the first `encode`: the parameter sets tell the colour. Until then JPEG's.
    var parameters: StreamParameters { stream.parameters }

    func requestKeyPicture() {
        isKeyRequested = true
    }

    func encode(_ layers: [PictureLayer], tick: Int64) throws(EncodingError) -> EncodedPictures {
        try check(layers)
        try fixColor(layers)
        if !compositor.shows(layers) {
            let canvas = try writableCanvas()
            compositor.compose(layers, onto: canvas)
            hasPicture = true
        }
        return EncodedPictures(packets: try send(tick), damagedLayers: compositor.damagedLayers)
    }

    func repeatLast(tick: Int64) throws(EncodingError) -> EncodedPictures {
        EncodedPictures(packets: try send(tick))
    }

    /// Makes a new encoder that takes over with a key picture. Both have the same delay in their times, so that those of the
    /// packets go on rising.
    func change(to preset: PictureEncodingSettings.Preset) throws(EncodingError) -> [EncodedPacket] {
        guard preset != self.preset else { return [] }
        let known = stream.parameters
        let next = try Self.makeStream(settings, preset, name, threads, known.color ?? .jpeg)
        guard next.parameters.setup == known.setup else {
            throw EncodingError(
                subject: name, operation: "going on with x264's preset \(preset.rawValue)",
                reason:
                    "its parameter sets differ from those of \(settings.preset.rawValue) that the file has")
        }
        let packets = try stream.encode(nil, tick: 0)
        stream = next
        self.preset = preset
        return packets
    }

    func finish() throws(EncodingError) -> [EncodedPacket] {
        try stream.encode(nil, tick: 0)
    }

    private func send(_ tick: Int64) throws(EncodingError) -> [EncodedPacket] {
        if !hasPicture {
            try writableCanvas().fill(.black(in: stream.parameters.color ?? .jpeg))
            hasPicture = true
        }
        let asKey = isKeyRequested
        isKeyRequested = false
        return try stream.encode(frame.pointer, tick: tick, asKey: asKey)
    }

    private func check(_ layers: [PictureLayer]) throws(EncodingError) {
        for layer in layers {
            let place = layer.rectangle
            guard place.x >= 0, place.y >= 0, place.width >= 2, place.height >= 2,
                (place.x | place.y | place.width | place.height) & 1 == 0,
                place.x + place.width <= settings.size.width, place.y + place.height <= settings.size.height
            else {
                throw EncodingError(
                    subject: name, operation: "composing",
                    reason:
                        "a layer at \(place.x), \(place.y) of \(place.size) is not even or not inside \(settings.size)"
                )
            }
        }
    }

    /// The first picture decides, where the settings leave the colour to it.
    private func fixColor(_ layers: [PictureLayer]) throws(EncodingError) {
        guard !isColorFixed else { return }
        isColorFixed = true
        guard !hasPicture, let first = layers.lazy.compactMap(\.picture).first else { return }
        let color = PicturePainter.meaning(of: first)
        guard color != stream.parameters.color else { return }
        stream = try Self.makeStream(settings, preset, name, threads, color)
        compositor = Compositor(color: color)
    }

    private func writableCanvas() throws(EncodingError) -> Planes {
        let result = av_frame_make_writable(frame.pointer)
        guard result >= 0 else { throw EncodingError(name, "av_frame_make_writable", code: result) }
        let facts = frame.pointer.pointee
        guard let y = facts.data.0, let u = facts.data.1, let v = facts.data.2 else {
            preconditionFailure("a frame with a buffer has its three planes")
        }
        return Planes(
            y: y, u: u, v: v, yStride: Int(facts.linesize.0), uStride: Int(facts.linesize.1),
            vStride: Int(facts.linesize.2), size: settings.size, horizontalShift: 1, verticalShift: 1)
    }
}
