package import MulticamMedia

/// The computer that runs this process, as described by its kernel.
///
/// All values are read again on each call, which takes well under a millisecond for a few dozen small files.
/// Values aren't cached, so that devices that are connected later are detected.
package struct ThisHost: HostReading {
    private let files: HostFiles

    /// Creates a reader for this computer.
    ///
    /// - Parameter root: Prefix of `/sys` and `/proc`, which is empty except in tests.
    package init(root: String = "") {
        files = HostFiles(root: root)
    }

    /// Share of processor capacity that this process may use; `nil` if the system doesn't report it.
    /// Accessing this property doesn't read any other part of the computer's state.
    package var processorShare: ProcessorShare? {
        var state = HostState()
        ShareReader(files: files).read(into: &state)
        return state.share
    }

    /// Reads the computer's state: stalls, temperatures, processor frequency, processor share, power supply,
    /// and disk space.
    ///
    /// - Parameters:
    ///   - folder: A folder of the recording. The reader determines the folder's size and the free space on
    ///     the folder's file system.
    ///   - time: The current time, which this implementation ignores because it always reads the current
    ///     state.
    /// - Returns: The state of the computer. Sources that can't be read are listed in `missing`.
    package func read(folder: String, at time: ClockTime) -> HostState {
        var state = HostState()
        StallReader(files: files).read(into: &state)
        ThermalReader(files: files).read(into: &state)
        SpeedReader(files: files).read(into: &state)
        ShareReader(files: files).read(into: &state)
        PowerReader(files: files).read(into: &state)
        DiskSpaceReader.read(folder, into: &state)
        return state
    }

    /// Returns the free space on a disk.
    ///
    /// - Parameter folder: A folder on the disk.
    /// - Returns: The number of bytes that this user can still write; `nil` if the file system doesn't report
    ///   its free space.
    package func freeBytes(folder: String) -> Int64? { DiskSpaceReader.freeBytes(folder) }
}

/// Reads the amount of memory that is available to programs.
package enum FreeMemory {
    /// Returns `MemAvailable` from proc(5): the free memory plus memory that the system could reclaim for
    /// programs without swapping.
    ///
    /// - Parameter root: Prefix of `/proc`, which tests can replace.
    /// - Returns: The number of available bytes; `nil` if the system doesn't report it.
    package static func bytes(root: String = "") -> Int64? {
        let text: String
        do throws(HostFileError) {
            text = try HostFiles(root: root).text("/proc/meminfo")
        } catch {
            return nil
        }
        // The line has the format `MemAvailable:   123456 kB`.
        let line = text.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
        let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap { Int64($0) }
        return kilobytes.flatMap { (0...Int64.max / 1024).contains($0) ? $0 * 1024 : nil }
    }
}
