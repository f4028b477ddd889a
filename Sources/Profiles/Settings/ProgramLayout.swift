package import MulticamMedia

/// A layout of the program, which determines how many cameras are shown and where each camera's frame is
/// placed.
///
/// `allCases` is the only list of layouts. The list is used by profiles, commands, help, completions, the
/// control room's page, the manifest, and the manifest's schema. To add a layout, add a value to this type
/// and to `allCases`.
public struct ProgramLayout: RawRepresentable, CaseIterable, Hashable, Sendable, Codable {
    /// A function that returns the rectangle of each frame in the program.
    ///
    /// - Parameters:
    ///   - frames: The upright sizes of the cameras' frames in pixels, the main camera first; at least one.
    ///   - size: The program's size in pixels; width and height are even.
    ///   - style: Position and size of insets.
    private typealias Geometry =
        @Sendable (_ frames: [FrameSize], _ size: FrameSize, _ style: InsetStyle) -> [PixelRectangle]

    /// The short label of a shot in a timeline.
    package enum ShotLabel: Sendable {
        /// The numbers of the shown cameras, with a separator between them.
        case numbers(separator: String)
        /// The same symbol for all cameras.
        case symbol(String)
    }

    /// All layouts, in the order in which users see them.
    public static let allCases = [single, pip, sideBySide, grid]

    /// A layout with only the main camera.
    public static let single = ProgramLayout(
        "single", title: "single", germanTitle: "einzeln", summary: "the main camera",
        key: "t", label: .numbers(separator: ""), maximumCameras: 1, profileCameras: 1, selectedCameras: 1
    ) { _, size, _ in [size.rectangle] }

    /// Picture-in-picture: the main camera fills the frame, and insets are stacked over it, starting at a
    /// corner.
    ///
    /// A profile shows only one inset by default, because every further inset hides more of the main frame.
    public static let pip = ProgramLayout(
        "pip", title: "picture in picture", germanTitle: "Bild im Bild",
        summary: "the main camera, and the other cameras in insets stacked from a corner", key: "q",
        label: .numbers(separator: "+"), minimumCameras: 2, profileCameras: 2, selectedCameras: 2,
        hasInsets: true
    ) { frames, size, style in [size.rectangle] + style.insets(frames.dropFirst(), in: size) }

    /// A layout of equal columns, with the main camera first.
    public static let sideBySide = ProgramLayout(
        "side-by-side", title: "side by side", germanTitle: "nebeneinander",
        summary: "equal columns, the main camera first", key: "w", label: .numbers(separator: "|"),
        minimumCameras: 2, selectedCameras: 2, fit: .cover
    ) { frames, size, _ in size.cells(count: frames.count, columns: frames.count, rows: 1) }

    /// A layout of equal cells, row by row, with the main camera first. The cells have the program's aspect
    /// ratio, so that they show cameras of this aspect ratio without cropping. If the rows don't fill the frame,
    /// they are centered.
    public static let grid = ProgramLayout(
        "grid", title: "grid", germanTitle: "Raster",
        summary: "equal cells with the program's aspect ratio, row by row, the main camera first", key: "e",
        label: .symbol("▦"), fit: .cover
    ) { frames, size, _ in
        var columns = 1
        while columns * columns < frames.count { columns += 1 }
        let rows = (frames.count + columns - 1) / columns
        let top = (columns - rows) * size.height / (4 * columns) * 2
        return size.cells(count: frames.count, columns: columns, rows: columns).map {
            PixelRectangle(x: $0.x, y: $0.y + top, width: $0.width, height: $0.height)
        }
    }

    /// Returns the layout in which this number of cameras fills the program's frame best. Automatic switching uses
    /// it for the wide shot.
    package static func wide(_ count: Int) -> ProgramLayout {
        count > 2 ? grid : count > 1 ? sideBySide : single
    }

    /// Name of the layout in profiles, commands, and manifests, in kebab-case.
    public let rawValue: String
    /// English name of the layout on the control room's page.
    package let title: String
    /// German name of the layout on the control room's page.
    package let germanTitle: String
    /// Description of the cameras' positions, for the documentation.
    package let summary: String
    /// Default keyboard shortcut on the control room's page, a lowercase letter; `nil` if the user must
    /// assign a key.
    package let key: Character?
    /// Timeline label of a shot with this layout.
    package let label: ShotLabel
    /// Minimum number of cameras that a profile needs for this layout.
    package let minimumCameras: Int
    /// Maximum number of cameras that the layout shows; `nil` if the number isn't limited.
    package let maximumCameras: Int?
    /// Number of cameras that are shown if a profile doesn't set `inset`; `nil` for all cameras.
    package let profileCameras: Int?
    /// Number of cameras that the control room's page shows when the user selects the layout; `nil` for all
    /// cameras.
    package let selectedCameras: Int?
    /// Whether all cameras except the main camera are insets. Insets are placed over the main camera's frame,
    /// cropped to their rectangle, and can have a border.
    package let hasInsets: Bool
    /// Fit of frames that aren't insets, unless the profile sets the fit. Frames in cells are cropped,
    /// because black bars around every frame would waste most of the program's area.
    package let defaultFit: FrameFit
    private let geometry: Geometry

