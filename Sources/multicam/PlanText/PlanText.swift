import Media
import Plan
internal import Profiles

/// A plan, for people.
enum PlanText {
    static func of(_ plan: SessionPlan) -> String {
        var lines = ["profile \(plan.profile)", ""] + devicesAndFiles(of: plan)
        if !plan.notes.isEmpty { lines += [""] + plan.notes.map { "note: \($0.printable(limit: 1000))" } }
        return lines.joined(separator: "\n")
    }

    /// The inputs and outputs of a plan, one line or more for each.
    static func devicesAndFiles(of plan: SessionPlan) -> [String] {
        var lines = ["inputs"]
        for camera in plan.cameras {
            lines.append(
                "  \(camera.role): \(camera.identity.name.printable()) (\(camera.identity.description.printable()))"
            )
            lines.append("    \(camera.reason.isEmpty ? camera.format.description : camera.reason)")
            lines.append(
                "    preview \(camera.preview.isMirrored ? "mirrored" : "not mirrored"): \(camera.preview.reason)"
            )
            if camera.rotationSource == .sensor {
                lines.append("    turned by \(camera.rotation.degrees)°, as the computer is held now")
            }
            if camera.latencySource != .none {
                lines.append(
                    "    latency \(Milliseconds.text(camera.latency)) ms, \(words(camera.latencySource))")
            }
        }
        for microphone in plan.microphones {
            let channels = words(
                channels: microphone.pick.isEmpty ? microphone.format.channels : microphone.pick.count)
            lines.append("  \(microphone.role): \(microphone.identity.name.printable())")
            lines.append("    \(microphone.format.rate) Hz, \(channels)")
            if let voice = microphone.voice {
                let words = [voice.echo ? "echo" : nil, voice.noise ? "noise" : nil].compactMap(\.self)
                lines.append("    the program has it without \(words.joined(separator: " and "))")
            }
            if microphone.offsetSource != .none {
                lines.append(
                    "    offset \(Milliseconds.text(microphone.offset)) ms, \(words(microphone.offsetSource))"
                )
            }
        }
        lines += ["", "outputs"]
        if let program = plan.program { lines += text(of: program) }
        for track in plan.cameraTracks {
            let how = track.mode == .copy ? "copied" : "encoded as \(words(track.settings))"
            let turn = track.rotation == .none ? "" : ", turned by \(track.rotation.degrees)° for viewing"
            lines.append(
                "  \(track.file): \(track.role) \(how), \(track.settings.size) at \(track.rate)\(part(track.crop))\(turn)"
            )
        }
        for camera in plan.cameras {
            guard let file = camera.metadataFile else { continue }
            lines.append("  \(file): \(camera.role), a line for each frame")
        }
        for track in plan.microphoneTracks { lines.append("  \(track.file): \(track.role), 48000 Hz") }
        if !plan.publications.isEmpty { lines += ["", "live"] + plan.publications.map(text) }
        return lines
    }

    /// A live output in one line: what it sends where, and when.
    private static func text(of publication: PlannedPublication) -> String {
        let what =
            publication.frames.map { frames in
                let bits = frames.bitrate.map { "encoded for it at \($0 / 1000)k" } ?? "as raw frames"
                return "\(publication.source), \(frames.size) at \(frames.rate), \(bits)"
            } ?? (publication.kind == .pulse ? "the mix" : "the recording's own packets")
        let start =
            switch publication.start {
            case .recording: "with each recording"
            case .session: "from standby on"
            case .command: "by `multicam ctl publish \(publication.name)`"
            }
        return "  \(publication.name): \(what), to \(publication.destination), \(start)"
    }

    /// The visible part of a camera's frame in words; empty for all of it.
    private static func part(_ crop: PixelRectangle?) -> String {
        crop.map { ", of its frame \($0.size) at \($0.x),\($0.y)" } ?? ""
    }

    /// The encoder in words: `h264 superfast` for x264, or the name of the hardware encoder.
    private static func words(_ settings: VideoEncodingSettings) -> String {
        settings.hardware.map { "h264 by \($0.name)" } ?? "h264 \(settings.preset.rawValue)"
    }

    private static func words(channels: Int) -> String {
        switch channels {
        case 1: "mono"
        case 2: "stereo"
        default: "\(channels) channels"
        }
    }

    private static func words(_ source: CorrectionSource) -> String {
        switch source {
        case .none: "by nobody"
        case .profile: "as the profile says"
        case .calibration: "as calibrated"
        }
    }

    private static func text(of program: PlannedProgram) -> [String] {
        let settings = program.settings
        var lines = [
            "  \(program.file): \(settings.size) at \(settings.rate), \(words(settings)) \(settings.quality)"
        ]
        for layer in program.layers {
            let place = layer.rectangle
            lines.append(
                "    \(layer.role): \(place.size) at \(place.x),\(place.y), \(layer.filling.rawValue)\(part(layer.crop))"
            )
        }
        if !program.mix.isEmpty {
            lines.append(
                "    audio: \(program.mix.joined(separator: ", ")), aac \(program.audioBitrate / 1000)k")
        }
        return lines
    }
}
