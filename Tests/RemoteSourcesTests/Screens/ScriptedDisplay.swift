import Glibc
import MulticamMedia

/// An X server that gives one client the answers that a test defines.
final class ScriptedDisplay: Sendable {
    /// The server's reaction to a request.
    enum Reaction {
        case answer([UInt8])
        /// The server sends the X11 error `BadMatch`.
        case refuse
        /// The server doesn't reply; used for requests that don't have a reply.
        case silence
        case hangUp
    }

    /// Numbers of the X11 requests that are answered.
    enum Request {
        static let attributes = 3, geometry = 14, tree = 15, atom = 16, property = 20, focus = 43, image = 73,
            extensions = 98
    }

    struct Failure: Error {
        let errno: Int32
    }

    /// The source address of the server's screen.
    let selector: String
    private let listener: Int32

    /// The TCP port of display 0.
    private static let firstPort = 6000

    /// Starts to listen at the loopback address.
    ///
    /// - Parameters:
    ///   - setup: The reply to the connection setup.
    ///   - react: Receives the number of a request and all its bytes, on a separate thread.
    /// - Throws: `Failure` if no socket is available.
    init(_ setup: [UInt8] = XBytes.setup(), _ react: @escaping @Sendable (Int, [UInt8]) -> Reaction) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { pointer in
                bind(listener, pointer.baseAddress, length) == 0
                    && getsockname(listener, pointer.baseAddress, &length) == 0
            }
        }
        guard isBound, listen(listener, 1) == 0 else { throw Failure(errno: errno) }
        selector = "screen:127.0.0.1:\(Int(UInt16(bigEndian: address.sin_port)) - Self.firstPort)"
        MediaThread.startWhenPossible(name: "display") {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            Self.serve(client, setup, react)
            close(client)
        }
    }

    /// Closing the socket also ends the wait for a client that never connects.
    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func serve(
        _ client: Int32, _ setup: [UInt8], _ react: (Int, [UInt8]) -> Reaction
    ) {
        guard let hello = read(client, 12) else { return }
        let lengths = [6, 8].map { (Int(hello[$0]) + Int(hello[$0 + 1]) << 8 + 3) / 4 * 4 }
        guard read(client, lengths[0] + lengths[1]) != nil, write(client, setup) else { return }
        var sequence = 0
        while let head = read(client, 4) {
            let length = (Int(head[2]) + Int(head[3]) << 8) * 4
            guard let rest = read(client, max(length - 4, 0)) else { return }
            sequence += 1
            var answer: [UInt8]
            switch react(Int(head[0]), head + rest) {
            case .answer(let bytes): answer = bytes
            case .refuse: answer = [0, 8] + XBytes.zeros(8) + [head[0]] + XBytes.zeros(21)
            case .silence: continue
            case .hangUp: return
            }
            answer.replaceSubrange(2..<4, with: XBytes.two(sequence))
            guard write(client, answer) else { return }
        }
    }

    private static func read(_ client: Int32, _ count: Int) -> [UInt8]? {
        var bytes = XBytes.zeros(count)
        return count == 0 || recv(client, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
    }

    private static func write(_ client: Int32, _ bytes: [UInt8]) -> Bool {
        send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }
}
