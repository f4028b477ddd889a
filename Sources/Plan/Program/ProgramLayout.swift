public import Media
public import Profiles

/// The geometry of the program: where each camera's frame goes. Pure.
///
/// Every rectangle has an even position and size, as 4:2:0 chroma needs it, and lies inside the program.
public struct ProgramLayout: Sendable, Equatable {
    /// The program's size in pixels; width and height are even.
    public var size: FrameSize
    /// How the places are laid out: one camera, picture-in-picture, side by side, or a grid.
    public var kind: ProgramSettings.Layout
    /// The corner from which insets are stacked.
    public var corner: ProgramSettings.Corner
    /// An inset's width as a share of the program's width.
    public var insetShare: Double
    /// The distance between insets and to the edges, as a share of the program's width.
    public var marginShare: Double

    /// Creates a geometry for a program of a size.
    public init(
        size: FrameSize, kind: ProgramSettings.Layout, corner: ProgramSettings.Corner = .bottomRight,
        insetShare: Double = 0.25, marginShare: Double = 0.02
    ) {
        self.size = size
        self.kind = kind
        self.corner = corner
        self.insetShare = insetShare
        self.marginShare = marginShare
    }

    /// The rectangles of the cameras' frames in the program.
    ///
    /// - Parameter frames: The upright sizes of the cameras' frames, cropped and turned, the main one first.
    /// - Returns: One rectangle for each frame, from the back to the front; for `single` only the first.
    public func rectangles(for frames: [FrameSize]) -> [PixelRectangle] {
        let whole = PixelRectangle(x: 0, y: 0, width: size.width, height: size.height)
        switch kind {
        case .single: return Array([whole].prefix(frames.count))
        case .pip: return Array(([whole] + insets(Array(frames.dropFirst()))).prefix(frames.count))
        case .sideBySide: return cells(count: frames.count, columns: frames.count)
        case .grid:
            var columns = 1
            while columns * columns < frames.count { columns += 1 }
            return cells(count: frames.count, columns: columns)
        }
    }

    /// Equal cells row by row. Edges are rounded, not sizes, so that the cells meet and fill the program.
    private func cells(count: Int, columns: Int) -> [PixelRectangle] {
        let rows = (count + columns - 1) / max(columns, 1)
        func edge(_ index: Int, of parts: Int, _ length: Int) -> Int {
            Self.even(length * index, over: parts)
        }
        return (0..<count).map { index in
            let (row, column) = (index / columns, index % columns)
            let (left, top) = (edge(column, of: columns, size.width), edge(row, of: rows, size.height))
            return PixelRectangle(
                x: left, y: top, width: edge(column + 1, of: columns, size.width) - left,
                height: edge(row + 1, of: rows, size.height) - top)
        }
    }

    /// Insets keep their frame's shape and are stacked from the corner on, a margin apart. If they do not fit between the
    /// margins, all of them are made smaller alike.
    private func insets(_ frames: [FrameSize]) -> [PixelRectangle] {
        guard !frames.isEmpty else { return [] }
        let width = Double(size.width)
        // However large the margin, an inset of a twentieth of the program remains visible.
        let room = (width: Double(size.width), height: Double(size.height))
        let margin = min(width * marginShare, room.width * 0.45, room.height * 0.45 / Double(frames.count))
        let heights = frames.map { width * insetShare * Double($0.height) / Double($0.width) }
        let roomForHeights = room.height - margin * Double(frames.count + 1)
        let shrink = min(
            1, (room.width - 2 * margin) / (width * insetShare), roomForHeights / heights.reduce(0, +))
        let step = Self.even(margin)
        var fromEdge = step
        return heights.map { height in
            let size = FrameSize(
                width: max(2, Self.even(width * insetShare * shrink)),
                height: max(2, Self.even(height * shrink)))
            defer { fromEdge += size.height + step }
            return place(size, step: step, fromEdge: fromEdge)
        }
    }

    private func place(_ inset: FrameSize, step: Int, fromEdge: Int) -> PixelRectangle {
        let isLeft = corner == .topLeft || corner == .bottomLeft
        let isTop = corner == .topLeft || corner == .topRight
        let x = isLeft ? step : size.width - inset.width - step
        let y = isTop ? fromEdge : size.height - inset.height - fromEdge
        // Rounding adds up to a few pixels at most.
        return PixelRectangle(
            x: min(max(0, x), size.width - inset.width), y: min(max(0, y), size.height - inset.height),
            width: inset.width, height: inset.height)
    }

    /// The nearest even number.
    private static func even(_ length: Double) -> Int { 2 * Int(rounding: length / 2) }

    /// The nearest even number to a fraction.
    private static func even(_ length: Int, over parts: Int) -> Int { 2 * ((length + parts) / (2 * parts)) }
}
