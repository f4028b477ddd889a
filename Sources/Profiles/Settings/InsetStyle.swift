public import MulticamMedia

/// Appearance of the program, apart from the layout and the choice of cameras: position and size of insets,
/// and the fit of frames.
public struct InsetStyle: Sendable, Equatable, Encodable {
    /// A corner of the program's frame.
    public enum Corner: String, Sendable, Codable, CaseIterable {
        case topLeft = "top-left"
        case topRight = "top-right"
        case bottomLeft = "bottom-left"
        case bottomRight = "bottom-right"
    }

    /// A style property with a number. The raw value is the property's name in profiles, changes, and messages,
    /// which all use this list.
    package enum Number: String, Sendable, CaseIterable {
        case scale, margin, border

        /// Valid values.
        package var range: ClosedRange<Double> {
            switch self {
            case .scale: 0.05...1
            case .margin: 0...0.5
            case .border: 0...64
            }
        }

        /// Whether only whole numbers are valid.
        package var isWhole: Bool { self == .border }

        /// Description of the valid values: `a width in pixels from 0 to 64`.
        package var expected: String {
            let kind =
                switch self {
                case .scale, .margin: "a fraction of the program width"
                case .border: "a width in pixels"
                }
            return "\(kind) from \(text(range.lowerBound)) to \(text(range.upperBound))"
        }

        /// Returns a value as text.
        package func text(_ value: Double) -> String {
            value == value.rounded() && abs(value) < 1e9 ? "\(Int(value))" : "\(value)"
        }

        /// Returns the value of a text; `nil` if it isn't a finite number of the right kind. The range isn't checked.
        package func value(of text: String) -> Double? {
            if isWhole { return Int(text).map(Double.init) }
            return Double(text).flatMap { $0.isFinite ? $0 : nil }
        }
    }

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
    public var fit: FrameFit

    /// Creates an inset style. The default values are the same as in profiles.
    public init(
        corner: Corner = .bottomRight, scale: Double = 0.25, margin: Double = 0.02, border: Int = 0,
        fit: FrameFit
    ) {
        self.corner = corner
        self.scale = scale
        self.margin = margin
        self.border = border
        self.fit = fit
    }

    /// The value of a number. Values outside the number's range are limited to it.
    package subscript(_ number: Number) -> Double {
        get {
            switch number {
            case .scale: scale
            case .margin: margin
            case .border: Double(border)
            }
        }
        set {
            let value = min(max(newValue, number.range.lowerBound), number.range.upperBound)
            switch number {
            case .scale: scale = value
            case .margin: margin = value
            case .border: border = Int(value)
            }
        }
    }

    /// A change of several style properties at once. Omitted properties aren't changed.
    package struct Change: Sendable, Equatable {
        /// The corner from which insets are stacked.
        package var corner: Corner?
        /// New values of numbers. They may be out of range.
        package var numbers: [Number: Double] = [:]

        /// Creates a change that doesn't modify any property.
        package init() {}

        /// The style change as text, such as `corner=top-left`.
        package var words: [String] {
            [corner.map { "corner=\($0.rawValue)" }].compactMap(\.self)
                + Number.allCases.compactMap { number in
                    numbers[number].map { "\(number.rawValue)=\(number.text($0))" }
                }
        }

        /// Sets a style property from text, and returns whether the name and the value are valid. The range
        /// of the value isn't checked.
        package mutating func set(_ name: String, to value: String) -> Bool {
            if name == "corner" {
                corner = Corner(rawValue: value)
                return corner != nil
            }
            guard let number = Number(rawValue: name), let value = number.value(of: value) else {
                return false
            }
            numbers[number] = value
            return true
        }
    }

    /// Returns the fit for the frame of an inset or of another camera.
    package func fit(isInset: Bool) -> FrameFit { isInset ? .cover : fit }

    /// Applies the style to the frame of an inset or of another camera. Only insets have a border, of an even width.
    package func apply(to shape: inout LayerShape, isInset: Bool) {
        shape.fit = fit(isInset: isInset)
        shape.border = isInset ? (border + 1) / 2 * 2 : 0
    }
}
