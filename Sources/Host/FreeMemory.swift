import Media

/// Reads the memory that is available to programs.
package enum FreeMemory {
    /// Reads `MemAvailable` of proc(5): the free memory, and what the system would give up for programs without paging.
    ///
    /// - Parameter root: Prefix of `/proc`, for tests.
    /// - Returns: Bytes; `nil` where the system does not say.
    package static func bytes(root: String = "") -> Int64? {
        let text: String
        do throws(HostFileError) {
            text = try HostFiles(root: root).text("/proc/meminfo")
        } catch {
            return nil
        }
        // `MemAvailable:   123456 kB`
        let line = text.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
        let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap { Int64($0) }
        return kilobytes.flatMap { (0...Int64.max / 1024).contains($0) ? $0 * 1024 : nil }
    }
}
