package import MulticamMedia
public import MulticamProfiles

/// The cameras that the program shows and their positions. An arrangement contains everything about the
/// program's picture that may change during a recording.
package struct ProgramArrangement: Sendable, Equatable, Encodable {
    /// Layout of the cameras.
    package var layout: ProgramLayout
    /// Role of the main camera.
    package var main: String
    /// Roles of the other cameras, in display order: starting at the inset corner, or after the main camera.
    package var insets: [String]
    /// Roles of cameras that are hidden but keep their position in the order.
    package var hidden: Set<String>
    /// Position and size of insets, and how frames are fitted into their rectangles.
    package var style: InsetStyle
    /// Clockwise rotations, by role, that replace the rotations of cameras in the program. Tracks aren't
    /// affected.
    package var rotations: [String: Rotation]
    /// Whether a camera is mirrored left to right in the program, by role. In the program, these values
    /// override the mirroring in `PlannedCamera`.
    package var mirroring: [String: Bool]
    /// Digital zooms, by role. In the program, these zooms replace the digital zoom of the camera's framing.
    /// The zoom control of the camera itself isn't changed.
    package var zooms: [String: Zoom]
    /// Automatic framing that the user has switched on or off, by role. These values override the mode in
    /// `PlannedCamera`.
    package var framings: [String: FramingMode]

    /// Creates the initial arrangement of a profile's program.
    package init(_ program: ProgramSettings) {
        layout = program.layout
        main = program.main
        insets = program.insets
        hidden = []
        style = program.style
        rotations = [:]
        mirroring = [:]
        zooms = [:]
        framings = [:]
    }

    /// Roles of the visible cameras, starting with the main camera. If the main camera is hidden, the next
    /// visible camera becomes the main camera.
    package var shown: [String] {
        layout.visible(([main] + insets).filter { !hidden.contains($0) })
    }

    /// Returns the position of each visible camera, from back to front.
    ///
    /// - Parameters:
    ///   - cameras: The plan's cameras. Roles that don't belong to one of these cameras aren't shown.
    ///   - size: The program's size in pixels.
    ///   - motions: The motions of automatic framing by role. A camera without a motion shows its whole frame while
    ///     automatic framing is on.
    /// - Returns: One layer for each visible camera.
    package func layers(
        of cameras: [PlannedCamera], size: FrameSize, motions: [String: FramingMotion] = [:]
    ) -> [PlannedLayer] {
        let shown = self.shown.compactMap { role in cameras.first { $0.role == role } }
        let rectangles = layout.rectangles(for: shown.map(uprightSize), in: size, style)
        return zip(shown, rectangles).enumerated().map { index, place in
            let (camera, rectangle) = place
            var shape = LayerShape(
                rectangle, rotation: rotation(of: camera),
                isMirrored: mirroring[camera.role] ?? camera.isMirrored, pixelAspect: camera.pixelAspect,
                crop: framing(of: camera).part(of: camera.format.size, rotation: rotation(of: camera)))
            style.apply(to: &shape, isInset: layout.isInset(index))
            var layer = PlannedLayer(role: camera.role, shape)
            if framingMode(of: camera) != .off {
                frame(&layer, of: camera, by: motions[camera.role] ?? .wide)
            }
            return layer
        }
    }

    /// People that the program keeps in frame in the picture of a camera.
    package func framingMode(of camera: PlannedCamera) -> FramingMode {
        framings[camera.role] ?? camera.automaticFraming.mode
    }

    /// Sets the motion of a layer that is framed automatically. The crop becomes the smallest part that framing may
    /// show, which determines the cost of the layer.
    private func frame(_ layer: inout PlannedLayer, of camera: PlannedCamera, by motion: FramingMotion) {
        let view = FramedView(of: camera, rotation: rotation(of: camera), layer)
        var motion = motion
        (motion.ratio, motion.bounds, motion.min_height) = (view.ratio, view.bounds, view.minHeight)
        layer.motion = motion
        var closest = motion
        closest.duration_ns = 1
        closest.height = FramingMotion.Curve(constant: view.minHeight)
        layer.crop = closest.crop(at: .max, of: camera.format.size, rotation: layer.rotation)
    }

    package func rotation(of camera: PlannedCamera) -> Rotation { rotations[camera.role] ?? camera.rotation }

    /// Returns the part of a camera's frame that the program uses.
    func framing(of camera: PlannedCamera) -> Framing {
        var framing = camera.framing
        framing.zoom = zooms[camera.role] ?? framing.zoom
        return framing
    }

    /// Returns the size of a camera's frame after it is cropped and rotated upright, regardless of the zoom.
    package func uprightSize(of camera: PlannedCamera) -> FrameSize {
        var framing = camera.framing
        framing.zoom = .none
        let size = camera.format.size
        var part = framing.part(of: size, rotation: rotation(of: camera))?.size ?? size
        if let pixel = camera.pixelAspect {
            part = FrameSize(width: part.width * pixel.width, height: part.height * pixel.height)
        }
        return rotation(of: camera).swapsSides ? part.transposed : part
    }
}

