internal import Media
public import Profiles

extension ProgramArrangement {
    /// What a scene shows. Rotations and mirroring, which belong to the cameras, stay.
    public func showing(_ scene: SceneSettings) -> Self {
        var arrangement = self
        arrangement.layout = scene.layout
        arrangement.main = scene.main
        arrangement.insets = scene.insets
        arrangement.hidden = []
        arrangement.corner = scene.corner
        arrangement.insetShare = scene.insetShare
        arrangement.marginShare = scene.marginShare
        arrangement.border = scene.border
        arrangement.filling = scene.filling
        arrangement.zooms = scene.zooms
        return arrangement
    }
}

extension SessionPlan {
    /// The name of the scene that the program shows and sounds like now, the first of several; `nil` where it is none.
    public var scene: String? {
        guard let program else { return nil }
        return program.scenes.first { scene in
            let layers = program.arrangement.showing(scene).layers(of: cameras, size: program.settings.size)
            // How JPEGs are decoded is no matter of what is seen.
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

    /// The program as it is now, as a scene.
    ///
    /// - Parameters:
    ///   - name: The scene's name.
    ///   - withAudio: Whether it has mix and gains, too.
    /// - Returns: `nil` where there is no program.
    func scene(named name: String, withAudio: Bool) -> SceneSettings? {
        guard let program, let main = program.arrangement.shown.first else { return nil }
        let arrangement = program.arrangement
        let others = ([arrangement.main] + arrangement.insets).filter {
            $0 != main && !arrangement.hidden.contains($0)
        }
        // One camera fills the frame in any layout.
        let layout = others.isEmpty ? .single : arrangement.layout
        return SceneSettings(
            name: name, layout: layout, main: main, insets: layout == .single ? [] : others,
            corner: arrangement.corner, insetShare: arrangement.insetShare,
            marginShare: arrangement.marginShare, border: arrangement.border, filling: arrangement.filling,
            zooms: arrangement.zooms, mix: withAudio ? program.mix : nil,
            gains: withAudio
                ? Dictionary(microphones.filter { program.mix.contains($0.role) }.map { ($0.role, $0.gain) })
                { $1 }
                : [:])
    }
}
