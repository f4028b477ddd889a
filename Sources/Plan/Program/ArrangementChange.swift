internal import Media
public import Profiles

/// A change of several things of the program's arrangement at one instant; what is `nil` stays as it is.
public struct ArrangementChange: Sendable, Equatable {
    /// How the cameras are placed.
    public var layout: ProgramSettings.Layout?
    /// The role of the main camera.
    public var main: String?
    /// Roles of the other cameras, in order; no others are shown.
    public var insets: [String]?
    /// The corner from which insets are stacked.
    public var corner: ProgramSettings.Corner?
    /// An inset's width as a share of the program's, 0.05…1.
    public var insetShare: Double?
    /// The distance from the edges as a share of the program's width, 0…0.5.
    public var marginShare: Double?
    /// Width in pixels of the frame inside each inset, 0…64.
    public var border: Int?

    /// Creates a change of nothing.
    public init() {}

    /// The change as `init(words:)` reads it: `layout=pip`, `inset=face,wide`.
    var words: [String] {
        [
            layout.map { "layout=\($0.rawValue)" }, main.map { "main=\($0)" },
            insets.map { "inset=\($0.joined(separator: ","))" }, corner.map { "corner=\($0.rawValue)" },
            insetShare.map { "scale=\($0)" }, marginShare.map { "margin=\($0)" },
            border.map { "border=\($0)" },
        ].compactMap(\.self)
    }

    /// Reads a change; `nil` where a word is no field with a value of its kind, or there is none.
    ///
    /// - Parameter words: One word for each field, each field once.
    init?(words: [String]) {
        var names: Set<String> = []
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, names.insert(String(parts[0])).inserted,
                take(String(parts[0]), String(parts[1]))
            else { return nil }
        }
        guard !names.isEmpty else { return nil }
    }

    /// Takes a field's value; returns whether it is one.
    private mutating func take(_ name: String, _ value: String) -> Bool {
        func share() -> Double? { Double(value).flatMap { $0.isFinite ? $0 : nil } }
        switch name {
        case "layout":
            layout = ProgramSettings.Layout(rawValue: value)
            return layout != nil
        case "main":
            main = value
            return !value.isEmpty
        case "inset":
            insets = value.split(separator: ",", omittingEmptySubsequences: true).map(String.init)
            return true
        case "corner":
            corner = ProgramSettings.Corner(rawValue: value)
            return corner != nil
        case "scale":
            insetShare = share()
            return insetShare != nil
        case "margin":
            marginShare = share()
            return marginShare != nil
        case "border":
            border = Int(value)
            return border != nil
        default: return false
        }
    }
}
