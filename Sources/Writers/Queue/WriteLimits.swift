internal import Containers
package import Media

/// Limits of the bytes that may wait in memory for the files of one folder. Packets that exceed them are dropped by
/// the rules of `PacketShedding`, with the cause `disk`: a slow or hanging disk never stops the capture, and never
/// takes the machine's memory.
///
/// The files' own threads hold more on top of these: at most half a second, or 64 MiB, each.
package struct WriteLimits: Sendable, Equatable {
    /// How much room there is for a frame; `ample` leaves an eighth of its file's share free.
    enum Room: Sendable { case none, little, ample }

    /// Most bytes of frames for one file: half of the total, so that no file takes everything.
    let perFile: Int
    /// Most bytes of frames for all files of the folder.
    let total: Int
    /// Most bytes of audio for each file, besides frames, which never take its place: 40 s of a stereo microphone,
    /// ten minutes of AAC.
    let audio: Int
    /// The usual limit of audio for each file: 16 MiB.
    package static let usualAudio = 16 << 20

    /// How long frames and audio are gathered at most before a file's thread is woken for them.
    let gatheringTime: Nanoseconds
    static let usualGatheringTime = Nanoseconds.milliseconds(500)
    /// How long they are gathered while it is not known when the file will write.
    var firstGatheringTime: Nanoseconds { min(gatheringTime, .milliseconds(100)) }
    /// Number of gathered bytes that wakes a file's thread at once.
    var gatheringBytes: Int { min(8 << 20, total / 64) }

    /// How long frames and audio are gathered for the file's next write.
    func gatheringTime(_ rhythm: WriteRhythm) -> Nanoseconds { min(gatheringTime, rhythm.gatheringTime) }

    /// The usual limit of frames: 512 MiB, more than five seconds of four cameras at 20 MB a second.
    static let usualTotal = 512 << 20

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - total: Most bytes of frames for all files of the folder, at least 1 MiB; `nil` for 512 MiB.
    ///   - audio: Most bytes of audio for each file.
    ///   - gatheringTime: How long packets are gathered at most before a file's thread is woken.
    package init(
        total: Int?, audio: Int = Self.usualAudio, gatheringTime: Nanoseconds = Self.usualGatheringTime
    ) {
        self.audio = audio
        self.gatheringTime = gatheringTime
        self.total = max(total ?? Self.usualTotal, 1 << 20)
        perFile = self.total / 2
    }

    /// How much room there is for a frame.
    ///
    /// - Parameters:
    ///   - bytes: Size of the frame, in bytes.
    ///   - file: Bytes of frames that wait for its file.
    ///   - folder: Bytes of frames that wait for all files.
    /// - Returns: `ample` when an eighth of the file's share stays free, so that a row of frames that need each other
    ///   may begin; `little` when the frame fits. A file for which nothing waits takes any frame.
    func room(for bytes: Int, file: Int, folder: Int) -> Room {
        if file == 0 { return .ample }
        let rest = min(perFile - file, total - folder) - bytes
        if rest < 0 { return .none }
        return rest >= perFile / 8 ? .ample : .little
    }

    /// Whether there is room for audio while `file` bytes of it wait for its file.
    func hasRoom(forAudio bytes: Int, file: Int) -> Bool { file + bytes <= audio }
}
