package import MulticamMedia

/// The time when all tracks of a recovered recording end. A crash leaves the tracks with different lengths.
///
/// A short JPEG or audio track can be extended with its last frame or with silence. A track of encoded frames
/// cannot be extended without an encoder, so the shortest encoded track sets the end. Longer tracks are
/// trimmed at this time; the trimmed frames stay in the files. Without encoded tracks, the longest track sets
/// the end and nothing is trimmed.
package struct CommonEnd: Sendable, Equatable {
    /// The end of one track, and whether the track can be extended.
    package struct Reach: Sendable, Equatable {
        /// End of the track, relative to T0.
        package let end: MediaTime
        /// Whether the track is encoded, so that no frames can be appended.
        package let isEncoded: Bool

        /// Creates the description of a track that ends at `end`, a time relative to T0.
        package init(end: MediaTime, isEncoded: Bool) {
            self.end = end
            self.isEncoded = isEncoded
        }
    }

    /// Maximum length in nanoseconds that is trimmed from the other tracks because of a shorter encoded track. A track
    /// that is shorter by more than this length ended before the crash, and its last frame is shown until the end. An
    /// overloaded encoder lags by about a second of frames, in addition to its lookahead and the disk queue.
    private static let longestCut: Int64 = 10_000_000_000

    /// End of all tracks, relative to T0.
    package let time: MediaTime

    /// Determines the common end. Returns `nil` if no track extends beyond T0 and `earliest` is zero.
    ///
    /// - Parameters:
    ///   - reaches: End of each readable track that was still being recorded, and whether the track can be
    ///     extended.
    ///   - leading: Frame grid used to align the end: the grid of the program, or of the first camera if the
    ///     recording doesn't have a program; `nil` for audio-only recordings.
    ///   - start: Start of the last file. The common end is later than this time.
    ///   - earliest: Earliest possible end, such as the end of a track that was stopped before the crash. The
    ///     common end is never earlier than this time.
    package init?(
        _ reaches: [Reach], leading: FrameRate?, after start: MediaTime = .zero,
        notBefore earliest: MediaTime = .zero
    ) {
        let longest = max(reaches.map(\.end).max() ?? .zero, earliest)
        guard longest > .zero else { return nil }
        let encoded = reaches.filter {
            $0.isEncoded && $0.end > .zero && longest.nanoseconds - $0.end.nanoseconds <= Self.longestCut
        }
        guard let leading else {
            time = max(encoded.map(\.end).min() ?? longest, start, earliest)
            return
        }
        var tick = leading.ticks(before: longest)
        if let shortest = encoded.map(\.end).min() {
            tick = leading.ticks(before: shortest)
            if leading.time(ofTick: tick) > shortest { tick -= 1 }
        }
        time = leading.time(
            ofTick: max(tick, leading.ticks(before: start) + 1, leading.ticks(before: earliest)))
    }
}

/// Compares the end of one track with the common end of a recovered recording.
struct TrackEnding {
    /// End of the track on disk, relative to T0.
    let reached: MediaTime
    let end: MediaTime
    let stream: RemainingFile.Stream

    var cut: Int64 { max(0, reached.nanoseconds - end.nanoseconds) }
    var padded: Int64 { max(0, end.nanoseconds - reached.nanoseconds) }

    /// Returns the manifest entry for the end of a track.
    ///
    /// - Parameters:
    ///   - track: The track in the manifest.
    ///   - file: The last file of the track as the crash left it; `nil` if nothing can be read.
    ///   - end: The common end of all tracks; `nil` to use the end of this track.
    /// - Returns: The entry with the trimmed and padded lengths, and a sentence that describes them.
    static func recoveredTrack(of track: Manifest.Track, in file: RemainingFile?, until end: MediaTime?)
        -> Manifest.RecoveredTrack
    {
        guard let file, file.streams.indices.contains(track.stream) else {
            return Manifest.RecoveredTrack(
                track: track.name, cut_ns: 0, padded_ns: 0,
                text:
                    "no data had been written to this track's file, or the file cannot be read. The file is unchanged."
            )
        }
        let reached = file.end(ofStream: track.stream)
        let ending = Self(reached: reached, end: end ?? reached, stream: file.streams[track.stream])
        return Manifest.RecoveredTrack(
            track: track.name, cut_ns: ending.cut, padded_ns: ending.padded,
            text: end == nil && file.isPlain ? "the track is complete." : ending.text)
    }

    /// A sentence that describes the losses.
    var text: String {
        var words: [String] = []
        if stream.dropped > 0 {
            words.append(
                "\(stream.dropped) frames at the end can't be decoded because frames that they depend on were not written"
            )
        }
        // Differences below 1 ms are rounding errors, because they are shorter than a tick of any frame rate.
        if cut > 1_000_000 {
            words.append(
                "\(seconds(cut)) beyond the end of the other tracks is excluded but remains in the file")
        }
        if padded > 1_000_000 {
            words.append(fillerText)
        }
        let summary = words.isEmpty ? "all data on the disk was recovered" : words.joined(separator: "; ")
        return "\(summary). Data after \(seconds(reached.nanoseconds)) was not written before the crash."
    }

    private var fillerText: String {
        switch stream.codec {
        case "h264": "the last frame is extended by \(seconds(padded))"
        case "mjpeg": "the last frame is repeated for \(seconds(padded))"
        default: "the last \(seconds(padded)) are silence"
        }
    }

    private func seconds(_ nanoseconds: Int64) -> String {
        let milliseconds = (nanoseconds + 500_000) / 1_000_000
        let rest = String(milliseconds % 1000)
        return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest) s"
    }
}
