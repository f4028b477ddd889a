import CMulticamMedia
import Glibc
import MulticamMedia
import Testing

@testable import MulticamRemoteSources

@Suite("Redirects of RTSP cameras")
struct RedirectTests {
    /// A listening socket at 127.0.0.1 or another loopback address.
    private struct Listener: ~Copyable {
        let number: Int32
        let port: Int

        init(_ address: UInt32 = 0x7f00_0001) throws {
            number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var place = sockaddr_in()
            place.sin_family = sa_family_t(AF_INET)
            place.sin_addr.s_addr = address.bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let number = number
            let results = withUnsafeMutablePointer(to: &place) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    [bind(number, $0, length), listen(number, 8), getsockname(number, $0, &length)]
                }
            }
            try #require(results == [0, 0, 0])
            port = Int(UInt16(bigEndian: place.sin_port))
        }

        /// Whether a client has connected.
        var hasCaller: Bool {
            var wish = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            return poll(&wish, 1, 0) > 0
        }

        deinit { close(number) }
    }

    /// Answers each request of one connection with a redirect until the client disconnects.
    private static func redirect(_ listener: Int32, to target: String) {
        let connection = accept(listener, nil, nil)
        defer { close(connection) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        var count = 1
        while recv(connection, &buffer, buffer.count, 0) > 0 {
            let answer = "RTSP/1.0 302 Found\r\nCSeq: \(count)\r\nLocation: \(target)\r\n\r\n"
            _ = answer.withCString { send(connection, $0, answer.utf8.count, Int32(MSG_NOSIGNAL)) }
            count += 1
        }
    }

    @Test(
        "redirects to another port, host, path, or protocol are not followed",
        arguments: [
            "rtsp://127.0.0.1:OTHER/a", "rtsp://127.0.0.2:SECOND/a", "rtsp://127.0.0.1:OWN/b",
            "rtsps://127.0.0.1:OTHER/a", "http://127.0.0.1:OTHER/a",
        ])
    func redirects(target: String) throws {
        media_hear_messages()
        let own = try Listener()
        let other = try Listener()
        let second = try Listener(0x7f00_0002)
        let text = target.replacing("OTHER", with: "\(other.port)").replacing(
            "SECOND", with: "\(second.port)"
        )
        .replacing("OWN", with: "\(own.port)")
        let (number, address) = (own.number, try SourceAddress("rtsp://127.0.0.1:\(own.port)/a"))
        let thread = try MediaThread(name: "camera") { Self.redirect(number, to: text) }
        let error = #expect(throws: SourceError.self) {
            _ = try LibraryStream(address, wantsAudio: false, Cancellation())
        }
        thread.join()
        // libavformat itself rejects other protocols, with an error that does not mention the redirect.
        if target.hasPrefix("rtsp:") {
            #expect(error?.description.contains("redirects") == true, "\(error?.description ?? "")")
        }
        #expect(!other.hasCaller && !second.hasCaller && !own.hasCaller)
    }
}
