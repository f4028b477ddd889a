import Foundation
import Glibc

/// A sound server that accepts connections and never answers.
final class UnresponsiveServer: Sendable {
    struct Failure: Error {
        let errno: Int32
    }

    private let path: String
    private let listener: Int32

    init() throws {
        path =
            FileManager.default.temporaryDirectory.appending(path: "deaf-\(UUID().uuidString.prefix(8))").path
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { pointer in
                bind(listener, pointer.baseAddress, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(listener, 1) == 0 else { throw Failure(errno: errno) }
    }

    deinit {
        close(listener)
        unlink(path)
    }

    var address: String { "unix:\(path)" }

    /// Blocks until a client connects. The connection stays open until this process exits.
    func waitForConnection() {
        _ = accept(listener, nil, nil)
    }
}
