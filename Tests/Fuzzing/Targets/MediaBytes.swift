import Foundation
import Glibc
import MulticamControl
import MulticamMedia

@testable import MulticamMediaLink
@testable import MulticamMediaServing

/// Tests data that another process of the same user writes to the media socket, and data that a session sends
/// to a client.
///
/// An input that starts with the protocol's magic is used unchanged. Other inputs are alternating headers and
/// payloads, separated by the ASCII record separator. `check` adds their lengths, so that a mutated header
/// still has a correct length.
final class MediaBytes: FuzzTarget {
    static let name = "media"
    static let limit = 4096

    private let path: String
    private let listener: LocalSocket

    init(folder: String) throws {
        path = folder + "/socket"
        listener = try LocalSocket()
        try listener.listen(at: path)
    }

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        let stream = bytes.starts(with: MediaMessage.magic) ? bytes : Self.framed(bytes)
        try checkSession(stream)
        try checkClient(stream)
    }

    private static func framed(_ bytes: [UInt8]) -> [UInt8] {
        let parts = bytes.split(separator: 0x1E, omittingEmptySubsequences: false).map(Array.init)
        return stride(from: 0, to: parts.count, by: 2).flatMap { index in
            let data = parts.indices.contains(index + 1) ? parts[index + 1] : []
            return MediaMessage.prefix(header: parts[index].count, bytes: data.count) + parts[index] + data
        }
    }

    // MARK: A session's end

    private func checkSession(_ stream: [UInt8]) throws(RuleViolation) {
        let (client, server) = try connected()
        let devices = RemoteDevices()
        let peer = MediaPeer(
            MediaConnection(server), devices: devices, history: EventHistory(), status: { nil })
        let hasEnded = ConditionLock(false)
        peer.start(refusal: { nil }) { hasEnded.broadcast { $0 = true } }
        Self.send(stream, to: client)
        Self.readAll(from: client)
        hasEnded.wait { $0 ? () : nil }
        try require(peer.subscriptionCount == 0, "a process that has left still has subscriptions")
        try require(devices.presentCount == 0, "a process that has left still has devices")
    }

    // MARK: A client's end

    private func checkClient(_ stream: [UInt8]) throws(RuleViolation) {
        let (client, server) = try connected()
        Self.send(stream, to: server)
        let connection = MediaConnection(client)
        while true {
            let frame: CapturedFrame?
            do throws(MediaLinkError) {
                guard let message = try connection.receive() else { return }
                if case .frame(let sent, _)? = try RemoteTap.piece(of: message) {
                    frame = sent
                } else {
                    frame = nil
                }
            } catch {
                return try requireDisplayable(error.description)
            }
            if let frame { try Self.check(frame) }
        }
    }

    private static func check(_ frame: CapturedFrame) throws(RuleViolation) {
        let (packed, byteCount) = FramePlane.packed(frame.pixel, frame.size)
        for (index, plane) in frame.planes.enumerated() {
            let end = index + 1 < packed.count ? packed[index + 1].offset : byteCount
            let rows = (end - packed[index].offset) / packed[index].stride
            let last = plane.offset + plane.stride * (rows - 1) + packed[index].stride
            try require(last <= frame.memory.count, "a plane reaches beyond the frame's memory")
        }
    }

    // MARK: Sockets

    private func connected() throws(RuleViolation) -> (client: LocalSocket, server: LocalSocket) {
        let client: LocalSocket
        do throws(ControlError) {
            client = try LocalSocket()
            _ = try client.tryConnect(to: path)
        } catch {
            throw RuleViolation(description: error.description)
        }
        guard case .connected(let server) = listener.accept() else {
            throw RuleViolation(description: "the connection is not accepted")
        }
        return (client, server)
    }

    private static func send(_ bytes: [UInt8], to socket: LocalSocket) {
        _ = bytes.withUnsafeBytes {
            Glibc.send(socket.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        shutdown(socket.descriptor, Int32(SHUT_WR))
    }

    private static func readAll(from socket: LocalSocket) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while recv(socket.descriptor, &buffer, buffer.count, 0) > 0 {}
    }
}
