internal import Glibc
internal import YAML

extension ProfileLibrary {
    /// Reads a profile's file: at most one byte more than a profile may have, so that an endless file ends.
    ///
    /// - Throws: `ProfileError` when it does not exist, is no regular file or cannot be read.
    static func bytes(ofFile path: String) throws(ProfileError) -> [UInt8] {
        func error(_ found: String) -> ProfileError {
            ProfileError(file: path, found: found, expected: "a profile that can be read")
        }
        // Opening a named pipe must not wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR, ENAMETOOLONG: throw error("no such file")
            // The kernel reports this for a socket, which cannot be opened.
            case ENXIO: throw error("a socket or a device, which is no file")
            default: throw error("a file that may not be opened")
            }
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw error("a file that cannot be read") }
        switch facts.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw error("a folder")
        case S_IFIFO: throw error("a named pipe, which may never end")
        default: throw error("a device, which is no file")
        }
        var bytes = [UInt8](repeating: 0, count: YAMLReader.byteLimit + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else {
                throw error("a file that cannot be read (\(String(cString: strerror(errno))))")
            }
            guard got > 0 else { break }
            count += got
        }
        return Array(bytes[..<count])
    }
}