/// A simultaneous change of several properties of the program's arrangement. Properties that are `nil` aren't
/// changed.
public struct ArrangementChange: Sendable, Equatable {
    /// Layout of the cameras.
    public var layout: ProgramLayout?
    /// Role of the main camera.
    public var main: String?
    /// Roles of all other visible cameras, in order.
    public var insets: [String]?
    /// Changes of the inset style.
    package var style = InsetStyle.Change()

    /// Creates a change that doesn't modify any property.
    public init() {}

    /// The change in the format that `init(words:)` parses: `layout=pip`, `inset=face,wide`.
    var words: [String] {
        [
            layout.map { "layout=\($0.rawValue)" }, main.map { "main=\($0)" },
            insets.map { "inset=\($0.joined(separator: ","))" },
        ].compactMap(\.self) + style.words
    }

    /// Parses a change of the arrangement. The result is `nil` if a word isn't a field with a valid value, or
    /// if `words` is empty.
    ///
    /// - Parameter words: One word per field. Each field may occur only once.
    init?(words: [String]) {
        var names: Set<String> = []
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, names.insert(String(parts[0])).inserted,
                setField(String(parts[0]), to: String(parts[1]))
            else { return nil }
        }
        guard !names.isEmpty else { return nil }
    }

    /// Sets a field from its name and the text of its value; returns whether both are valid.
    private mutating func setField(_ name: String, to value: String) -> Bool {
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

/// All program settings that the user can change, stored for undo.
struct ProgramState: Sendable, Equatable {
    let arrangement: ProgramArrangement
    let mix: [String]
    /// Microphone gains in decibels, by role.
    let gains: [String: Double]
    /// Filters of the microphones, by role.
    let processing: [String: SoundProcessing]
    /// Filters of the mix.
    let mixProcessing: SoundProcessing

    /// Creates the state of a plan's program; `nil` if the plan doesn't have a program.
    init?(of plan: SessionPlan) {
        guard let program = plan.program else { return nil }
        arrangement = program.arrangement
        mix = program.mix
        gains = Dictionary(plan.microphones.map { ($0.role, $0.gain) }) { $1 }
        processing = Dictionary(plan.microphones.map { ($0.role, $0.processing) }) { $1 }
        mixProcessing = program.mixProcessing
    }
}

extension ProgramArrangement {
    /// Returns the arrangement after a scene is applied. Scenes don't change the rotation, mirroring, and automatic
    /// framing of cameras. A scene's zoom of a camera that is framed automatically applies when its framing ends.
    package func showing(_ scene: SceneSettings) -> Self {
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
    /// Name of the first scene that matches the program's current picture and sound; `nil` if no scene
    /// matches.
    package var scene: String? {
        guard let program else { return nil }
        return program.scenes.first { scene in
            let layers = program.arrangement.showing(scene).layers(of: cameras, size: program.settings.size)
            // The comparison ignores the scale at which JPEGs are decoded.
            let isSeen =
                layers.map(\.role) == program.layers.map(\.role)
                && zip(layers, program.layers).allSatisfy { layer, shown in
                    var layer = layer
                    (layer.isCoarse, layer.motion) = (shown.isCoarse, shown.motion)
                    // A camera that is framed automatically is in the scene wherever framing has moved it.
                    if shown.motion != nil { layer.crop = shown.crop }
                    return layer == shown
                }
            let isHeard = scene.mix.map { Set($0) == Set(program.mix) } ?? true
            return isSeen && isHeard
                && scene.gains.allSatisfy { role, gain in
                    microphones.contains { $0.role == role && $0.gain == gain }
                }
        }?.name
    }

    /// Returns the current state of the program as a scene.
    ///
    /// - Parameters:
    ///   - name: The scene's name.
    ///   - withAudio: Whether the scene includes the microphone mix and the gains.
    /// - Returns: The scene; `nil` if the plan doesn't have a program.
    func scene(named name: String, withAudio: Bool) -> SceneSettings? {
        guard let program, let main = program.arrangement.shown.first else { return nil }
        let arrangement = program.arrangement
        let others = ([arrangement.main] + arrangement.insets).filter {
            $0 != main && !arrangement.hidden.contains($0)
        }
        // In every layout, a single camera fills the frame.
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
