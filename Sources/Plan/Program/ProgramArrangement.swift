public import Media
public import Profiles

/// Which cameras the program shows, and where: what may be changed of it while it is recorded. Pure.
public struct ProgramArrangement: Sendable, Equatable, Codable {
    public var layout: ProgramSettings.Layout
    /// A camera's role.
    public var main: String
    /// The others, in order: from the corner on, or after the main one.
    public var insets: [String]
    /// Roles that keep their place in the order but are not shown.
    public var hidden: Set<String>
    public var corner: ProgramSettings.Corner
    /// An inset's width as a share of the program's, 0.05…1.
    public var insetShare: Double
    /// Between insets and the edges, as a share of the program's width, 0…0.5.
    public var marginShare: Double
    /// Width in pixels of a white frame inside each inset.
    public var border: Int
    public var filling: FrameLayer.Filling
    /// By role, in place of the camera's own: in the program alone, whose pixels are turned. Tracks keep theirs.
    public var rotations: [String: Rotation]
    /// By role, likewise.
    public var mirroring: [String: Bool]
    /// By role, in place of that of the camera's framing: by cropping, in the program alone. The camera itself stays as it is.
    public var zooms: [String: Zoom]

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

    /// The cameras that are to be seen, the main one first. Where that one is hidden, the next takes its place.
    public var shown: [String] {
        let order = ([main] + insets).filter { !hidden.contains($0) }
        return layout == .single ? Array(order.prefix(1)) : order
    }

    /// Each shown camera's place, from the back to the front.
    ///
    /// - Parameters:
    ///   - cameras: Of the plan; roles that are not among them are not shown.
    ///   - size: The program's, in pixels.
    /// - Returns: A layer for each.
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

    /// What a person sees of a camera: the cropped part, turned upright. A zoom leaves its place as it is.
    private func uprightSize(of camera: PlannedCamera) -> FrameSize {
        var framing = camera.framing
        framing.zoom = .none
        let size = camera.format.size
        let part = framing.part(of: size, rotation: rotation(of: camera))?.size ?? size
        return rotation(of: camera).swapsSides ? part.turned : part
    }
}
