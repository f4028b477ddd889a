public import Media
public import Profiles

/// The cameras that the program shows and their positions. This value contains everything that may change while the
/// program is recorded.
public struct ProgramArrangement: Sendable, Equatable, Codable {
    /// Layout of the cameras.
    public var layout: ProgramLayout
    /// Role of the main camera.
    public var main: String
    /// Roles of the other cameras, in order: starting at the corner, or after the main camera.
    public var insets: [String]
    /// Roles that keep their position in the order but aren't shown.
    public var hidden: Set<String>
    /// Position and size of insets, and the fit of frames.
    public var style: InsetStyle
    /// Clockwise rotations by role that replace the cameras' own rotations in the program. Tracks keep their rotation.
    public var rotations: [String: Rotation]
    /// Whether a camera is mirrored left to right in the program, by role. In the program, this value replaces the
    /// camera's own setting.
    public var mirroring: [String: Bool]
    /// Zooms by role, done by cropping. In the program, these zooms replace the zoom of the camera's framing. The
    /// camera's own zoom isn't changed.
    public var zooms: [String: Zoom]

    /// Creates the initial arrangement of a profile's program.
    public init(_ program: ProgramSettings) {
        layout = program.layout
        main = program.main
        insets = program.insets
        hidden = []
        style = program.style
        rotations = [:]
        mirroring = [:]
        zooms = [:]
    }

    /// Roles of the visible cameras, the main camera first. If the main camera is hidden, the next camera takes its
    /// place.
    public var shown: [String] {
        layout.visible(([main] + insets).filter { !hidden.contains($0) })
    }

    /// Returns the position of each visible camera, from back to front.
    ///
    /// - Parameters:
    ///   - cameras: The plan's cameras. Other roles aren't shown.
    ///   - size: The program's size in pixels.
    /// - Returns: One layer for each visible camera.
    public func layers(of cameras: [PlannedCamera], size: FrameSize) -> [PlannedLayer] {
        let shown = self.shown.compactMap { role in cameras.first { $0.role == role } }
        let rectangles = layout.rectangles(for: shown.map(uprightSize), in: size, style)
        return zip(shown, rectangles).enumerated().map { index, place in
            let (camera, rectangle) = place
            let isInset = layout.isInset(index)
            return PlannedLayer(
                role: camera.role, rectangle: rectangle, fit: style.fit(isInset: isInset),
                rotation: rotation(of: camera), isMirrored: mirroring[camera.role] ?? camera.isMirrored,
                pixelAspect: camera.pixelAspect,
                crop: framing(of: camera).part(of: camera.format.size, rotation: rotation(of: camera)),
                border: style.border(isInset: isInset))
        }
    }

    func rotation(of camera: PlannedCamera) -> Rotation { rotations[camera.role] ?? camera.rotation }

    /// Returns the part of a camera's frame that the program uses.
    func framing(of camera: PlannedCamera) -> Framing {
        var framing = camera.framing
        framing.zoom = zooms[camera.role] ?? framing.zoom
        return framing
    }

    /// Returns the size of the visible part of a camera's frame, cropped and rotated upright. Zoom doesn't affect this
    /// size.
    package func uprightSize(of camera: PlannedCamera) -> FrameSize {
        var framing = camera.framing
        framing.zoom = .none
        let size = camera.format.size
        var part = framing.part(of: size, rotation: rotation(of: camera))?.size ?? size
        if let pixel = camera.pixelAspect {
            part = FrameSize(width: part.width * pixel.width, height: part.height * pixel.height)
        }
        return rotation(of: camera).swapsSides ? part.turned : part
    }
}

/// A change of several properties of the program's arrangement at once. Properties that are `nil` don't change.
public struct ArrangementChange: Sendable, Equatable {
    /// Layout of the cameras.
    public var layout: ProgramLayout?
    /// Role of the main camera.
    public var main: String?
    /// Roles of the other cameras, in order. No further cameras are shown.
    public var insets: [String]?
    /// Changes of the style.
    public var style = InsetStyle.Change()

