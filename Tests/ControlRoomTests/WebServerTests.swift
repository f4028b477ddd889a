import Foundation
import Glibc
import MulticamMedia
import Testing

@testable import MulticamControlRoom
@testable import MulticamStudio

@Suite("Web server with malicious clients")
struct WebServerTests {
    /// A server on a thread with its event loop. The test's sockets are the server's clients.
    private final class ServerFixture: Sendable {
        let port: Int
        private let token: AccessToken
        private let phoneToken: AccessToken
        /// The time for the server's check of late requests; `nil` if there is no check.
        let time = ConditionLock<ClockTime?>(nil)
        private let folder = FileManager.default.temporaryDirectory.appending(
            path: "served-\(UUID().uuidString)")
        private let ended = ConditionLock(false)
        private let isOver = ConditionLock(false)

        init(isEncrypted: Bool = false) throws {
            let (token, phoneToken) = (AccessToken.random(), AccessToken.random())
            (self.token, self.phoneToken) = (token, phoneToken)
            let (listening, ended, isOver) = (ConditionLock<Int?>(nil), ended, isOver)
            let certificate =
                isEncrypted
                ? try SelfSignedCertificate.path(in: folder.path, names: ["localhost"], addresses: []) : nil
            let time = time
            _ = try MediaThread(name: "served") {
                let loop = WebLoop()
                let guardian = WebAccessPolicy(
                    token: token, readToken: .random(), phoneToken: phoneToken, isEncrypted: isEncrypted)
                var links: [WebSocketConnection] = []
                do throws(WebError) {
                    let loaded = try certificate.map { (path) throws(WebError) in try WebCertificate(path) }
                    let server = WebServer(
                        loaded, guardian, respond: { $0.respond(with: WebResponse(200, json: "{}")) },
                        admit: { link, _ in
                            link.textReceived = { [unowned link] in link.send("\($0.utf8.count) characters") }
                            link.bytesReceived = { [unowned link] in link.send("\($0.count) bytes") }
                            links.append(link)
                        })
                    let port = try server.listen(address: "127.0.0.1", port: 0)
                    listening.broadcast { $0 = port }
                    loop.every(.milliseconds(20)) {
                        if let now = time.withLock({ $0 }) { server.closeExpiredRequests(at: now) }
                        if ended.withLock({ $0 }) { loop.quit() }
                    }
                    loop.run()
                } catch {
                    listening.broadcast { $0 = 0 }
                }
                isOver.broadcast { $0 = true }
            }
            port = listening.wait { $0 }
            #expect(port > 0)
        }

        func end() {
            ended.withLock { $0 = true }
            isOver.wait { $0 ? () : nil }
            do { try FileManager.default.removeItem(at: folder) } catch { return }
        }

        func connect() throws -> Int32 {
            let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(UInt16(port).bigEndian)
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            try #require(result == 0)
            // The timeout makes the test fail instead of blocking if the server never answers.
            var patience = timeval(tv_sec: 30, tv_usec: 0)
            setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
            return number
        }

        /// Returns the response to a request, up to the end of its header.
        func answer(_ head: String, over number: Int32) -> String {
            let text = head + "\r\n\r\n"
            _ = text.withCString { Glibc.send(number, $0, text.utf8.count, Int32(MSG_NOSIGNAL)) }
            var answer: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while !answer.reversed().starts(with: [10, 13, 10, 13]), !answer.contains(UInt8(ascii: "{")) {
                let count = recv(number, &buffer, buffer.count, 0)
                guard count > 0 else { break }
                answer += buffer.prefix(count)
            }
            return String(decoding: answer, as: UTF8.self)
        }

        var request: String { "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)" }

        /// Opens a WebSocket as a phone or as a page.
        func open(phone: Bool) throws -> Int32 {
            let socket = try connect()
            var head = upgrade
            if phone {
                head = head.replacing("/api/v1/socket", with: "/api/v1/phone-socket?token=\(phoneToken.text)")
                    .replacing(
                        "Authorization: Bearer \(token.text)", with: "Origin: http://127.0.0.1:\(port)")
            }
            let answer = answer(head, over: socket)
            #expect(answer.hasPrefix("HTTP/1.1 101"), "\(answer)")
            return socket
        }

        /// Sends a WebSocket frame, masked with zeros.
        func send(_ opcode: UInt8, _ content: [UInt8], isFinal: Bool, over socket: Int32) {
            var frame: [UInt8] = [(isFinal ? 0x80 : 0) | opcode]
            if content.count < 126 {
                frame.append(0x80 | UInt8(content.count))
            } else if content.count < 1 << 16 {
                frame += [0x80 | 126, UInt8(content.count >> 8), UInt8(content.count & 255)]
            } else {
                frame.append(0x80 | 127)
                frame += (0..<8).reversed().map { UInt8(content.count >> (8 * $0) & 255) }
            }
            frame += [0, 0, 0, 0] + content
            var sent = 0
            while sent < frame.count {
                let count = frame[sent...].withUnsafeBytes {
                    Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                sent += count
            }
        }

        /// The opcode and content of the next frame other than a ping, or `nil` at the end of the connection.
        func receive(over socket: Int32) -> (opcode: UInt8, content: [UInt8])? {
            while true {
                var head: [UInt8] = [0, 0]
                guard recv(socket, &head, 2, Int32(MSG_WAITALL)) == 2, head[1] < 126 else { return nil }
                var content = [UInt8](repeating: 0, count: Int(head[1]))
                guard
                    content.isEmpty
                        || recv(socket, &content, content.count, Int32(MSG_WAITALL)) == content.count
                else { return nil }
                if head[0] & 15 != 9 { return (head[0] & 15, content) }
            }
        }

        var upgrade: String {
            """
            GET /api/v1/socket HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            Authorization: Bearer \(token.text)\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r
            Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits, permessage-deflate
            """
        }
    }

