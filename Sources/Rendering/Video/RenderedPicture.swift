public import Interchange
public import Media

/// What a rendered picture shows: a recording by a cut, in a size. A value.
public struct RenderedPicture: Sendable {
    /// The recording.
    public let session: RecordedSession
    /// Path of the session folder.
    public let folder: String
    /// Which cameras are shown when.
    public let cut: Cut
    /// Where insets stand, and how frames fill their places; `nil` for the program's own look where it has one.
    public let look: ProgramLook?
    /// Size in pixels, both sides even.
    public let size: FrameSize
    /// Which frame of a track that is not on a grid is shown at which tick, by role.
    let schedules: [String: FrameSchedule]
    /// What cannot be shown, as sentences.
    public let problems: [String]

    /// Finds out what is shown. It reads the times of all frames that keep their own capture times, so it may take long.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - folder: Path of the session folder.
    ///   - cut: A cut of the recording.
    ///   - look: Where insets stand, and how frames fill their places; `nil` for the program's own look where it has one.
    ///   - size: Size in pixels, both sides even; `nil` for the recording's.
    public init(
        _ session: RecordedSession, in folder: String, cut: Cut, look: ProgramLook? = nil,
        size: FrameSize? = nil
    ) {
        self.session = session
        self.folder = folder
        self.cut = cut
        self.look = look
        self.size = size ?? session.size
        var schedules: [String: FrameSchedule] = [:]
        var problems: [String] = []
        let shown = Set(cut.shots.flatMap(\.show))
        for role in shown.sorted() where session.angle(role) == nil {
            problems.append(
                "\(role): there is no track of this camera, so that it is left out of the picture.")
        }
        for angle in session.angles where shown.contains(angle.role) && !angle.isOnGrid {
            let schedule = FrameSchedule(
                angle, folder: folder, rate: session.rate, count: session.frameCount)
            problems += schedule.faults.map { "\($0) A slate stands for what it holds of \(angle.role)." }
            schedules[angle.role] = schedule
        }
        self.schedules = schedules
        self.problems = problems
    }
}
