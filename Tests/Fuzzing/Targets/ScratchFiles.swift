import Glibc

/// Small files in a memory-backed folder, rewritten for each input.
struct ScratchFiles {
    let folder: String

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Creates a folder and its parents.
    func makeFolder(_ name: String) {
        var path = folder
        for part in name.split(separator: "/") {
            path += "/\(part)"
            let result = mkdir(path, 0o700)
            precondition(result == 0 || errno == EEXIST, "the scratch folder takes folders")
        }
    }

    func write(_ name: String, _ bytes: [UInt8]) {
        let file = open(path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        precondition(file >= 0, "the scratch folder takes \(name)")
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            precondition(count > 0, "the scratch folder has room")
            rest = rest.dropFirst(count)
        }
        close(file)
    }

    func remove(_ name: String) { unlink(path(name)) }

    /// Writes the file, or removes it if the input doesn't contain that part.
    func set(_ name: String, _ bytes: [UInt8]?) {
        if let bytes { write(name, bytes) } else { remove(name) }
    }

    func link(_ name: String, to target: String) {
        let result = symlink(path(target), path(name))
        precondition(result == 0 || errno == EEXIST, "the scratch folder takes links")
    }
}
