import Media

/// Memory that programs can still have.
package enum FreeMemory {
    /// By `MemAvailable` of proc(5): what is free, and what the system would give up for it without paging.
    ///
    /// - Parameter root: In front of `/proc`; synthetic in tests.
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
