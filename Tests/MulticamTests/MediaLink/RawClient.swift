import Foundation
import Glibc

/// A process at the other end of the media socket that writes arbitrary bytes.
struct RawClient {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    /// Returns a message in the protocol's format.
    static func message(_ header: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        func little(_ count: Int) -> [UInt8] {
            [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: count >> $0) }
        }
        return Array("mcm1".utf8) + little(header.count) + little(bytes.count) + header + bytes
    }

    /// Writes bytes; a closed connection ignores them.
    func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Returns whether the unread data contains a text.
    func hasUnreadText(_ text: String) -> Bool {
        let waiting = receive(MSG_PEEK)
        return waiting.firstRange(of: text.utf8) != nil
    }

    /// Discards all received data.
    func discardAll() { while !receive(MSG_DONTWAIT).isEmpty {} }

    private func receive(_ flag: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 22)
        let count = recv(descriptor, &bytes, bytes.count, Int32(flag | MSG_DONTWAIT))
        return Array(bytes.prefix(max(count, 0)))
    }

    func close() { Glibc.close(descriptor) }
}
