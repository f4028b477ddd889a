import Control
import Glibc
import Media

/// The state of a running session, for people.
enum ControlText {
    /// The paths of stills and clips, one in each line.
    static func lines(_ stills: [ControlReply.Still]) -> [String] {
        stills.flatMap { [$0.file] + [$0.clip].compactMap { $0 } }.map { $0.printable(limit: 4096) }
    }

    /// The controls of a camera, a line each: name, value, what is possible.
    static func lines(_ report: ControlsReport) -> [String] {
        let width = report.controls.map(\.name.count).max() ?? 0
        return report.controls.map { control in
            let name = control.name.printable()
            let choices = control.menu.isEmpty ? "\(control.minimum)…\(control.maximum)" : menu(control)
            let governed = control.inactive ? "; of no effect now" : ""
            return name + String(repeating: " ", count: max(0, width - name.count))
                + "  \(control.value)  \(choices), default \(control.default)\(governed)"
        } + (report.presets.isEmpty ? [] : ["kept: \(report.presets.joined(separator: ", "))"])
    }

    private static func menu(_ control: ControlsReport.Control) -> String {
        control.menu.sorted { Int64($0.key) ?? 0 < Int64($1.key) ?? 0 }
            .map { "\($0.key) \($0.value.printable())" }.joined(separator: ", ")
    }

    /// The lines of a status that came over the socket, without control characters.
    static func lines(_ status: ControlStatus) -> [String] {
        let time = "\((Double(status.time_ns) / 1e9).decimals(1)) s"
        let head = [status.state.rawValue, status.profile, time] + [status.folder].compactMap(\.self)
        var lines = [head.joined(separator: "  ")]
        for camera in status.cameras {
            lines.append(
                "camera \(camera.role)  \(camera.rate.decimals(2))/s  \(camera.lost) lost  clock "
                    + "\(camera.ppm.decimals(1, isSigned: true)) ppm"
                    + (camera.away ? "  away: \(camera.reason ?? "no frames come")" : ""))
        }
        for microphone in status.microphones {
            let level =
                microphone.peak > 0 ? "\((20 * log10(microphone.peak)).decimals(1)) dBFS" : "silent"
            let loudness =
                microphone.loudness?.integrated_lufs.map { ["\(AudioText.loudness($0)) so far"] } ?? []
            let missing =
                microphone.missing_ns > 0
                ? ["\((Double(microphone.missing_ns) / 1e9).decimals(2)) s missing"] : []
            let words =
                ["microphone \(microphone.role)", level] + loudness + missing
                + microphone.alarms.map(AudioText.word)
            lines.append(words.joined(separator: "  "))
        }
        if let program = status.program {
            lines.append(
                "program  \(program.layout)  shows \(program.shown.joined(separator: ", "))"
                    + (program.mix.isEmpty ? "" : "  audio of \(program.mix.joined(separator: ", "))")
                    + (program.loudness?.integrated_lufs.map { "  \(AudioText.loudness($0)) so far" } ?? "")
                    + (program.lost > 0 ? "  \(program.lost) lost" : ""))
        }
        if let cost = status.cost {
            lines.append(
                "hardware cost  \(cost.hardware.decimals(2)) of \(cost.budget.decimals(2))"
                    + (cost.terms.first.map { "  \($0.resource)" } ?? ""))
        }
        lines += status.publications.map { publication in
            let counts =
                publication.sent_frames + publication.dropped_frames > 0
                ? "\(publication.sent_frames) sent, \(publication.dropped_frames) dropped" : nil
            return (["live \(publication.name)", publication.state, counts, publication.text] as [String?])
                .compactMap(\.self).joined(separator: "  ")
        }
        if let pressure = status.pressure {
            lines.append(
                (["system pressure", pressure] + [status.pressure_reason].compactMap(\.self))
                    .joined(separator: "  "))
        }
        if let disk = status.disk {
            let free = "\((Double(disk.free_bytes) / 1e9).decimals(1)) GB free"
            let left = disk.seconds_left.map { "for \(($0 / 60).rounded(.down).decimals(0)) min" }
            lines.append((["disk", free] + [left].compactMap(\.self)).joined(separator: "  "))
        }
        if status.mark_count > 0 { lines.append("marks  \(status.mark_count)") }
        lines += status.given_up.map { "given up  \($0)" }
        if let verdict = status.verdict { lines.append("last recording  \(verdict)") }
        return lines.map { $0.printable(limit: 1000) }
    }
}
