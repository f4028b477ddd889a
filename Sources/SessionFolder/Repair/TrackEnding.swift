internal import Media

/// How the end of a track relates to the common end of a recovered recording.
struct TrackEnding {
    /// End of the track on the disk, since T0.
    let reached: MediaTime
    let end: MediaTime
    let stream: RemainingFile.Stream

    var cut: Int64 { max(0, reached.nanoseconds - end.nanoseconds) }
    var filled: Int64 { max(0, end.nanoseconds - reached.nanoseconds) }

    /// The manifest's entry for the end of a track.
    ///
    /// - Parameters:
    ///   - track: The track.
    ///   - file: Its last file, as the crash left it; `nil` where nothing can be read.
    ///   - end: Where all tracks end; `nil` for where this one does.
    /// - Returns: What is cut, what is filled, and a sentence.
    static func told(of track: Manifest.Track, in file: RemainingFile?, until end: MediaTime?)
        -> Manifest.RecoveredTrack
    {
        guard let file, file.streams.indices.contains(track.stream) else {
            return Manifest.RecoveredTrack(
                track: track.name, cut_ns: 0, filled_ns: 0,
                text: "nothing of it was on the disk yet, or its file cannot be read: it is left as it is.")
        }
        let reached = file.end(ofStream: track.stream)
        let ending = Self(reached: reached, end: end ?? reached, stream: file.streams[track.stream])
        return Manifest.RecoveredTrack(
            track: track.name, cut_ns: ending.cut, filled_ns: ending.filled,
            text: end == nil && file.isPlain ? "it is whole." : ending.text)
    }

    /// A sentence of what was lost.
    var text: String {
        var words: [String] = []
        if stream.dropped > 0 {
            words.append(
                "\(stream.dropped) frames at the end cannot be shown, since others that they belong to were not written"
            )
        }
        // Less than 1 ms, a tick of any frame rate, is rounding.
        if cut > 1_000_000 {
            words.append(
                "\(seconds(cut)) that other tracks do not have is left out and stays in the file")
        }
        if filled > 1_000_000 {
            words.append(filling)
        }
        let what = words.isEmpty ? "all that was on the disk is there" : words.joined(separator: "; ")
        return "\(what); what came after \(seconds(reached.nanoseconds)) was not written before the crash."
    }

    private var filling: String {
        switch stream.codec {
        case "h264": "the last frame is shown for \(seconds(filled)) longer"
        case "mjpeg": "the last \(seconds(filled)) repeat the last frame"
        default: "the last \(seconds(filled)) are silence"
        }
    }

    private func seconds(_ nanoseconds: Int64) -> String {
        let milliseconds = (nanoseconds + 500_000) / 1_000_000
        let rest = String(milliseconds % 1000)
        return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest) s"
    }
}
