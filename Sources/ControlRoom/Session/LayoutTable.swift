internal import MulticamControl
internal import MulticamMedia
internal import MulticamProfiles
internal import MulticamSessionFolder

/// The layouts of the program and the presets of filters as a script for pages, generated from `ProgramLayout` and
/// `SoundProcessing.Preset`. Pages don't contain a list of layouts and don't compute rectangles.
enum LayoutTable {
    /// Name of the script's file.
    static let name = "layout-table.js"

    /// Content of the script. The page's `layout-table.d.ts` declares the script's constants.
    static let script = Array(
        """
        // Generated from the program's layouts and the presets of filters.
        export const layouts = \(WebJSON.text(ProgramLayout.allCases.map { Entry($0) }));
        export const corners = \(WebJSON.text(InsetStyle.Corner.allCases));
        export const special = \(WebJSON.text(Special()));
        export const processingPresets = \(WebJSON.text(SoundProcessing.Preset.allCases.map(\.rawValue)));
        export const iconSize = \(WebJSON.text([iconSize.width, iconSize.height]));

        """.utf8)

    /// Size of an icon in the units of its rectangles.
    private static let iconSize = FrameSize(width: 460, height: 280)
    /// Maximum number of cameras in an icon.
    private static let mostCameras = 9

    private struct Entry: Encodable {
        let name: String
        let title: [String]
        let key: String
        /// Text between the cameras' numbers in the label of a shot; `nil` if the label is `symbol`.
        let separator: String?
        let symbol: String?
        let maximum: Int?
        let selected: Int?
        let insets: Bool
        /// Rectangles as x, y, width, and height, by corner and by number of cameras, starting at one.
        let icons: [String: [[[Int]]]]

        init(_ layout: ProgramLayout) {
            name = layout.rawValue
            title = [layout.title, layout.germanTitle]
            key = layout.key.map { String($0) } ?? ""
            switch layout.label {
            case .numbers(let separator): (self.separator, symbol) = (separator, nil)
            case .symbol(let symbol): (separator, self.symbol) = (nil, symbol)
            }
            (maximum, selected, insets) = (layout.maximumCameras, layout.selectedCameras, layout.hasInsets)
            let icons = InsetStyle.Corner.allCases.map { corner in
                (
                    corner.rawValue,
                    (1...LayoutTable.mostCameras).map { Self.icon(of: layout, corner, count: $0) }
                )
            }
            self.icons = Dictionary(icons) { $1 }
        }

        /// Returns the rectangles of an icon. The insets of an icon are large enough for a digit.
        private static func icon(of layout: ProgramLayout, _ corner: InsetStyle.Corner, count: Int) -> [[Int]]
        {
            let style = InsetStyle(corner: corner, scale: 0.4, margin: 0.07, fit: layout.defaultFit)
            let frames = Array(repeating: FrameSize(width: 16, height: 10), count: count)
            return layout.rectangles(for: frames, in: iconSize, style).map {
                [$0.x, $0.y, $0.width, $0.height]
            }
        }
    }

    /// The layouts that the page selects automatically.
    private struct Special: Encodable {
        /// The layout that shows one camera.
        let one = ProgramLayout.single
        /// The layout that shows a second camera as an inset, as the recorder does for `show` and `inset`.
        let inset = ProgramLayout.pip
        /// The layout that shows all cameras of a profile without a program.
        let all = ProgramLayout.grid
    }
}

/// The rectangles of an arrangement that isn't on air: a scene, or the preview of the next cut. The rectangles are
/// computed with the recorder's rules from the frames in its status.
struct ProposedLayers: Encodable {
    private struct Layer: Encodable {
        let role: String
        let x, y, width, height: Int
        let fit: FrameFit
    }

    private let layers: [Layer]

    /// Creates the layers of a request. Returns `nil` if a field is missing or invalid, or a camera isn't in the session.
    ///
    /// - Parameters:
    ///   - query: The fields `layout` and `show`, and optionally `corner` and `scale`.
    ///   - current: The program on air, which provides all other properties.
    init?(_ query: [String: String], in current: ControlStatus.Arrangement) {
        guard let layout = query["layout"].flatMap({ ProgramLayout(rawValue: $0) }), let show = query["show"],
            current.size.count == 2
        else { return nil }
        var style = InsetStyle(
            corner: current.corner, scale: current.scale, margin: current.margin, border: current.border,
            fit: layout == current.layout ? current.fit : layout.defaultFit)
        if let word = query["corner"] {
            guard let corner = InsetStyle.Corner(rawValue: word) else { return nil }
            style.corner = corner
        }
        if let word = query["scale"] {
            guard let scale = InsetStyle.Number.scale.value(of: word),
                InsetStyle.Number.scale.range.contains(scale)
            else { return nil }
            style.scale = scale
        }
        let roles = show.split(separator: ",").map { String($0) }
        let frames = roles.compactMap { current.frames[$0] }.filter { $0.width > 0 && $0.height > 0 }
        guard frames.count == roles.count else { return nil }
        let rectangles = layout.rectangles(
            for: frames.map { FrameSize(width: $0.width, height: $0.height) },
            in: FrameSize(width: current.size[0], height: current.size[1]), style)
        layers = zip(roles, rectangles).enumerated().map { index, place in
            let rectangle = place.1
            return Layer(
                role: place.0, x: rectangle.x, y: rectangle.y, width: rectangle.width,
                height: rectangle.height, fit: style.fit(isInset: layout.isInset(index)))
        }
    }
}
