import Glibc

/// Small looks at the file system, where "not there" is an answer and no error: sysfs and proc change at any moment.
enum Paths {
    /// Names in a folder, sorted; none when it is not there or not ours to read.
    static func entries(of folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The path without symbolic links, `nil` when it is not there.
    static func resolved(_ path: String) -> String? {
        guard let memory = realpath(path, nil) else { return nil }
        defer { free(memory) }
        return String(cString: memory)
    }

    /// Where a symbolic link points to.
    static func link(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { memory in
            guard let start = memory.baseAddress else { return nil }
            let count = start.withMemoryRebound(to: CChar.self, capacity: memory.count) {
                readlink(path, $0, memory.count)
            }
            guard count > 0 else { return nil }
            return String(decoding: memory.prefix(count), as: UTF8.self)
        }
    }

    /// The first 4096 bytes of a small file as text, without white space at its end. `nil` when it cannot be read.
    static func text(_ path: String) -> String? {
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return nil }
        let descriptor = OwnedDescriptor(owning: number)
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4096) { memory in
            let count = read(descriptor.number, memory.baseAddress, memory.count)
            guard count >= 0 else { return nil }
            var content = memory.prefix(count)
            while let last = content.last, last <= 32 { content.removeLast() }
            return String(decoding: content, as: UTF8.self)
        }
    }

    /// The folder that holds this one; `/` for itself.
    static func parent(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    static func name(_ path: String) -> String {
        String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
    }
}
