public import Interchange
internal import Media

/// Writes a recording's audio as a podcast: M4A with chapters, title, date and cover, as loud as podcasts are.
public enum Podcast {
    /// Integrated loudness of podcasts in LUFS, as their platforms ask for.
    private static let loudness = -16.0
    private static let bitrate = 128_000

    /// Writes `edit/podcast.m4a`, in place of the one that is there. Blocks for long; not in a Swift task.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - folder: Path of the session folder.
    ///   - title: The podcast's title; the recording's where there is none.
    ///   - progress: Told how far it is; may stop it.
    /// - Returns: The file, and what could not be read.
    /// - Throws: `RenderError`; nothing is left of the file.
    public static func write(
        _ session: RecordedSession, in folder: String, title: String? = nil,
        progress: RenderProgress = RenderProgress()
    ) throws(RenderError) -> Renderer.Outcome {
        guard session.isHeard else {
            throw .nothing("nothing is heard in this recording, so there is no podcast to make.")
        }
        var renderer = Renderer(
            session, in: folder, picture: nil, sound: RenderedSound(loudness: loudness, bitrate: bitrate))
        renderer.title = title ?? session.title
        let path: String
        do throws(FileError) {
            path = try Renderer.editFolder(in: folder) + "/podcast.m4a"
        } catch {
            throw .file(error)
        }
        return try renderer.run(to: path, replaces: true, progress: progress)
    }
}
