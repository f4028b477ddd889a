internal import FoundationEssentials
internal import MulticamContainers
internal import MulticamEncoding
package import MulticamInterchange
internal import MulticamMedia

extension RecordedSession {
    /// Limits the duration of the session to the duration of its files if the manifest states a longer
    /// duration. Without this limit, a damaged manifest could result in years of slates and silence. If no
    /// file can be read, the session is limited to one hour.
    ///
    /// - Parameter folder: Path of the session folder.
    /// - Returns: The session with the limited duration. If the session was shortened, `problems` contains a
    ///   message.
    package func truncatedToFiles(in folder: String) -> RecordedSession {
        var stretches: [(from: MediaTime, to: MediaTime)] = []
        var seen: Set<String> = []
        for track in angles + microphones + [program].compactMap(\.self) {
            for part in track.parts where seen.insert("\(track.kind)/\(part.file)").inserted {
                do throws(EncodingError) {
                    let reader = try TrackReader(
                        part.file, in: folder, stream: part.stream,
                        media: track.kind == .microphone ? .audio : .video)
                    let end = part.from.nanoseconds.addingReportingOverflow(reader.duration?.count ?? 0)
                    stretches.append(
                        (part.from, MediaTime(nanoseconds: end.overflow ? .max : end.partialValue)))
                } catch {
                    continue  // The error is reported when the content is read.
                }
            }
        }
        // Editing projects can be created even if the files aren't readable on this computer.
        var end = stretches.isEmpty ? MediaTime(nanoseconds: Self.longestGap.count) : .zero
        for stretch in stretches.sorted(by: { $0.from < $1.from }) {
            guard stretch.from.nanoseconds - end.nanoseconds <= Self.longestGap.count else { break }
            end = max(end, stretch.to)
        }
        guard duration.nanoseconds - Self.tolerance.count > end.nanoseconds else { return self }
        let problem =
            "manifest.json states a duration of \(Nanoseconds(duration.nanoseconds).displayText), but the files end after "
            + "\(Nanoseconds(end.nanoseconds).displayText). The output has the same duration as the files."
        var session = truncated(at: rate.time(ofTick: rate.ticks(before: end)))
        session.problems.append(problem)
        return session
    }

    /// Maximum time by which the manifest may exceed the duration of the files. An interrupted track is
    /// extended with duplicated frames or silence.
    private static let tolerance = Nanoseconds.seconds(10)
    /// Maximum time without any track, between the stop of all tracks and the start of the next track.
    private static let longestGap = Nanoseconds.seconds(3600)
}

extension RecordedSession {
    /// Reads the time of the first visible frame from each file; see `withFirstFrames(_:)`. Unreadable files
    /// are skipped, because they are reported elsewhere.
    ///
    /// - Parameter folder: Path of the session folder.
    /// - Returns: The session with the times of the first frames.
    package func withFirstFrames(in folder: String) -> RecordedSession {
        withFirstFrames { part in
            do throws(EncodingError) {
                return try TrackReader(part.file, in: folder, stream: part.stream, media: .video)
                    .startTime
            } catch {
                return nil
            }
        }
    }
}

extension RecordedSession {
    /// Returns the date and time of a point in the recording, which is given as a time relative to T0.
    func date(at time: MediaTime) -> Date {
        // The start date is rounded down to whole seconds, because dates in media files have a resolution of
        // one second.
        Date(timeIntervalSince1970: startSince1970.inSeconds.rounded(.down)).addingTimeInterval(
            Nanoseconds(time.nanoseconds).inSeconds)
    }
}
