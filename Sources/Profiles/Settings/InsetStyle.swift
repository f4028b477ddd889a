public import MulticamMedia

/// Appearance of the program, apart from the layout and the choice of cameras: position and size of insets,
/// and the fit of frames.
public struct InsetStyle: Sendable, Equatable, Codable {
    /// A corner of the program's frame.
    public enum Corner: String, Sendable, Codable, CaseIterable {
        case topLeft = "top-left"
        case topRight = "top-right"
        case bottomLeft = "bottom-left"
        case bottomRight = "bottom-right"
    }

    /// Valid range of an inset's `scale`.
    package static let scales = 0.05...1.0
    /// Valid range of the insets' `margin`.
    package static let margins = 0.0...0.5
    /// Valid range of an inset's `border` in pixels.
    package static let borders = 0...64

    /// The corner from which insets are stacked.
    public var corner: Corner
    /// Width of an inset as a fraction of the program's width, 0.05…1.
    public var scale: Double
    /// Distance between insets, and between insets and the edges, as a fraction of the program's width,
    /// 0…0.5.
    public var margin: Double
    /// Width in pixels of a white border inside each inset, 0…64.
    public var border: Int
    /// How a frame is fitted into the main camera's rectangle or a cell if the aspect ratios differ. Insets
    /// have the same aspect ratio as their frames.
    public var fit: FrameLayer.Fit

    /// Creates an inset style. The default values are the same as in profiles.
    public init(
        corner: Corner = .bottomRight, scale: Double = 0.25, margin: Double = 0.02, border: Int = 0,
        fit: FrameLayer.Fit
    ) {
        self.corner = corner
        self.scale = scale
        self.margin = margin
        self.border = border
        self.fit = fit
    }

    /// A change of several style properties at once. Properties that are `nil` aren't changed.
    package struct Change: Sendable, Equatable {
        /// The corner from which insets are stacked.
        package var corner: Corner?
        /// Width of an inset as a fraction of the program's width, 0.05…1.
        package var scale: Double?
        /// Distance between insets, and between insets and the edges, as a fraction of the program's width,
        /// 0…0.5.
        package var margin: Double?
        /// Width in pixels of the border inside each inset, 0…64.
        package var border: Int?

        /// Creates a style change. Omitted properties aren't changed.
        package init(
            corner: Corner? = nil, scale: Double? = nil, margin: Double? = nil, border: Int? = nil
        ) {
            self.corner = corner
            self.scale = scale
            self.margin = margin
            self.border = border
        }

        /// The style change as text, such as `corner=top-left`.
        package var words: [String] {
            [
                corner.map { "corner=\($0.rawValue)" }, scale.map { "scale=\($0)" },
                margin.map { "margin=\($0)" }, border.map { "border=\($0)" },
            ].compactMap(\.self)
        }

        /// Sets a style property from text, and returns whether the name and the value are valid. The range
        /// of the value isn't checked.
        package mutating func set(_ name: String, to value: String) -> Bool {
            func fraction() -> Double? { Double(value).flatMap { $0.isFinite ? $0 : nil } }
            switch name {
            case "corner":
                corner = Corner(rawValue: value)
                return corner != nil
            case "scale":
                scale = fraction()
                return scale != nil
            case "margin":
                margin = fraction()
                return margin != nil
            case "border":
                border = Int(value)
                return border != nil
            default: return false
            }
        }
    }

    /// Returns the fit for the frame of an inset or of another camera.
    package func fit(isInset: Bool) -> FrameLayer.Fit { isInset ? .cover : fit }

    /// Returns the border width of a camera's rectangle in pixels, an even number. Only insets have a border.
    package func border(isInset: Bool) -> Int { isInset ? (border + 1) / 2 * 2 : 0 }
}
