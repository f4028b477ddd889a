/// One camera's frame in a composed frame, or a slate in its place.
public struct FrameLayer: Sendable {
    /// How a frame fills a rectangle of another shape. Neither way distorts.
    public enum Filling: String, Sendable, Codable {
        /// The whole frame is shown, with black beside it.
        case fit
        /// The whole rectangle is filled, with the frame's edges cut.
        case fill
    }

    /// The frame to show; `nil` shows a slate.
    public let frame: CapturedFrame?
    /// The place in the composed frame, in pixels: even position and size, inside it.
    public let rectangle: PixelRectangle
    /// How the frame fills the rectangle.
    public let filling: Filling
    /// The clockwise rotation that is applied to the stored frame.
    public let rotation: Rotation
    /// Whether the frame is shown as in a mirror: left and right exchanged.
    public let isMirrored: Bool
    /// The part of the stored frame that is used, in its pixels before rotation; all of it when `nil`.
    public let crop: PixelRectangle?
    /// Width in pixels of a white border inside the rectangle; even, 0 for none.
    public let border: Int
    /// The words on the slate; `nil` for a slate without words.
    public let caption: SlateCaption?
    /// Whether a JPEG may be decoded at half of the rectangle's size: cheaper, and softer.
    public let isCoarse: Bool

    /// Makes a layer; by default the whole frame, fitted, upright, without a border.
    public init(
        frame: CapturedFrame?, rectangle: PixelRectangle, filling: Filling = .fit,
        rotation: Rotation = .none,
        isMirrored: Bool = false, crop: PixelRectangle? = nil, border: Int = 0, caption: SlateCaption? = nil,
        isCoarse: Bool = false
    ) {
        self.frame = frame
        self.rectangle = rectangle
        self.filling = filling
        self.rotation = rotation
        self.isMirrored = isMirrored
        self.crop = crop
        self.border = border
        self.caption = caption
        self.isCoarse = isCoarse
    }
}