    @Test("no compression is negotiated, so that message sizes equal their bytes on the wire")
    func deflate() throws {
        let served = try ServerFixture()
        defer { served.end() }
        let socket = try served.connect()
        defer { close(socket) }
        let answer = served.answer(served.upgrade, over: socket)
        #expect(answer.hasPrefix("HTTP/1.1 101"), "\(answer)")
        #expect(!answer.lowercased().contains("sec-websocket-extensions"), "\(answer)")
    }

    @Test(
        "the size limit applies to a message of many frames: a longer one closes the connection with code 1009",
        arguments: [
            (phone: false, opcode: 1, frame: 10_000), (phone: false, opcode: 2, frame: 10_000),
            (phone: true, opcode: 1, frame: 10_000), (phone: true, opcode: 2, frame: 3 << 20),
        ] as [(phone: Bool, opcode: UInt8, frame: Int)])
    func longMessage(phone: Bool, opcode: UInt8, frame: Int) throws {
        let served = try ServerFixture()
        defer { served.end() }
        let socket = try served.open(phone: phone)
        defer { close(socket) }
        let content = [UInt8](repeating: UInt8(ascii: " "), count: frame)
        served.send(opcode, content, isFinal: false, over: socket)
        // A ping may arrive between the frames of a message.
        served.send(9, [1], isFinal: true, over: socket)
        #expect(served.receive(over: socket)?.opcode == 10)
        served.send(0, content, isFinal: false, over: socket)
        let answer = try #require(served.receive(over: socket))
        #expect(answer.opcode == 8 && answer.content.starts(with: [0x03, 0xF1]), "\(answer)")
    }

    @Test("messages of several frames are reassembled, regardless of their number", arguments: [false, true])
    func severalFrames(phone: Bool) throws {
        let served = try ServerFixture()
        defer { served.end() }
        let socket = try served.open(phone: phone)
        defer { close(socket) }
        // In total, these frames exceed the size limit of a single message.
        for _ in 0..<3 {
            served.send(1, [UInt8](repeating: UInt8(ascii: " "), count: 10_000), isFinal: false, over: socket)
            served.send(0, Array("x".utf8), isFinal: true, over: socket)
            served.send(2, [1, 2], isFinal: false, over: socket)
            served.send(0, [3], isFinal: true, over: socket)
        }
        var bytes = 0
        while bytes < 3, let message = served.receive(over: socket) {
            let text = String(decoding: message.content, as: UTF8.self)
            #expect(message.opcode == 1 && ["10001 characters", "3 bytes"].contains(text), "\(text)")
            if text == "3 bytes" { bytes += 1 }
        }
        #expect(bytes == 3)
    }

    @Test(
        "hundreds of clients with unfinished requests do not block a new one: the oldest are disconnected"
    )
    func slow() throws {
        let served = try ServerFixture()
        defer { served.end() }
        var slow: [Int32] = []
        defer { for socket in slow { close(socket) } }
        let beginning = "GET / HTTP/1.1\r\nHo"
        for index in 0..<400 {
            let socket = try served.connect()
            slow.append(socket)
            // Half of the clients send nothing; the others send an incomplete request.
            if index % 2 == 0 { continue }
            _ = beginning.withCString {
                send(socket, $0, beginning.utf8.count, Int32(MSG_NOSIGNAL))
            }
        }
        let socket = try served.connect()
        defer { close(socket) }
        #expect(served.answer(served.request, over: socket).hasPrefix("HTTP/1.1 200"))
        // The first client was disconnected, so its connection ends without a timeout.
        var byte: UInt8 = 0
        #expect(recv(slow[0], &byte, 1, 0) == 0)
        // The newest client is still connected and can finish its request.
        let rest = "st: 127.0.0.1:\(served.port)"
        #expect(served.answer(rest, over: slow[399]).hasPrefix("HTTP/1.1 200"))
    }

    @Test(
        "silent clients do not block TLS handshakes: all but the newest are disconnected, even without new clients"
    )
    func silentHandshakes() throws {
        let served = try ServerFixture(isEncrypted: true)
        defer { served.end() }
        var silent: [Int32] = []
        defer { for socket in silent { close(socket) } }
        for _ in 0..<40 { silent.append(try served.connect()) }
        // The time is after the limit for handshakes, but before the limit for requests, which is 10 s after
        // the connection.
        served.time.withLock { $0 = MonotonicClock().now + .seconds(8) }
        // The connections end without a timeout. Otherwise, `recv` would fail at its time limit.
        for socket in silent.dropLast(8) {
            var byte: UInt8 = 0
            #expect(recv(socket, &byte, 1, 0) == 0 || errno == ECONNRESET)
        }
    }
}
