internal import MulticamContainers
package import MulticamMedia

/// Limits on the bytes that may be queued in memory for the files of one folder. Packets that exceed the limits are
/// dropped according to `PacketShedding`, with the cause `disk`. A slow or hanging disk therefore never stops the
/// capture and never exhausts the machine's memory.
///
/// In addition, the thread of each file holds at most half a second of data, limited to 64 MiB.
package struct WriteLimits: Sendable, Equatable {
    /// The space available for a frame. With `ample`, an eighth of the file's limit stays free after the
    /// frame is queued.
    enum Room: Sendable { case none, little, ample }

    /// Maximum number of frame bytes for one file. This limit is half of `total`, so that one file cannot use
    /// the whole memory.
    let perFile: Int
    /// Maximum number of frame bytes for all files of the folder.
    let total: Int
    /// Maximum number of audio bytes for each file. The space for audio is separate from the space for
    /// frames. The limit corresponds to 40 s of audio from a stereo microphone, or ten minutes of AAC.
    let audio: Int
    /// The default audio limit for each file (16 MiB).
    package static let defaultAudio = 16 << 20

    /// Maximum time for which frames and audio are batched before a file's thread is woken.
    let batchingTime: Nanoseconds
    static let defaultBatchingTime = Nanoseconds.milliseconds(500)
    /// Time for which data is batched while the file's next write can't be predicted.
    var initialBatchingTime: Nanoseconds { min(batchingTime, .milliseconds(100)) }
    /// Number of batched bytes at which the file's thread is woken immediately.
    var batchBytes: Int { min(8 << 20, total / 64) }

    /// Returns the batching time for the next write of a file.
    func batchingTime(_ rhythm: WriteSchedule) -> Nanoseconds { min(batchingTime, rhythm.batchingTime) }

    /// The default limit for frames (512 MiB). This limit corresponds to more than six seconds of data from
    /// four cameras at 20 MB/s.
    static let defaultTotal = 512 << 20

    /// Creates the limits for one folder.
    ///
    /// - Parameters:
    ///   - total: Maximum number of frame bytes for all files of the folder, at least 1 MiB; `nil` for 512 MiB.
    ///   - audio: Maximum number of audio bytes for each file.
    ///   - batchingTime: Maximum time for which packets are batched before a file's thread is woken.
    package init(
        total: Int?, audio: Int = Self.defaultAudio, batchingTime: Nanoseconds = Self.defaultBatchingTime
    ) {
        self.audio = audio
        self.batchingTime = batchingTime
        self.total = max(total ?? Self.defaultTotal, 1 << 20)
        perFile = self.total / 2
    }

    /// Returns the available space for a frame.
    ///
    /// - Parameters:
    ///   - bytes: Size of the frame, in bytes.
    ///   - file: Number of frame bytes that are queued for the frame's file.
    ///   - folder: Number of frame bytes queued for all files.
    /// - Returns: `ample` if an eighth of the file's limit stays free, so that a new group of dependent
    ///   frames may start; `little` if the frame merely fits. A file with an empty queue accepts any frame.
    func room(for bytes: Int, file: Int, folder: Int) -> Room {
        if file == 0 { return .ample }
        let rest = min(perFile - file, total - folder) - bytes
        if rest < 0 { return .none }
        return rest >= perFile / 8 ? .ample : .little
    }

    /// Whether there is space for audio when `file` bytes of audio are already queued for the file.
    func hasRoom(forAudio bytes: Int, file: Int) -> Bool { file + bytes <= audio }
}

/// Counts the frame bytes queued in memory for the files of one folder. The queues of these files share one
/// counter. Thread-safe.
final class WriteMemory: Sendable {
    let limits: WriteLimits
    private let frames = ConditionLock(0)

    init(_ limits: WriteLimits) { self.limits = limits }

    /// Number of queued frame bytes.
    var byteCount: Int { frames.withLock { $0 } }

    /// Reserves memory for a frame if at least the space `least` is available.
    func reserve(_ bytes: Int, file: Int, least: WriteLimits.Room) -> Bool {
        frames.withLock { sum in
            switch (limits.room(for: bytes, file: file, folder: sum), least) {
            case (.none, _), (.little, .ample): return false
            case (.little, _), (.ample, _): break
            }
            sum += bytes
            return true
        }
    }

    /// Releases the memory of a frame.
    func release(_ bytes: Int) { frames.withLock { $0 -= bytes } }
}

/// Determines which packets of one stream are dropped while the queue of its file is full.
///
/// A frame that no other frame depends on is dropped individually, and the previous frame is shown longer. If frames
/// depend on each other, all frames up to the next key frame with ample space are dropped, so that the written stream
/// stays decodable. Audio is dropped packet by packet, and only if the separate space for audio is exhausted.
struct PacketShedding: Sendable {
    /// A range of dropped packets, in ticks of the stream's time scale, relative to T0.
    struct DroppedRange: Sendable, Equatable {
        let from: Int64
        var to: Int64
        var count: Int
    }

    /// Whether the stream's frames depend on each other, as in H.264.
    let needsKeys: Bool
    /// The ranges of dropped packets, in order. Adjacent ranges are merged.
    private(set) var droppedRanges: [DroppedRange] = []
    private(set) var isShedding = false

    init(needsKeys: Bool) { self.needsKeys = needsKeys }

    /// Number of dropped packets.
    var count: Int { droppedRanges.reduce(0) { $0 + $1.count } }

    /// Returns the space that a packet requires in the queue; `nil` if the packet must be dropped in any
    /// case.
    func requiredRoom(isKey: Bool) -> WriteLimits.Room? {
        guard isShedding, needsKeys else { return .little }
        return isKey ? .ample : nil
    }

    /// Records whether a packet was accepted or dropped.
    mutating func record(_ packet: EncodedPacket, isAccepted: Bool) {
        defer { isShedding = !isAccepted }
        guard !isAccepted else { return }
        let end = packet.presentation + packet.duration
        guard isShedding, let last = droppedRanges.indices.last else {
            droppedRanges.append(DroppedRange(from: packet.presentation, to: end, count: 1))
            return
        }
        droppedRanges[last].to = max(droppedRanges[last].to, end)
        droppedRanges[last].count += 1
    }
}
