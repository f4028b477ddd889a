/// One camera's frame in a composed one, or a slate in its place.
public struct FrameLayer: Sendable {
    /// How a frame fills a rectangle of another shape. Neither distorts.
    public enum Filling: String, Sendable, Codable {
        /// All of the frame, with black beside it.
        case fit
        /// All of the rectangle, with the frame's edges cut.
        case fill
    }

    /// `nil` shows a slate.
    public let frame: CapturedFrame?
    /// Where it goes, in pixels of the composed frame: even position and size, inside it.
    public let rectangle: PixelRectangle
    public let filling: Filling
    /// Applied to the stored frame.
    public let rotation: Rotation
    public let isMirrored: Bool
    /// The part of the stored frame that is used; all of it when `nil`.
    public let crop: PixelRectangle?
    /// Width in pixels of a white frame inside the rectangle; even, 0 for none.
    public let border: Int
    /// What the slate says; `nil` for one without words.
    public let caption: SlateCaption?
    /// Whether half of the rectangle's size is enough to decode a JPEG at: cheaper, and softer.
    public let isCoarse: Bool

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
