internal import FoundationEssentials
internal import MulticamContainers
internal import MulticamMedia
internal import MulticamProfiles

/// Writes a CMX 3600 edit decision list: the main camera's cut with time-of-day timecode. Comments contain
/// information that the format doesn't support.
///
/// Source and record timecodes are equal, because all files use the time of day. The two timecodes differ for
/// files that begin after midnight at a drop-frame rate, and for files from computers in a group whose clocks
/// differ. A list supports only one picture at a time: for a composed picture, the list contains the main
/// camera, and a comment names the other cameras.
struct DecisionList {
    private let timeline: EditTimeline

    /// Creates the list for a timeline.
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
            let begin = firstLabel(of: clip) + clip.start.nearestFrame(at: timeline.rate)
            let source = [begin, begin + clip.count].map { label($0) }
            lines.append(
                "\(number)  \(reel(of: clip)) V     C        \((source + record).joined(separator: " "))")
            lines.append("* FROM CLIP NAME: \(Self.oneLine(clip.part.file.split(separator: "/").last ?? ""))")
            let shot = timeline.cut.shot(at: clip.frames.lowerBound)
            lines.append(
                "* COMMENT: \(Self.plain(shot.layout.rawValue)) \(Self.oneLine(shot.cameras.joined(separator: ", "))): \(Self.plain(shot.reason))"
            )
            for marker in timeline.markers where clip.frames.contains(marker.frames.lowerBound) {
                lines.append(
                    "* LOC: \(label(origin + marker.frames.lowerBound)) GREEN   \(Self.plain(marker.text))")
            }
        }
        return lines
    }

    /// The first timecode label of a clip's file, at the timeline's rate. The timecode restarts at midnight. In a
    /// group, the timecode follows the clock of the computer that recorded the file. An MP4 file doesn't have a
    /// timecode and begins at 0.
    private func firstLabel(of clip: EditClip) -> Int64 {
        guard clip.part.file.hasSuffix(".mov") else { return 0 }
        let track = timeline.session.angle(clip.role)
        return Int64(
            timeline.session.timecode(of: track, at: clip.part.from, rate: timeline.rate).firstFrame)
    }

    /// Returns the reel name of a clip. Reel names have at most eight characters; identical prefixes are
    /// numbered.
    private func reel(of clip: EditClip) -> String {
        let files = timeline.angles.flatMap { $0.track.parts.map(\.file) }
        let name = clip.role.uppercased().filter { $0.isLetter || $0.isNumber }
        let position = (files.firstIndex(of: clip.part.file) ?? 0) + 1
        let whole = files.count == timeline.angles.count && name.count <= 8
        let word = whole ? name : String(name.prefix(5)) + Self.digits(Int64(position), 3)
        return word.prefix(8) + String(repeating: " ", count: max(0, 8 - word.count))
    }

    /// Formats a number of frames since midnight as a label `HH:MM:SS:FF`. For drop-frame timecode, a `;` precedes the
    /// frames.
    private func label(_ count: Int64) -> String {
        let day = Timecode.framesPerDay(timeline.rate)
        let code = Timecode(
            rate: timeline.rate, firstFrame: UInt32(clamping: (count % day + day) % day), isDropFrame: true)
        let (rate, isDrop) = (code.rate, code.isDropFrame)
        let perSecond = (rate.frames + rate.seconds - 1) / rate.seconds
        var number = Int64(code.firstFrame)
        if isDrop {
            // Every minute except every tenth skips two labels, or four at 59.94 (SMPTE ST 12-1).
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

    /// Removes line breaks and other control characters from text. A line break in a file name would start a
    /// new event.
    private static func oneLine(_ text: some StringProtocol) -> String {
        String(text).printable(limit: 1000)
    }

    /// Reduces text to the characters that all readers of the format support.
    private static func plain(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.isASCII && $0.value >= 32 ? Character($0) : "?" })
    }
}
