import Foundation
import MulticamKit
import MulticamMedia
import Testing

@testable import MulticamControl

@Suite("Misbehaving clients of the control socket")
struct ControlClientsTests {
    private static let done: ControlServer.Handler = { request throws(ControlError) in
        _ = try SessionCommand.parse(request)
        return ControlServer.Command { _, answer in answer(ControlReply(ok: true, text: "done")) }
    }

    private static func send(_ bytes: some Sequence<UInt8>, to socket: LocalSocket) -> Bool {
        socket.send(Data(bytes)) != nil
    }

    @Test(
        "silent clients and clients with an incomplete request don't delay others"
    )
    func slow() throws {
        let place = try ControlFixture()
        let server = try ControlServer(in: place.folder, handler: Self.done)
        defer { server.stop() }
        let silent = try place.connect()
        let half = try place.connect()
        #expect(Self.send(#"{"words": ["#.utf8, to: half))
        // Both clients connected earlier and stay connected.
        #expect(try ControlClient(place.folder).send(CommandRequest(arguments: ["status"])).ok)
        #expect(Self.send("\"mark\", \"late\"]}\n".utf8, to: half))
        #expect(try ControlFixture.reply(from: half).ok)
        withExtendedLifetime(silent) {}
    }

    @Test("the deadline applies to the whole request, even if bytes keep arriving")
    func deadline() throws {
        let place = try ControlFixture()
        var limits = ControlLoop.Limits()
        limits.clientTimeout = .milliseconds(20)
        let server = try ControlServer(in: place.folder, limits: limits, handler: Self.done)
        defer { server.stop() }
        let dripping = try place.connect()
        let isOver = ConditionLock(false)
        let drip = MediaThread.startWhenPossible(name: "drip") {
            // The loop runs until the server closes the connection.
            while Self.send(" ".utf8, to: dripping), !isOver.withLock({ $0 }) {}
        }
        let reply = try ControlFixture.reply(from: dripping)
        isOver.withLock { $0 = true }
        drip.join()
        #expect(!reply.ok && reply.usage)
        #expect(reply.text.contains("was incomplete after") || reply.text.contains("is longer than"))
        let silent = try place.connect()
        #expect(try ControlFixture.reply(from: silent).text.contains("was incomplete after 0.02 s"))
    }

