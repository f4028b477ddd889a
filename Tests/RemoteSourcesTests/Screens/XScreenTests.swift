import CMulticamLinux
import Foundation
import Glibc
import MulticamMedia
import Testing

@testable import MulticamRemoteSources

/// Tests the screens of X servers that send wrong data, errors, or nothing. The tests run one after the
/// other, because one of them inspects this process's memory.
@Suite("Screens of faulty X servers", .serialized)
struct XScreenTests {
    private typealias Request = ScriptedDisplay.Request
    private static let sharing: UInt8 = 140

    /// Returns the replies of a correct server with an empty screen.
    private static func wellFormedReply(
        _ request: Int, _ bytes: [UInt8], extensions: [String: UInt8] = [:], size: (Int, Int) = (640, 360)
    ) -> ScriptedDisplay.Reaction {
        switch request {
        case Request.attributes:
            .answer(XBytes.reply(XBytes.four(33) + XBytes.zeros(14) + [2], rest: XBytes.zeros(12)))
        case Request.geometry:
            .answer(
                XBytes.reply(
                    data: 24,
                    XBytes.four(0x100) + XBytes.zeros(4) + XBytes.two(size.0) + XBytes.two(size.1)))
        case Request.extensions:
            extensions.first { bytes[8...].starts(with: $0.key.utf8) }.map {
                .answer(XBytes.reply([1, $0.value, 90, 0]))
            } ?? .answer(XBytes.reply([]))
        case Request.focus, Request.tree: .answer(XBytes.reply([]))
        case Request.atom: .answer(XBytes.reply(XBytes.four(300)))
        case Request.property: .answer(XBytes.reply([]))
        case Request.image: .answer(XBytes.reply(data: 24, [], rest: XBytes.zeros(size.0 * size.1 * 4)))
        default: .silence
        }
    }

    private func screen(
        _ display: ScriptedDisplay, _ rest: String = "", _ cancellation: Cancellation = Cancellation()
    ) throws -> XScreen {
        let address = try SourceAddress(display.selector + rest)
        return try XScreen(address, try #require(address.screen), cancellation)
    }

    /// Returns the error thrown by `body`.
    private func error(of body: () throws -> Void) -> String {
        do {
            try body()
            return "none"
        } catch {
            return "\(error)"
        }
    }

    @Test("the screen of a correct server is captured")
    func seen() throws {
        let display = try ScriptedDisplay { Self.wellFormedReply($0, $1) }
        let screen = try screen(display)
        #expect(try screen.capture(isForced: true).hasChanged)
        #expect(screen.pixels.size == FrameSize(width: 640, height: 360))
    }

    @Test("a display of depth 30 is rejected with an explanation")
    func deep() throws {
        let setup = XBytes.setup(depth: 30, masks: (0x3FF0_0000, 0xFFC00, 0x3FF))
        let display = try ScriptedDisplay(setup) { Self.wellFormedReply($0, $1) }
        #expect(error { _ = try screen(display) }.contains("display has a depth of 30"))
    }

    @Test("a setup that is shorter than its counts is rejected")
    func setup() throws {
        let display = try ScriptedDisplay(XBytes.setup(visuals: 60000)) { Self.wellFormedReply($0, $1) }
        #expect(error { _ = try screen(display) }.contains("an incomplete X11 setup"))
    }

    @Test("waiting for a server that never lists its extensions times out")
    func silent() throws {
        let cancellation = Cancellation()
        let display = try ScriptedDisplay { request, bytes in
            guard request == Request.extensions else { return Self.wellFormedReply(request, bytes) }
            cancellation.cancel()
            // A client that waits without a deadline wakes only now, and finds that the server has
            // disconnected.
            sleep(2)
            return .hangUp
        }
        #expect(error { _ = try screen(display, "", cancellation) }.contains("is not responding"))
    }

    @Test(
        "waiting for a server that accepts a connection but never replies times out, and retries do not add threads"
    )
    func mute() throws {
        let display = try ScriptedDisplay([]) { Self.wellFormedReply($0, $1) }
        for _ in 0..<2 { #expect(error { _ = try screen(display) }.contains("is not responding")) }
        let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        let dialling = tasks.filter { task in
            FileManager.default.contents(atPath: "/proc/self/task/\(task)/comm")
                .map { String(decoding: $0, as: UTF8.self) } == "screen:dial\n"
        }
        #expect(dialling.count == 1)
    }

    @Test("windows that a server counts but does not send are ignored")
    func windows() throws {
        let display = try ScriptedDisplay { request, bytes in
            switch request {
            case Request.tree: .answer(XBytes.reply(XBytes.zeros(8) + XBytes.two(60000)))
            case Request.property:
                // The reply contains a million numbers of 32 bits.
                .answer(XBytes.reply(data: 32, XBytes.zeros(8) + XBytes.four(1_000_000)))
            default: Self.wellFormedReply(request, bytes)
            }
        }
        #expect(
            error { _ = try screen(display, "?window=Slides") }.contains("does not have a window with"))
    }

    @Test("a server that always refuses to send the screen's image causes an error")
    func refused() throws {
        let display = try ScriptedDisplay { request, bytes in
            request == Request.image ? .refuse : Self.wellFormedReply(request, bytes)
        }
        let screen = try screen(display)
        #expect(error { _ = try screen.capture(isForced: true) }.contains("did not return an image"))
    }

    @Test("an image that is shorter than its size is rejected")
    func cut() throws {
        let display = try ScriptedDisplay { request, bytes in
            request == Request.image
                ? .answer(XBytes.reply(data: 24, [], rest: XBytes.zeros(64)))
                : Self.wellFormedReply(request, bytes)
        }
        let screen = try screen(display)
        #expect(error { _ = try screen.capture(isForced: true) }.contains("did not return an image"))
    }

    @Test("a screen is lost, not frozen, if the server stops sending images")
    func stopped() throws {
        let images = ConditionLock(0)
        let display = try ScriptedDisplay { request, bytes in
            guard request == Request.image else { return Self.wellFormedReply(request, bytes) }
            let isFirst = images.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? Self.wellFormedReply(request, bytes) : .refuse
        }
        let screen = try screen(display)
        _ = try screen.capture(isForced: true)
        let told = error { for _ in 0..<30 { _ = try screen.capture(isForced: true) } }
        #expect(told.contains("did not return an image"))
    }

    @Test("unusable screen sizes are reported", arguments: [(0, 0), (1, 360), (640, 15), (65535, 65535)])
    func tiny(width: Int, height: Int) throws {
        let display = try ScriptedDisplay { Self.wellFormedReply($0, $1, size: (width, height)) }
        #expect(error { _ = try screen(display) }.contains("is now \(width)x\(height)"))
    }

    @Test("shared memory is released if the server disconnects while attaching it")
    func attaching() throws {
        let display = try ScriptedDisplay { request, bytes in
            request == Int(Self.sharing)
                ? .hangUp : Self.wellFormedReply(request, bytes, extensions: ["MIT-SHM": Self.sharing])
        }
        let screen = try screen(display)
        #expect(error { _ = try screen.capture(isForced: true) }.contains("X server exited"))
        let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        #expect(!maps.contains("multicam-screen"))
    }

    @Test("a server can't shrink the memory shared with it")
    func shrinking() {
        let descriptor = linux_make_memory("test")
        defer { close(descriptor) }
        #expect(ftruncate(descriptor, 8192) == 0)
        #expect(ftruncate(descriptor, 4096) == -1 && errno == EPERM)
    }
}
