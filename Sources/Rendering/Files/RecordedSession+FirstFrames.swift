internal import Encoding
public import Interchange
internal import Media

extension RecordedSession {
    /// Learns from the files when they begin to show something; see `withFirstFrames(_:)`. A file that cannot be read is told elsewhere.
    ///
    /// - Parameter folder: Path of the session folder.
    /// - Returns: The session with these instants.
    public func withFirstFrames(in folder: String) -> RecordedSession {
        withFirstFrames { part in
            do throws(EncodingError) {
                return try TrackReader(path: folder + "/" + part.file, stream: part.stream, media: .video)
                    .begin
            } catch {
                return nil
            }
        }
    }
}
