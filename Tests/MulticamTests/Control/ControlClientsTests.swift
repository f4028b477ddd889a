import Foundation
import Media
import Testing

@testable import Control

@Suite("Clients of the control socket that misbehave")
struct ControlClientsTests {
    private static let done: ControlServer.Handler = { _, _, answer in
        answer(ControlReply(ok: true, text: "done"))
    }

    private static func send(_ bytes: some Sequence<UInt8>, to socket: LocalSocket) -> Bool {
        socket.send(Data(bytes)) != nil
    }

    @Test(
        "do not keep others waiting: neither one that says nothing, nor one that has said half of its request"
    )
    func slow() throws {
        let place = try ControlPlace()
        let server = try ControlServer(in: place.folder, handler: Self.done)
        defer { server.stop() }
        let silent = try place.connect()
        let half = try place.connect()
        #expect(Self.send(#"{"words": ["#.utf8, to: half))
        // Both are connected before it, and stay.
        #expect(try ControlClient(place.folder).ask(CommandRequest(words: ["status"])).ok)
        #expect(Self.send("\"mark\", \"late\"]}\n".utf8, to: half))
        #expect(try ControlPlace.reply(from: half).ok)
        withExtendedLifetime(silent) {}
    }

    @Test("have a deadline for the whole request, however often they send a byte")
    func deadline() throws {
        let place = try ControlPlace()
        var limits = ControlLoop.Limits()
        limits.patience = .milliseconds(20)
        let server = try ControlServer(in: place.folder, limits: limits, handler: Self.done)
        defer { server.stop() }
        let dripping = try place.connect()
        let isOver = ConditionLock(false)
        let drip = MediaThread(name: "drip") {
            // Until the server has closed the connection.
            while Self.send(" ".utf8, to: dripping), !isOver.withLock({ $0 }) {}
        }
        let reply = try ControlPlace.reply(from: dripping)
        isOver.withLock { $0 = true }
        drip.join()
        #expect(!reply.ok && reply.usage)
        #expect(reply.text.contains("did not come whole") || reply.text.contains("is longer than"))
        let silent = try place.connect()
        #expect(try ControlPlace.reply(from: silent).text.contains("did not come whole within 0.02 s"))
    }