    /// Creates an empty change.
    public init() {}

    /// The change in the format that `init(words:)` parses: `layout=pip`, `inset=face,wide`.
    var words: [String] {
        [
            layout.map { "layout=\($0.rawValue)" }, main.map { "main=\($0)" },
            insets.map { "inset=\($0.joined(separator: ","))" },
        ].compactMap(\.self) + style.words
    }

    /// Parses a change; returns `nil` if a word isn't a field with a valid value, or if there are no words.
    ///
    /// - Parameter words: One word per field. Each field may occur only once.
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

    /// Sets a field from its text; returns whether the name and the value are valid.
    private mutating func take(_ name: String, _ value: String) -> Bool {
        switch name {
        case "layout":
            layout = ProgramLayout(rawValue: value)
            return layout != nil
        case "main":
            main = value
            return !value.isEmpty
        case "inset":
            insets = value.split(separator: ",", omittingEmptySubsequences: true).map(String.init)
            return true
        default: return style.set(name, to: value)
        }
    }
}

/// The complete user-adjustable state of the program, for undo.
struct ProgramState: Sendable, Equatable {
    let arrangement: ProgramArrangement
    let mix: [String]
    /// Gains in decibels, by role.
    let gains: [String: Double]

    /// Creates the state of a plan's program; `nil` if the plan doesn't have a program.
    init?(of plan: SessionPlan) {
        guard let program = plan.program else { return nil }
        arrangement = program.arrangement
        mix = program.mix
        gains = Dictionary(plan.microphones.map { ($0.role, $0.gain) }) { $1 }
    }
}

extension ProgramArrangement {
    /// Returns the arrangement with a scene applied. Rotations and mirroring belong to the cameras and are kept.
    public func showing(_ scene: SceneSettings) -> Self {
        var arrangement = self
        arrangement.layout = scene.layout
        arrangement.main = scene.main
        arrangement.insets = scene.insets
        arrangement.hidden = []
        arrangement.style = scene.style
        arrangement.zooms = scene.zooms
        return arrangement
    }
}

extension SessionPlan {
    /// Name of the scene that matches the program's current picture and sound, the first if several match; `nil` if
    /// none does.
    public var scene: String? {
        guard let program else { return nil }
        return program.scenes.first { scene in
            let layers = program.arrangement.showing(scene).layers(of: cameras, size: program.settings.size)
            // The decoding scale of JPEGs is ignored in the comparison.
            let isSeen =
                layers.map(\.role) == program.layers.map(\.role)
                && zip(layers, program.layers).allSatisfy { layer, shown in
                    var layer = layer
                    layer.isCoarse = shown.isCoarse
                    return layer == shown
                }
            let isHeard = scene.mix.map { Set($0) == Set(program.mix) } ?? true
            return isSeen && isHeard
                && scene.gains.allSatisfy { role, gain in
                    microphones.contains { $0.role == role && $0.gain == gain }
                }
        }?.name
    }

    /// Returns the current program as a scene.
    ///
    /// - Parameters:
    ///   - name: The scene's name.
    ///   - withAudio: Whether to include the mix and the gains.
    /// - Returns: `nil` if there is no program.
    func scene(named name: String, withAudio: Bool) -> SceneSettings? {
        guard let program, let main = program.arrangement.shown.first else { return nil }
        let arrangement = program.arrangement
        let others = ([arrangement.main] + arrangement.insets).filter {
            $0 != main && !arrangement.hidden.contains($0)
        }
        // A single camera fills the frame in any layout.
        let layout = others.isEmpty ? .single : arrangement.layout
        return SceneSettings(
            name: name, layout: layout, main: main,
            insets: Array(layout.visible([main] + others).dropFirst()),
            style: arrangement.style, zooms: arrangement.zooms, mix: withAudio ? program.mix : nil,
            gains: withAudio
                ? Dictionary(microphones.filter { program.mix.contains($0.role) }.map { ($0.role, $0.gain) })
                { $1 }
                : [:])
    }
}
