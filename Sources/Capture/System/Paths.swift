import Glibc
internal import MulticamSystem

/// File system helpers that treat a missing file as a result instead of an error, because sysfs and proc can change at
/// any time.
package enum Paths {
    /// Returns the names in a directory, sorted; empty if the directory is missing or unreadable.
    package static func entries(of folder: String) -> [String] {
        FolderListing.names(in: folder)
    }

    /// Returns whether a file or directory exists.
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Returns the path without symbolic links; `nil` if it doesn't exist.
    package static func resolved(_ path: String) -> String? {
        guard let memory = realpath(path, nil) else { return nil }
        defer { free(memory) }
        return String(cString: memory)
    }

    /// Returns the target of a symbolic link; `nil` if the path isn't a symbolic link.
    package static func link(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { memory in
            guard let start = memory.baseAddress else { return nil }
            let count = start.withMemoryRebound(to: CChar.self, capacity: memory.count) {
                readlink(path, $0, memory.count)
            }
            guard count > 0 else { return nil }
            return String(decoding: memory.prefix(count), as: UTF8.self)
        }
    }

    /// Returns the first 4096 bytes of a file as text, without trailing whitespace; `nil` if the file can't be read.
    package static func text(_ path: String) -> String? {
        guard var content = bytes(path, atMost: 4096) else { return nil }
        while let last = content.last, last <= 32 { content.removeLast() }
        return String(decoding: content, as: UTF8.self)
    }

    /// Returns the content of a file, at most `limit` bytes; `nil` if the file can't be read.
    package static func bytes(_ path: String, atMost limit: Int) -> [UInt8]? {
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { return nil }
        let descriptor = OwnedDescriptor(owning: number)
        var isWhole = true
        let content = [UInt8](unsafeUninitializedCapacity: limit) { memory, count in
            while count < limit {
                // Reads from proc and sysfs can return partial content.
                let taken = read(descriptor.number, memory.baseAddress.map { $0 + count }, limit - count)
                if taken < 0 { isWhole = errno == EAGAIN }
                guard taken > 0 else { break }
                count += taken
            }
        }
        return isWhole ? content : nil
    }

    /// Returns the parent directory of a path; `/` for `/`.
    package static func parent(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Returns the last component of a path.
    package static func name(_ path: String) -> String {
        String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
    }
}
