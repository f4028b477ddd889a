/// One camera's frame within a composed frame, or a slate in its place.
package struct FrameLayer: Sendable {
    /// The frame to show; `nil` shows a slate.
    package let frame: CapturedFrame?
    /// Where and how the frame is drawn.
    package let shape: LayerShape
    /// Text on the slate; `nil` for a slate without text.
    package let caption: SlateCaption?

    /// Creates a layer of a composed frame.
    package init(frame: CapturedFrame?, _ shape: LayerShape, caption: SlateCaption? = nil) {
        self.frame = frame
        self.shape = shape
        self.caption = caption
    }
}

/// How a frame is fitted into a rectangle with a different aspect ratio. Neither mode distorts the frame.
public enum FrameFit: String, Sendable, Codable {
    /// The whole frame is shown, with black bars next to it (CSS object-fit `contain`).
    case contain
    /// The frame fills the whole rectangle, with its edges cropped (CSS object-fit `cover`).
    case cover
}

/// Where and how a camera's frame is drawn in a composed frame: everything about a layer except the frame itself.
package struct LayerShape: Sendable, Equatable, Encodable {
    /// Position and size of the layer in pixels of the composed frame. All four numbers are even, and the
    /// rectangle is inside the composed frame.
    package var rectangle: PixelRectangle
    /// How the frame is fitted into the rectangle.
    package var fit: FrameFit
    /// Clockwise rotation applied to the stored frame.
    package var rotation: Rotation
    /// Whether the frame is mirrored horizontally.
    package var isMirrored: Bool
    /// Pixel aspect ratio of the stored frame; `nil` for square pixels.
    package var pixelAspect: AspectRatio?
    /// The used part of the stored frame, in pixels before rotation; `nil` for the whole frame.
    package var crop: PixelRectangle?
    /// Width in pixels of a white border inside the rectangle, or 0 for no border. An odd width is rounded down.
    package var border: Int
    /// Whether a JPEG may be decoded at half the rectangle's size, which is cheaper but less sharp.
    package var isCoarse = false

    /// Creates a shape; the default is the whole frame, fitted, upright, without a border.
    package init(
        _ rectangle: PixelRectangle, fit: FrameFit = .contain, rotation: Rotation = .none,
        isMirrored: Bool = false, pixelAspect: AspectRatio? = nil, crop: PixelRectangle? = nil,
        border: Int = 0
    ) {
        self.rectangle = rectangle
        self.fit = fit
        self.rotation = rotation
        self.isMirrored = isMirrored
        self.pixelAspect = pixelAspect
        self.crop = crop
        self.border = border
    }

    /// Rectangle inside the border, or the entire rectangle if the border would leave no space.
    package var inner: PixelRectangle {
        let width = max(0, border & ~1)
        guard rectangle.width >= 2 * width + 2, rectangle.height >= 2 * width + 2 else { return rectangle }
        return PixelRectangle(
            x: rectangle.x + width, y: rectangle.y + width, width: rectangle.width - 2 * width,
            height: rectangle.height - 2 * width)
    }
}

/// Text on a slate. The text identifies the camera whose frame is missing.
package struct SlateCaption: Sendable, Hashable {
    /// Role of the camera, printable and truncated to 40 characters; omitted if empty.
    package let role: String
    /// Name of the device, printable and truncated to 80 characters; omitted if empty.
    package let device: String
    /// Clockwise rotation that players apply to the track. The text is drawn with the inverse rotation.
    package let rotation: Rotation

    /// Description of the problem, printable and truncated to 80 characters; omitted if empty.
    package let problem: String

    /// Default problem text for a slate that replaces a missing frame.
    package static let defaultProblem = "no picture"

    /// Creates a caption and replaces unprintable characters in its text.
    ///
    /// - Parameters:
    ///   - role: The camera's role, of any length; the role is truncated to a length that can be read at a
    ///     glance.
    ///   - device: The name that the device reports, of any length and with any characters.
    ///   - rotation: The clockwise rotation that players apply to the track.
    ///   - complaint: A description of the problem.
    package init(
        role: String, device: String, rotation: Rotation = .none, complaint: String = defaultProblem
    ) {
        // More characters don't fit on a slate at a readable size.
        self.role = role.printable(limit: 40)
        self.device = device.printable(limit: 80)
        self.rotation = rotation
        self.problem = complaint.printable(limit: 80)
    }

    /// Returns the caption for another device with the same role.
    package func withDevice(_ device: String) -> SlateCaption {
        SlateCaption(role: role, device: device, rotation: rotation, complaint: problem)
    }
}

/// Composes layers into frames without encoding them. Use each compositor from only one thread.
package protocol FrameComposing: AnyObject {
    /// Composes the layers, with the first at the bottom.
    ///
    /// - Parameters:
    ///   - layers: The layers from bottom to top, all inside the frame.
    ///   - time: The frame's time on the session clock.
    ///   - sequence: The frame's number.
    /// - Returns: An I420 frame that owns its memory.
    /// - Throws: `EncodingError` if a layer isn't inside the frame, or if memory runs out.
    func compose(_ layers: [FrameLayer], at time: ClockTime, sequence: Int64) throws(EncodingError)
        -> CapturedFrame
}