    @Test("are cut off at the longest request, and the next one is answered")
    func huge() throws {
        let place = try ControlPlace()
        let server = try ControlServer(in: place.folder, handler: Self.done)
        defer { server.stop() }
        let huge = try place.connect()
        let flood = Data(repeating: UInt8(ascii: "a"), count: 10 << 20)
        #expect(!huge.write(line: flood), "nobody reads ten megabytes of it")
        #expect(try ControlClient(place.folder).ask(CommandRequest(words: ["status"])).ok)
        let tooLong = Array(repeating: "a", count: LocalSocket.longestRequest).joined()
        let error = #expect(throws: ControlError.self) {
            try ControlClient(place.folder).ask(CommandRequest(words: ["mark", tooLong]))
        }
        #expect(error?.description.contains("say it shorter") == true)
    }

    @Test("are so many at the most, and whoever comes later is served before those that say nothing")
    func many() throws {
        let place = try ControlPlace()
        var limits = ControlLoop.Limits()
        limits.connections = 4
        let server = try ControlServer(in: place.folder, limits: limits, handler: Self.done)
        defer { server.stop() }
        let silent = try (0..<12).map { _ in try place.connect() }
        #expect(try ControlClient(place.folder).ask(CommandRequest(words: ["status"])).ok)
        #expect(silent[0].readLine() == nil, "the first of them has been let go")
    }

    @Test(
        "send what is no request, and are told so",
        arguments: [
            Data([0xff, 0xfe, 0x80]), Data(#"{"words": ["\ud800"]}"#.utf8), Data(#"{"words": 1e999}"#.utf8),
            Data(#"{"words": []}"#.utf8), Data(#"{"words": [""]}"#.utf8), Data(#"{"words": [null]}"#.utf8),
            Data(String(repeating: "[", count: 60_000).utf8), Data([0]),
        ])
    func senseless(_ request: Data) throws {
        let place = try ControlPlace()
        let server = try ControlServer(in: place.folder, handler: Self.done)
        defer { server.stop() }
        let socket = try place.connect()
        #expect(socket.write(line: request))
        let reply = try ControlPlace.reply(from: socket)
        #expect(!reply.ok && reply.usage)
        #expect(try ControlClient(place.folder).ask(CommandRequest(words: ["status"])).ok)
    }

    @Test(
        "survive nothing but their own request when the system has no descriptor left: later it answers again"
    )
    func exhausted() throws {
        let place = try ControlPlace()
        let errors = ConditionLock([EMFILE, ENFILE, ENOMEM, ENOBUFS, EPERM])
        var limits = ControlLoop.Limits()
        limits.pause = .milliseconds(1)
        let server = try ControlServer(
            in: place.folder, limits: limits,
            accept: { socket in
                let error = errors.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                return error.map { .refused(errno: $0) } ?? socket.accept()
            }, handler: Self.done)
        defer { server.stop() }
        #expect(try ControlClient(place.folder).ask(CommandRequest(words: ["status"])).ok)
        #expect(errors.withLock { $0.isEmpty })
    }

    @Test("a descriptor of a connection is closed when another program is started, and never blocks")
    func flags() throws {
        let place = try ControlPlace()
        try place.folder.make()
        let listener = try LocalSocket()
        try listener.listen(at: place.folder.socketPath(of: getpid()))
        guard case .nobody = listener.accept() else {
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
        "a mark is set and the status told while another command blocks its thread; each has its own arrival")
    func blocked() throws {
        let place = try ControlPlace()
        let gate = Cancellation()
        let started = Cancellation()
        let arrivals = ConditionLock<[ClockTime]>([])
        let clock = MonotonicClock()
        let server = try ControlServer(in: place.folder) { command, arrival, answer in
            if command == .start() {
                started.cancel()
                clock.sleep(until: clock.now + .seconds(60), unless: gate)
            } else {
                arrivals.withLock { $0.append(arrival) }
            }
            answer(ControlReply(ok: true, text: "\(command)"))
        }
        defer { server.stop() }
        let start = try place.connect()
        #expect(start.write(line: Data(#"{"words": ["start"]}"#.utf8)))
        clock.sleep(until: clock.now + .seconds(60), unless: started)
        let before = clock.now
        #expect(try ControlClient(place.folder).ask(CommandRequest(words: ["mark", "here"])).ok)
        #expect(try ControlClient(place.folder).ask(CommandRequest(words: ["status"])).ok)
        let after = clock.now
        gate.cancel()
        #expect(try ControlPlace.reply(from: start).ok)
        let stamps = arrivals.withLock { $0 }
        #expect(stamps.count == 2 && stamps.allSatisfy { before <= $0 && $0 <= after })
    }

    @Test("more commands than may wait are refused with a sentence; the status is told all the same")
    func busy() throws {
        let place = try ControlPlace()
        let waiting = ConditionLock<[ControlServer.Answer]>([])
        var limits = ControlLoop.Limits()
        limits.commands = 2
        let server = try ControlServer(in: place.folder, limits: limits) { command, _, answer in
            guard command == .mark("later") else { return answer(ControlReply(ok: true, text: "now")) }
            waiting.broadcast { $0.append(answer) }
        }
        defer { server.stop() }
        let marks = try (0..<2).map { _ in try place.connect() }
        for socket in marks { #expect(socket.write(line: Data(#"{"words": ["mark", "later"]}"#.utf8))) }
        let answers = waiting.wait { $0.count == 2 ? $0 : nil }
        let refused = try ControlClient(place.folder).ask(CommandRequest(words: ["mark", "later"]))
        #expect(!refused.ok && refused.text.contains("2 requests are being worked on already"))
        #expect(try ControlClient(place.folder).ask(CommandRequest(words: ["status"])).text == "now")
        for answer in answers {
            answer(ControlReply(ok: true, text: "marked"))
            answer(ControlReply(ok: true, text: "twice, which nobody hears"))
        }
        for socket in marks { #expect(try ControlPlace.reply(from: socket).text == "marked") }
    }

    @Test("whoever still waits when the session ends is told so")
    func ended() throws {
        let place = try ControlPlace()
        let heard = Cancellation()
        let server = try ControlServer(in: place.folder) { _, _, _ in heard.cancel() }
        let mark = try place.connect()
        let silent = try place.connect()
        #expect(mark.write(line: Data(#"{"words": ["mark", "here"]}"#.utf8)))
        let clock = MonotonicClock()
        clock.sleep(until: clock.now + .seconds(60), unless: heard)
        server.stop()
        let reply = try ControlPlace.reply(from: mark)
        #expect(!reply.ok && reply.text == "the session has ended.")
        #expect(silent.readLine() == nil)
    }
}
