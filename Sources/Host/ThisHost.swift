public import Media

/// The computer that the process runs on, as its kernel describes it.
///
/// Everything is read anew each time: some dozens of small files, well below a millisecond. Nothing is cached, so
/// devices that are plugged in or appear later are seen.
public struct ThisHost: HostReading {
    private let files: HostFiles

    /// Makes a reader.
    ///
    /// - Parameter root: Prefix of `/sys` and `/proc`, for tests; empty for the real ones.
    public init(root: String = "") {
        files = HostFiles(root: root)
    }

    /// The share of the processors that this process may use; `nil` where the system does not say. Reads nothing else.
    package var processorShare: ProcessorShare? {
        var state = HostState()
        ShareReader(files: files).read(into: &state)
        return state.share
    }

    /// Reads the computer's state: stalls, temperatures, speed, processor share, power and disk.
    ///
    /// - Parameters:
    ///   - folder: A folder of the recording, whose file system and size are read.
    ///   - time: Not used: the state of a real computer is always the present one.
    /// - Returns: The state; sources that cannot be read are listed in `missing`.
    public func read(folder: String, at time: ClockTime) -> HostState {
        var state = HostState()
        StallReader(files: files).read(into: &state)
        ThermalReader(files: files).read(into: &state)
        SpeedReader(files: files).read(into: &state)
        ShareReader(files: files).read(into: &state)
        PowerReader(files: files).read(into: &state)
        DiskSpaceReader.read(folder, into: &state)
        return state
    }

    /// Reads the room on a disk.
    ///
    /// - Parameter folder: A folder on the disk.
    /// - Returns: Bytes that this user can still write; `nil` where the file system does not say.
    public func freeBytes(folder: String) -> Int64? { DiskSpaceReader.freeBytes(folder) }
}
