internal import FileSystem
import Glibc

/// Small reads of the file system in which a missing file is an answer and no error: sysfs and proc change at any
/// moment.
package enum Paths {
    /// Names in a folder, sorted; empty when the folder is missing or not readable.
    package static func entries(of folder: String) -> [String] {
        FolderListing.names(in: folder)
    }

    /// Whether a file or folder exists.
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The path without symbolic links; `nil` when it does not exist.
    package static func resolved(_ path: String) -> String? {
        guard let memory = realpath(path, nil) else { return nil }
        defer { free(memory) }
        return String(cString: memory)
    }

    /// The target of a symbolic link; `nil` when the path is none.
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

    /// The first 4096 bytes of a small file as text, without white space at its end; `nil` when it cannot be read.
    package static func text(_ path: String) -> String? {
        guard var content = bytes(path, atMost: 4096) else { return nil }
        while let last = content.last, last <= 32 { content.removeLast() }
        return String(decoding: content, as: UTF8.self)
    }

    /// The content of a file, at most `limit` bytes; `nil` when it cannot be read.
    package static func bytes(_ path: String, atMost limit: Int) -> [UInt8]? {
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { return nil }
        let descriptor = OwnedDescriptor(owning: number)
        var isWhole = true
        let content = [UInt8](unsafeUninitializedCapacity: limit) { memory, count in
            while count < limit {
                // Files of proc and sysfs come in pieces.
                let taken = read(descriptor.number, memory.baseAddress.map { $0 + count }, limit - count)
                if taken < 0 { isWhole = errno == EAGAIN }
                guard taken > 0 else { break }
                count += taken
            }
        }
        return isWhole ? content : nil
    }

    /// The folder that contains a path; `/` for itself.
    package static func parent(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// The last component of a path.
    package static func name(_ path: String) -> String {
        String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
    }
}
