import Arguments
import Interchange
import Media
import Profiles
import Rendering

/// What a rendering shall be, by the options of the command and a profile.
struct RenderSettings: Sendable {
    var cut: Cut
    var size: FrameSize?
    var loudness: Double?
    var ticks: Range<Int64> = 0..<0
    private var look: ProgramLook?
    private var video: VideoSettings?
    private var bitrate: Int?
    private var gains: [String: Double]?

    /// Makes settings without a profile; each parameter sets the property of its name.
    init(cut: Cut, size: FrameSize?, loudness: Double?) {
        self.cut = cut
        self.size = size
        self.loudness = loudness
    }

    /// Takes what a profile's program looks and sounds like.
    ///
    /// - Parameters:
    ///   - profile: The profile.
    ///   - name: What the user called it, for messages.
    ///   - session: The recording.
    ///   - keepsCut: Whether the cut decides which cameras are shown, and not the profile.
    /// - Throws: `UsageError` when the profile has no program, or roles that the recording has not.
    mutating func follow(
        _ profile: Profile, named name: String, for session: RecordedSession, keepsCut: Bool
    ) throws(UsageError) {
        guard let program = profile.program else {
            throw RenderCommand.spec.error(
                "`--profile \(name.printable())`: it has no program. Name one that has.")
        }
        let roles = session.angles.map(\.role)
        guard !(session.angles + session.microphones).contains(where: { $0.origin != nil }) else {
            throw RenderCommand.spec.error(
                "`--profile \(name.printable())`: its roles are those of one computer, and this is the recording of a group, with "
                    + "\(roles.joined(separator: ", ")). Say how it looks by --layout, --size and --cut."
            )
        }
        if let unknown = program.shown.first(where: { !roles.contains($0) }) {
            throw RenderCommand.spec.error(
                "`--profile \(name.printable())`: its program shows \(unknown.printable()), and the recording has "
                    + "\(roles.isEmpty ? "no cameras" : roles.joined(separator: ", ")). Name cameras as the recording does."
            )
        }
        let heardRoles = session.microphones.map(\.role)
        // Without tracks of microphones the program's own mix is heard.
        if !heardRoles.isEmpty, let unknown = program.audio.mix.first(where: { !heardRoles.contains($0) }) {
            throw RenderCommand.spec.error(
                "`--profile \(name.printable())`: its program mixes \(unknown.printable()), and the recording has the microphones "
                    + "\(heardRoles.joined(separator: ", ")). Name microphones as the recording does.")
        }
        if !keepsCut {
            let shot = Cut.Shot(
                first: 0, end: max(1, session.frameCount), show: program.shown,
                layout: program.layout.rawValue, why: "the profile \(profile.name)")
            cut = Cut(rate: session.rate, shots: [shot])
        }
        size = size ?? program.size
        look = ProgramLook(program, size: size)
        video = program.video
        bitrate = program.audio.bitrate
        let heard = profile.microphones.filter { program.audio.mix.contains($0.role) }
        gains = Dictionary(heard.map { ($0.role, $0.gainDecibels) }) { first, _ in first }
    }

    /// Makes the renderer, and tells what it leaves out. It may read for long.
    func renderer(of session: RecordedSession, in folder: String) -> (value: Renderer, problems: [String]) {
        let picture =
            session.angles.isEmpty
            ? nil : RenderedPicture(session, in: folder, cut: cut, look: look, size: size)
        let video = video ?? session.encoding ?? VideoSettings()
        var renderer = Renderer(
            session, in: folder, picture: picture,
            sound: RenderedSound(gains: gains, loudness: loudness, bitrate: bitrate ?? 160_000),
            video: VideoEncodingSettings(
                size: size ?? session.size, rate: session.rate, preset: video.preset, quality: video.quality))
        renderer.ticks = ticks
        return (renderer, picture?.problems ?? [])
    }
}

extension Cut {
    /// The cut with all shots in another layout: with the camera that a shot shows first in front, and the others after it.
    func laid(out layout: ProgramSettings.Layout, with roles: [String]) -> Cut {
        let shots = shots.map { shot in
            var shot = shot
            let others = shot.show + roles.filter { !shot.show.contains($0) }
            shot.show = layout == .single ? Array(shot.show.prefix(1)) : others
            shot.layout = layout.rawValue
            return shot
        }
        return Cut(rate: rate, shots: shots)
    }
}
