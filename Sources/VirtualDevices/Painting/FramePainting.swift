import MulticamEncoding
import MulticamMedia

/// The sensor and encoder of a synthetic camera, which produce the bytes of each frame. Each object is used
/// by only one thread.
protocol FramePainting: AnyObject {
    /// Returns the bytes of a frame. If `isStream` is true, this method must be called for every frame in
    /// order.
    func paint(_ frame: ExposedFrame) throws(EncodingError) -> PaintedFrame

    /// Whether frames depend on earlier frames, as in H.264.
    var isStream: Bool { get }

    /// Resets the painter, like a camera that is turned off and on. The next frame doesn't depend on earlier
    /// frames.
    func restart() throws(EncodingError)
}

extension FramePainting {
    var isStream: Bool { false }
    func restart() {}
}

/// The bytes of a frame in the form in which a camera delivers them.
struct PaintedFrame {
    let memory: SharedBytes
    /// Plane layout of a raw frame; empty if the frame is compressed.
    var planes: [FramePlane] = []
    var isKey = true
}

/// The parameters that determine a synthetic camera's frame, in addition to its scene.
struct ExposedFrame: Equatable {
    let number: Int64
    /// Start of the exposure on CLOCK_MONOTONIC.
    let time: ClockTime
    /// Whether a simulated clap occurred during the exposure.
    let holdsClap: Bool
}

/// The effect of a synthetic camera's controls on the colors of the scene.
struct FrameAppearance: Sendable, Equatable {
    /// Factor for the amount of light on the sensor; 1 by default.
    var light = 1.0
    /// Brightness added to every component. A value of 1 turns black into white.
    var offset = 0.0
    /// Ratio of red to blue gain. If the ratio is above 1, red is stronger and blue is weaker, as with a white balance
    /// for bluer light.
    var warmth = 1.0

    static let neutral = Self()

    /// Converts the scene's red, green, and blue values (0…1) to the values that the camera captures, clamped
    /// to 0…1.
    func adjusted(_ red: Double, _ green: Double, _ blue: Double) -> (
        red: Double, green: Double, blue: Double
    ) {
        guard self != .neutral else { return (red, green, blue) }
        let balance = warmth.squareRoot()
        func level(_ value: Double) -> Double { min(max(value * light + offset, 0), 1) }
        return (level(red * balance), level(green), level(blue / balance))
    }
}

/// Paints the moving test frame into raw frames, each in separate memory.
final class RawScenePainter: FramePainting {
    private let scene: TestScene
    private let background: Canvas
    private let white: Canvas

    init(scene: TestScene, pixel: PixelFormat) {
        self.scene = scene
        background = Canvas(pixel, scene.turn.stored)
        scene.paintBackground(on: background)
        white = Canvas(pixel, scene.turn.stored)
        white.fill(white.bounds, scene.white)
    }

    func paint(_ frame: ExposedFrame) -> PaintedFrame {
        let canvas = (frame.holdsClap ? white : background).copy()
        scene.paintMoving(frame, on: canvas)
        return PaintedFrame(memory: canvas.memory, planes: canvas.planes)
    }
}

/// Cycles through a few fixed frames (bars, noise, or a still image) as raw frames or as JPEGs that are encoded once.
final class StaticFramesPainter: FramePainting {
    private let frames: [PaintedFrame]

    /// Prepares the frames in advance.
    ///
    /// - Parameters:
    ///   - canvases: The frames to cycle through. There must be at least one canvas. To encode JPEGs, the
    ///     pixel format must be `i422`.
    ///   - asJPEG: Whether the frames are encoded as JPEGs.
    /// - Throws: An error if encoding a JPEG fails.
    init(_ canvases: [Canvas], asJPEG: Bool) throws(EncodingError) {
        precondition(!canvases.isEmpty, "at least one frame is required")
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

/// Encodes the frames of another painter as H.264, like a camera with a built-in encoder.
final class H264Painter: FramePainting {
    private let frames: any FramePainting
    private let format: VideoFormat
    private let color: ColorDescription
    private var encoder: H264Encoder

    /// Creates an H.264 encoder for the frames of a painter.
    ///
    /// - Parameters:
    ///   - frames: A painter of I420 frames.
    ///   - format: Size and rate of the stream.
    ///   - color: Color description to write into the stream.
    /// - Throws: An error if the encoder can't be opened.
    init(_ frames: any FramePainting, format: VideoFormat, color: ColorDescription) throws(EncodingError) {
        self.frames = frames
        self.format = format
        self.color = color
        encoder = try H264Encoder(size: format.size, rate: format.rate, color: color)
    }

    var isStream: Bool { true }

    func restart() throws(EncodingError) {
        encoder = try H264Encoder(size: format.size, rate: format.rate, color: color)
    }

    func paint(_ frame: ExposedFrame) throws(EncodingError) -> PaintedFrame {
        let raw = try frames.paint(frame)
        let packets = try encoder.encode(i420: raw.memory, planes: raw.planes, tick: frame.number)
        guard let packet = packets.first, packets.count == 1 else {
            throw EncodingError(
                subject: "a virtual camera", operation: "encoding H.264",
                reason: "the encoder returned \(packets.count) packets for frame \(frame.number)")
        }
        return PaintedFrame(memory: packet.bytes, isKey: packet.isKey)
    }
}