    private init(
        _ name: String, title: String, germanTitle: String, summary: String, key: Character?,
        label: ShotLabel,
        minimumCameras: Int = 1, maximumCameras: Int? = nil, profileCameras: Int? = nil,
        selectedCameras: Int? = nil, hasInsets: Bool = false, fit: FrameFit = .contain,
        geometry: @escaping Geometry
    ) {
        rawValue = name
        self.title = title
        self.germanTitle = germanTitle
        self.summary = summary
        self.key = key
        self.label = label
        self.minimumCameras = minimumCameras
        self.maximumCameras = maximumCameras
        self.profileCameras = profileCameras
        self.selectedCameras = selectedCameras
        self.hasInsets = hasInsets
        defaultFit = fit
        self.geometry = geometry
    }

    /// Returns the layout with this name; `nil` if the name is unknown.
    public init?(rawValue: String) {
        guard let layout = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = layout
    }

    /// Layouts are equal if their names are equal.
    public static func == (one: Self, other: Self) -> Bool { one.rawValue == other.rawValue }

    /// Hashes the layout's name.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// Names of all layouts.
    package static var names: [String] { allCases.map(\.rawValue) }

    /// Returns the roles that the layout shows, from an ordered list of roles.
    package func visible<Role>(_ roles: [Role]) -> [Role] {
        Array(roles.prefix(maximumCameras ?? roles.count))
    }

    /// Whether a camera is shown as an inset. `index` is the camera's position among the visible cameras; 0
    /// is the main camera.
    package func isInset(_ index: Int) -> Bool { hasInsets && index > 0 }

    /// Returns the rectangles of the cameras' frames in the program, in pixels.
    ///
    /// Every rectangle has an even position and size, as required by 4:2:0 chroma subsampling, and is inside
    /// the program's frame.
    ///
    /// - Parameters:
    ///   - frames: The upright sizes of the cameras' frames after cropping and rotation, the main camera
    ///     first.
    ///   - size: The program's size in pixels. Width and height are even.
    ///   - style: Position and size of insets.
    /// - Returns: One rectangle per visible frame, from back to front.
    package func rectangles(for frames: [FrameSize], in size: FrameSize, _ style: InsetStyle)
        -> [PixelRectangle]
    {
        let visible = visible(frames)
        return visible.isEmpty ? [] : geometry(visible, size, style)
    }
}

extension FrameSize {
    /// The rectangle that covers the whole frame.
    fileprivate var rectangle: PixelRectangle { PixelRectangle(x: 0, y: 0, width: width, height: height) }

    /// Returns the first `count` cells of a table that fills the frame, row by row. The positions of edges are
    /// rounded instead of the cell sizes, so that the cells are adjacent.
    fileprivate func cells(count: Int, columns: Int, rows: Int) -> [PixelRectangle] {
        // Returns the position of an edge, rounded to the nearest even number.
        func edge(_ index: Int, of parts: Int, _ length: Int) -> Int {
            2 * ((length * index + parts) / (2 * parts))
        }
        return (0..<count).map { index in
            let (row, column) = (index / columns, index % columns)
            let (left, top) = (edge(column, of: columns, width), edge(row, of: rows, height))
            return PixelRectangle(
                x: left, y: top, width: edge(column + 1, of: columns, width) - left,
                height: edge(row + 1, of: rows, height) - top)
        }
    }
}

extension InsetStyle {
    /// Returns the rectangles of the insets. Each inset has the aspect ratio of its frame. The insets are
    /// stacked from the corner, separated by the margin. If the insets don't fit between the margins, all of
    /// them are scaled down equally.
    fileprivate func insets(_ frames: ArraySlice<FrameSize>, in size: FrameSize) -> [PixelRectangle] {
        guard !frames.isEmpty else { return [] }
        let room = (width: Double(size.width), height: Double(size.height))
        // The margin is limited so that an inset of at least a twentieth of the program's size is always
        // visible.
        let margin = min(
            room.width * self.margin, room.width * 0.45, room.height * 0.45 / Double(frames.count))
        let width = room.width * scale
        let heights = frames.map { width * Double($0.height) / Double($0.width) }
        let roomForHeights = room.height - margin * Double(frames.count + 1)
        let shrink = min(1, (room.width - 2 * margin) / width, roomForHeights / heights.reduce(0, +))
        let step = Self.even(margin)
        var fromEdge = step
        return heights.map { height in
            let inset = FrameSize(
                width: max(2, Self.even(width * shrink)), height: max(2, Self.even(height * shrink)))
            defer { fromEdge += inset.height + step }
            return place(inset, in: size, step: step, fromEdge: fromEdge)
        }
    }

    private func place(_ inset: FrameSize, in size: FrameSize, step: Int, fromEdge: Int) -> PixelRectangle {
        let isLeft = corner == .topLeft || corner == .bottomLeft
        let isTop = corner == .topLeft || corner == .topRight
        let x = isLeft ? step : size.width - inset.width - step
        let y = isTop ? fromEdge : size.height - inset.height - fromEdge
        // Rounding can increase the total size by a few pixels.
        return PixelRectangle(
            x: min(max(0, x), size.width - inset.width), y: min(max(0, y), size.height - inset.height),
            width: inset.width, height: inset.height)
    }

    /// Returns the even number nearest to a length.
    private static func even(_ length: Double) -> Int { 2 * Int(rounding: length / 2) }
}