    @Test("a request is cut off at the maximum length, and the next one is answered")
    func huge() throws {
        let place = try ControlFixture()
        let server = try ControlServer(in: place.folder, handler: Self.done)
        defer { server.stop() }
        let huge = try place.connect()
        let flood = Data(repeating: UInt8(ascii: "a"), count: 10 << 20)
        #expect(!huge.write(line: flood), "nobody reads ten megabytes of it")
        #expect(try ControlClient(place.folder).send(CommandRequest(arguments: ["status"])).ok)
        let tooLong = Array(repeating: "a", count: LocalSocket.longestRequest).joined()
        let error = #expect(throws: ControlError.self) {
            try ControlClient(place.folder).send(CommandRequest(arguments: ["mark", tooLong]))
        }
        #expect(error?.description.contains("Shorten it") == true)
    }

    @Test("the number of connections is limited, and new clients are served by closing silent ones")
    func many() throws {
        let place = try ControlFixture()
        var limits = ControlLoop.Limits()
        limits.connections = 4
        let server = try ControlServer(in: place.folder, limits: limits, handler: Self.done)
        defer { server.stop() }
        let silent = try (0..<12).map { _ in try place.connect() }
        #expect(try ControlClient(place.folder).send(CommandRequest(arguments: ["status"])).ok)
        #expect(silent[0].readLine() == nil, "the first of them has been let go")
    }

    @Test(
        "invalid requests are answered with an error",
        arguments: [
            Data([0xff, 0xfe, 0x80]), Data(#"{"words": ["\ud800"]}"#.utf8), Data(#"{"words": 1e999}"#.utf8),
            Data(#"{"words": []}"#.utf8), Data(#"{"words": [""]}"#.utf8), Data(#"{"words": [null]}"#.utf8),
            Data(String(repeating: "[", count: 60_000).utf8), Data([0]),
        ])
    func senseless(_ request: Data) throws {
        let place = try ControlFixture()
        let server = try ControlServer(in: place.folder, handler: Self.done)
        defer { server.stop() }
        let socket = try place.connect()
        #expect(socket.write(line: request))
        let reply = try ControlFixture.reply(from: socket)
        #expect(!reply.ok && reply.usage)
        #expect(try ControlClient(place.folder).send(CommandRequest(arguments: ["status"])).ok)
    }

    @Test(
        "the server recovers after connections couldn't be accepted for lack of resources"
    )
    func exhausted() throws {
        let place = try ControlFixture()
        let errors = ConditionLock([EMFILE, ENFILE, ENOMEM, ENOBUFS, EPERM])
        var limits = ControlLoop.Limits()
        limits.acceptPause = .milliseconds(1)
        let server = try ControlServer(
            in: place.folder, limits: limits,
            accept: { socket in
                let error = errors.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                return error.map { .refused(errno: $0) } ?? socket.accept()
            }, handler: Self.done)
        defer { server.stop() }
        #expect(try ControlClient(place.folder).send(CommandRequest(arguments: ["status"])).ok)
        #expect(errors.withLock { $0.isEmpty })
    }

    @Test(
        "if no descriptor is left, clients are served one at a time with a reserved descriptor",
        arguments: [EMFILE, ENFILE])
    func reserve(error: Int32) throws {
        let place = try ControlFixture()
        let isRefused = ConditionLock(false)
        var limits = ControlLoop.Limits()
        // Without the reserve, the client would have to wait this long.
        limits.acceptPause = .seconds(3600)
        let server = try ControlServer(
            in: place.folder, limits: limits,
            accept: { socket in
                // Each connection is refused once. After that, the reserve is available.
                let refuses = isRefused.withLock { isRefused in
                    isRefused.toggle()
                    return isRefused
                }
                if !refuses { return socket.accept() }
                var polled = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&polled, 1, 0) > 0 else {
                    isRefused.withLock { $0 = false }
                    return .noConnection
                }
                return .refused(errno: error)
            }, handler: Self.done)
        defer { server.stop() }
        for _ in 0..<3 {
            #expect(try ControlClient(place.folder).send(CommandRequest(arguments: ["status"])).ok)
        }
    }

    @Test("a connection's descriptor is closed on exec and never blocks")
    func flags() throws {
        let place = try ControlFixture()
        try place.folder.make()
        let listener = try LocalSocket()
        try listener.listen(at: place.folder.socketPath(of: getpid()))
        guard case .noConnection = listener.accept() else {
            Issue.record("nobody has connected")
            return
        }
        let client = try place.connect()
        guard case .connected(let accepted) = listener.accept() else {
            Issue.record("somebody has connected")
            return
        }
        #expect(fcntl(accepted.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(accepted.descriptor, F_GETFL) & O_NONBLOCK != 0)
        withExtendedLifetime(client) {}
    }

    @Test(
        "markers and status requests work while another command blocks, each with its own arrival time"
    )
    func blocked() throws {
        let place = try ControlFixture()
        let gate = Cancellation()
        let started = Cancellation()
        let arrivals = ConditionLock<[ClockTime]>([])
        let clock = MonotonicClock()
        let server = try ControlServer(in: place.folder) { request in
            let blocks = request.arguments == ["start"]
            return ControlServer.Command(blocks: blocks) { arrival, answer in
                if blocks {
                    started.cancel()
                    clock.sleep(until: clock.now + .seconds(60), unless: gate)
                } else {
                    arrivals.withLock { $0.append(arrival) }
                }
                answer(ControlReply(ok: true, text: "\(request.arguments)"))
            }
        }
        defer { server.stop() }
        let start = try place.connect()
        #expect(start.write(line: Data(#"{"words": ["start"]}"#.utf8)))
        clock.sleep(until: clock.now + .seconds(60), unless: started)
        let before = clock.now
        #expect(try ControlClient(place.folder).send(CommandRequest(arguments: ["mark", "here"])).ok)
        #expect(try ControlClient(place.folder).send(CommandRequest(arguments: ["status"])).ok)
        let after = clock.now
        gate.cancel()
        #expect(try ControlFixture.reply(from: start).ok)
        let stamps = arrivals.withLock { $0 }
        #expect(stamps.count == 2 && stamps.allSatisfy { before <= $0 && $0 <= after })
    }

    @Test("commands beyond the limit are rejected, but the status stays available")
    func busy() throws {
        let place = try ControlFixture()
        let waiting = ConditionLock<[ControlServer.ReplyHandler]>([])
        var limits = ControlLoop.Limits()
        limits.commands = 2
        let server = try ControlServer(in: place.folder, limits: limits) { request in
            let isImmediate = request.arguments == ["status"]
            return ControlServer.Command(isImmediate: isImmediate) { _, answer in
                if isImmediate { return answer(ControlReply(ok: true, text: "now")) }
                waiting.broadcast { $0.append(answer) }
            }
        }
        defer { server.stop() }
        let markers = try (0..<2).map { _ in try place.connect() }
        for socket in markers { #expect(socket.write(line: Data(#"{"words": ["mark", "later"]}"#.utf8))) }
        let answers = waiting.wait { $0.count == 2 ? $0 : nil }
        let refused = try ControlClient(place.folder).send(CommandRequest(arguments: ["mark", "later"]))
        #expect(!refused.ok && refused.text.contains("2 requests are already in progress"))
        #expect(try ControlClient(place.folder).send(CommandRequest(arguments: ["status"])).text == "now")
        for answer in answers {
            answer(ControlReply(ok: true, text: "marked"))
            answer(ControlReply(ok: true, text: "twice, which nobody hears"))
        }
        for socket in markers { #expect(try ControlFixture.reply(from: socket).text == "marked") }
    }

    @Test("waiting clients are notified when the session ends")
    func ended() throws {
        let place = try ControlFixture()
        let heard = Cancellation()
        let server = try ControlServer(in: place.folder) { _ in
            ControlServer.Command { _, _ in heard.cancel() }
        }
        let mark = try place.connect()
        let silent = try place.connect()
        #expect(mark.write(line: Data(#"{"words": ["mark", "here"]}"#.utf8)))
        let clock = MonotonicClock()
        clock.sleep(until: clock.now + .seconds(60), unless: heard)
        server.stop()
        let reply = try ControlFixture.reply(from: mark)
        #expect(!reply.ok && reply.text == "the session has ended.")
        #expect(silent.readLine() == nil)
    }
}
