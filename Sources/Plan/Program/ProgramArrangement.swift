public import Media
public import Profiles

/// The cameras that the program shows and their places: all that may change while the program is recorded. Pure.
public struct ProgramArrangement: Sendable, Equatable, Codable {
    /// How the places are laid out: one camera, picture-in-picture, side by side, or a grid.
    public var layout: ProgramSettings.Layout
    /// The role of the main camera.
    public var main: String
    /// The roles of the other cameras, in order: from the corner on, or after the main one.
    public var insets: [String]
    /// Roles that keep their place in the order but are not shown.
    public var hidden: Set<String>
    /// The corner from which insets are stacked.
    public var corner: ProgramSettings.Corner
    /// An inset's width as a share of the program's width, 0.05…1.
    public var insetShare: Double
    /// The distance between insets and to the edges, as a share of the program's width, 0…0.5.
    public var marginShare: Double
    /// Width in pixels of a white frame inside each inset; 0 for none.
    public var border: Int
    /// How the frames of cameras that are not insets fill their places: cut to the shape, or whole with bars.
    public var filling: FrameLayer.Filling
    /// Clockwise rotations by role, in place of the camera's own, in the program alone. Tracks keep theirs.
    public var rotations: [String: Rotation]
    /// Whether a camera is mirrored left to right, by role, in place of its own setting, in the program alone.
    public var mirroring: [String: Bool]
    /// Zooms by role, in place of the zoom of the camera's framing: by cropping, in the program alone. The camera itself
    /// stays as it is.
    public var zooms: [String: Zoom]

    /// Creates the arrangement that a profile's program begins with.
    public init(_ program: ProgramSettings) {
        layout = program.layout
        main = program.main
        insets = program.insets
        hidden = []
        corner = program.corner
        insetShare = program.insetShare
        marginShare = program.marginShare
        border = program.border
        filling = program.filling
        rotations = [:]
        mirroring = [:]
        zooms = [:]
    }

    /// The roles of the cameras to be seen, the main one first. Where the main one is hidden, the next takes its place.
    public var shown: [String] {
        let order = ([main] + insets).filter { !hidden.contains($0) }
        return layout == .single ? Array(order.prefix(1)) : order
    }

    /// The place of each shown camera, from the back to the front.
    ///
    /// - Parameters:
    ///   - cameras: The plan's cameras; roles that are not among them are not shown.
    ///   - size: The program's size in pixels.
    /// - Returns: One layer for each shown camera.
    public func layers(of cameras: [PlannedCamera], size: FrameSize) -> [PlannedLayer] {
        let shown = self.shown.compactMap { role in cameras.first { $0.role == role } }
        let geometry = ProgramLayout(
            size: size, kind: layout, corner: corner, insetShare: insetShare, marginShare: marginShare)
        let rectangles = geometry.rectangles(for: shown.map(uprightSize))
        return zip(shown, rectangles).enumerated().map { index, place in
            let (camera, rectangle) = place
            let isInset = layout == .pip && index > 0
            return PlannedLayer(
                role: camera.role, rectangle: rectangle, filling: isInset ? .fill : filling,
                rotation: rotation(of: camera), isMirrored: mirroring[camera.role] ?? camera.isMirrored,
                crop: framing(of: camera).part(of: camera.format.size, rotation: rotation(of: camera)),
                border: isInset ? (border + 1) / 2 * 2 : 0)
        }
    }

    func rotation(of camera: PlannedCamera) -> Rotation { rotations[camera.role] ?? camera.rotation }

    /// The part of a camera's frame that the program uses.
    func framing(of camera: PlannedCamera) -> Framing {
        var framing = camera.framing
        framing.zoom = zooms[camera.role] ?? framing.zoom
        return framing
    }

    /// The size of the part of a camera that a person sees: cropped, and turned upright. A zoom does not change it.
    private func uprightSize(of camera: PlannedCamera) -> FrameSize {
        var framing = camera.framing
        framing.zoom = .none
        let size = camera.format.size
        let part = framing.part(of: size, rotation: rotation(of: camera))?.size ?? size
        return rotation(of: camera).swapsSides ? part.turned : part
    }
}
