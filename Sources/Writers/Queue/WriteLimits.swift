package import Media

/// How many bytes may wait in memory for the files of one folder. What finds no room is left out, by rule and with the
/// cause `disk`: a disk that is slow, or hangs, never stops what is captured and never takes the machine's memory.
///
/// On top of these come what the files' own threads hold: at most half a second, or 64 MiB, of each.
package struct WriteLimits: Sendable, Equatable {
    enum Room: Sendable { case none, little, ample }

    /// For frames of one file: half of the total, so that no file takes everything.
    let perFile: Int
    /// For frames of all files of the folder.
    let total: Int
    /// For the audio of each file, besides: frames never take its place. 40 s of a stereo microphone, ten minutes of AAC.
    let audio: Int
    package static let usualAudio = 16 << 20

    /// How long frames and audio are gathered before a file's thread is woken for them.
    let gatheringTime: Nanoseconds
    static let usualGatheringTime = Nanoseconds.milliseconds(100)
    /// As much wakes it at once, in bytes.
    var gatheringBytes: Int { min(512 << 10, total / 16) }

    /// Five seconds of four cameras of 20 MB a second, and some.
    static let usualTotal = 512 << 20

    /// - Parameters:
    ///   - total: At least 1 MiB is taken as given; `nil` is the usual.
    ///   - sound: Of each file.
    ///   - gatheringTime: Of each file.
    package init(
        total: Int?, audio: Int = Self.usualAudio, gatheringTime: Nanoseconds = Self.usualGatheringTime
    ) {
        self.audio = audio
        self.gatheringTime = gatheringTime
        self.total = max(total ?? Self.usualTotal, 1 << 20)
        perFile = self.total / 2
    }

    /// Whether a frame finds room.
    ///
    /// - Parameters:
    ///   - bytes: Its size.
    ///   - file: The frames that wait for its file, in bytes.
    ///   - folder: Those of all files, in bytes.
    /// - Returns: `ample` when an eighth of the file's share stays free: where a row of frames that need each other may
    ///   begin. A file for which nothing waits takes any frame.
    func room(for bytes: Int, file: Int, folder: Int) -> Room {
        if file == 0 { return .ample }
        let rest = min(perFile - file, total - folder) - bytes
        if rest < 0 { return .none }
        return rest >= perFile / 8 ? .ample : .little
    }

    /// Whether audio finds room: `file` bytes of it wait for its file.
    func hasRoom(forAudio bytes: Int, file: Int) -> Bool { file + bytes <= audio }
}
