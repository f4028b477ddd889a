internal import Containers
internal import FoundationEssentials
internal import Media

/// Writes a CMX 3600 edit decision list: the cut of the main camera, in time of day, with what the format lacks in comments.
///
/// Source and record time codes are equal, since all files have the time of day. A list holds one picture at a time: of a
/// composed picture it has the main camera, and a comment names the others.
struct DecisionList {
    private let timeline: EditTimeline

    /// The list of a timeline.
    static func data(of timeline: EditTimeline) -> Data {
        Data(DecisionList(timeline: timeline).lines.joined(separator: "\n").utf8) + Data("\n".utf8)
    }

    private var lines: [String] {
        var lines = ["TITLE: \(Self.plain(timeline.session.title))"]
        lines.append("FCM: \(timeline.timecode.isDropFrame ? "DROP FRAME" : "NON-DROP FRAME")")
        for (index, clip) in (timeline.layers.first ?? []).enumerated() {
            lines.append("")
            let number = Self.digits(Int64(index + 1), 3)
            let origin = Int64(timeline.timecode.firstFrame)
            let record = [clip.frames.lowerBound, clip.frames.upperBound].map { label(origin + $0) }
            // An MP4 has no time code: it begins at 0.
            let begin = clip.start.nearestFrame(at: timeline.rate)
            let source =
                clip.part.file.hasSuffix(".mov") ? record : [begin, begin + clip.count].map { label($0) }
            lines.append(
                "\(number)  \(reel(of: clip)) V     C        \((source + record).joined(separator: " "))")
            lines.append("* FROM CLIP NAME: \(clip.part.file.split(separator: "/").last ?? "")")
            let shot = timeline.cut.shot(at: clip.frames.lowerBound)
            lines.append(
                "* COMMENT: \(Self.plain(shot.layout)) \(shot.show.joined(separator: ", ")): \(Self.plain(shot.why))"
            )
            for mark in timeline.marks where clip.frames.contains(mark.frames.lowerBound) {
                lines.append(
                    "* LOC: \(label(origin + mark.frames.lowerBound)) GREEN   \(Self.plain(mark.text))")
            }
        }
        return lines
    }

    /// The name of a tape has at most eight characters; equal beginnings get a number.
    private func reel(of clip: EditClip) -> String {
        let files = timeline.angles.flatMap { $0.track.parts.map(\.file) }
        let name = clip.role.uppercased().filter { $0.isLetter || $0.isNumber }
        let position = (files.firstIndex(of: clip.part.file) ?? 0) + 1
        let whole = files.count == timeline.angles.count && name.count <= 8
        let word = whole ? name : String(name.prefix(5)) + Self.digits(Int64(position), 3)
        return word.prefix(8) + String(repeating: " ", count: max(0, 8 - word.count))
    }

    /// The label of a number of frames since midnight, `HH:MM:SS:FF`, with `;` before the frames where it drops labels.
    private func label(_ count: Int64) -> String {
        let code = Timecode(rate: timeline.rate, firstFrame: 0, isDropFrame: true).advanced(by: count)
        let (rate, isDrop) = (code.rate, code.isDropFrame)
        let perSecond = (rate.frames + rate.seconds - 1) / rate.seconds
        var number = Int64(code.firstFrame)
        if isDrop {
            // Each minute but every tenth leaves out two labels, four at 59.94 (SMPTE ST 12-1).
            let dropped = perSecond / 15
            let (tenMinutes, minute) = (perSecond * 600 - dropped * 9, perSecond * 60 - dropped)
            let (tens, rest) = (number / tenMinutes, number % tenMinutes)
            number += dropped * 9 * tens + (rest >= dropped ? dropped * ((rest - dropped) / minute) : 0)
        }
        let seconds = number / perSecond
        let fields = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map { Self.digits($0, 2) }
        return fields.joined(separator: ":") + (isDrop ? ";" : ":") + Self.digits(number % perSecond, 2)
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    /// The characters that all readers of the format know.
    private static func plain(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.isASCII && $0.value >= 32 ? Character($0) : "?" })
    }
}
