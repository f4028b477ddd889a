internal import Containers
internal import Encoding
internal import FoundationEssentials
public import Interchange
internal import Media

extension RecordedSession {
    /// Limits the session to the length of its files if the manifest declares a longer duration. A damaged or
    /// foreign manifest could otherwise produce years of slates and silence. If no file can be read, the
    /// session is limited to one hour.
    ///
    /// - Parameter folder: Path of the session folder.
    /// - Returns: The session. If the session was shortened, its `problems` contain a message.
    public func endingWithFiles(in folder: String) -> RecordedSession {
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
        // Projects can also be created for files that are unreadable on this computer.
        var end = stretches.isEmpty ? MediaTime(nanoseconds: Self.longestGap.count) : .zero
        for stretch in stretches.sorted(by: { $0.from < $1.from }) {
            guard stretch.from.nanoseconds - end.nanoseconds <= Self.longestGap.count else { break }
            end = max(end, stretch.to)
        }
        guard duration.nanoseconds - Self.tolerance.count > end.nanoseconds else { return self }
        let problem =
            "manifest.json states a duration of \(Nanoseconds(duration.nanoseconds).words), but the files end after "
            + "\(Nanoseconds(end.nanoseconds).words). The output has the same duration as the files."
        var session = ended(at: rate.time(ofTick: rate.ticks(before: end)))
        session.problems.append(problem)
        return session
    }

    /// Tolerated difference between the duration in the manifest and the shorter duration of the files. An interrupted
    /// track is extended with duplicated frames or silence.
    private static let tolerance = Nanoseconds.seconds(10)
    /// Maximum time without any recorded track, after all tracks were stopped and before another one was started.
    private static let longestGap = Nanoseconds.seconds(3600)
}

extension RecordedSession {
    /// Reads the time of the first visible frame from the files; see `withFirstFrames(_:)`. Unreadable files
    /// are reported elsewhere.
    ///
    /// - Parameter folder: Path of the session folder.
    /// - Returns: The session with these times.
    public func withFirstFrames(in folder: String) -> RecordedSession {
        withFirstFrames { part in
            do throws(EncodingError) {
                return try TrackReader(part.file, in: folder, stream: part.stream, media: .video)
                    .begin
            } catch {
                return nil
            }
        }
    }
}

extension RecordedSession {
    /// Returns the date of a point in the recording, given as a time relative to T0.
    func date(at time: MediaTime) -> Date {
        // The start is rounded down to whole seconds, which is the resolution of dates in media files.
        Date(timeIntervalSince1970: startSince1970.inSeconds.rounded(.down)).addingTimeInterval(
            Nanoseconds(time.nanoseconds).inSeconds)
    }
}
