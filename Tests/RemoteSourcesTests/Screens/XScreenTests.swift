import CLinux
import Foundation
import Glibc
import Media
import Testing

@testable import RemoteSources

/// Screens of X servers that lie, refuse or are silent. One after the other, since one looks at the memory of this process.
@Suite("Screens of X servers that lie", .serialized)
struct XScreenTests {
    private typealias Request = LyingDisplay.Request
    private static let sharing: UInt8 = 140

    /// What an honest server without anything on it says.
    private static func honest(
        _ request: Int, _ bytes: [UInt8], extensions: [String: UInt8] = [:], size: (Int, Int) = (640, 360)
    ) -> LyingDisplay.Reaction {
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
        _ display: LyingDisplay, _ rest: String = "", _ cancellation: Cancellation = Cancellation()
    ) throws -> XScreen {
        let address = try SourceAddress(display.selector + rest)
        return try XScreen(address, try #require(address.screen), cancellation)
    }

    /// The error with which something ends.
    private func error(of body: () throws -> Void) -> String {
        do {
            try body()
            return "none"
        } catch {
            return "\(error)"
        }
    }

    @Test("an honest server's screen is seen")
    func seen() throws {
        let display = try LyingDisplay { Self.honest($0, $1) }
        let screen = try screen(display)
        #expect(try screen.look(isForced: true).hasChanged)
        #expect(screen.pixels.size == FrameSize(width: 640, height: 360))
    }

    @Test("a display of depth 30 is refused with a sentence")
    func deep() throws {
        let setup = XBytes.setup(depth: 30, masks: (0x3FF0_0000, 0xFFC00, 0x3FF))
        let display = try LyingDisplay(setup) { Self.honest($0, $1) }
        #expect(error { _ = try screen(display) }.contains("its display has a depth of 30"))
    }

    @Test("a setup that is shorter than its counts is refused")
    func setup() throws {
        let display = try LyingDisplay(XBytes.setup(visuals: 60000)) { Self.honest($0, $1) }
        #expect(error { _ = try screen(display) }.contains("less than X11 demands"))
    }

    @Test("a server that does not say which extensions it has is not waited for without end")
    func silent() throws {
        let cancellation = Cancellation()
        let display = try LyingDisplay { request, bytes in
            guard request == Request.extensions else { return Self.honest(request, bytes) }
            cancellation.cancel()
            // Who waits for the answer without a deadline wakes only then, and finds the server gone.
            sleep(2)
            return .hangUp
        }
        #expect(error { _ = try screen(display, "", cancellation) }.contains("does not answer"))
    }

    @Test(
        "a server that takes a connection and says nothing is not waited for without end, nor by more threads with each try"
    )
    func mute() throws {
        let display = try LyingDisplay([]) { Self.honest($0, $1) }
        for _ in 0..<2 { #expect(error { _ = try screen(display) }.contains("does not answer")) }
        let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        let dialling = tasks.filter { task in
            FileManager.default.contents(atPath: "/proc/self/task/\(task)/comm")
                .map { String(decoding: $0, as: UTF8.self) } == "screen:dial\n"
        }
        #expect(dialling.count == 1)
    }

    @Test("windows that a server counts and does not send are none")
    func windows() throws {
        let display = try LyingDisplay { request, bytes in
            switch request {
            case Request.tree: .answer(XBytes.reply(XBytes.zeros(8) + XBytes.two(60000)))
            case Request.property:
                // A million numbers of 32 bits.
                .answer(XBytes.reply(data: 32, XBytes.zeros(8) + XBytes.four(1_000_000)))
            default: Self.honest(request, bytes)
            }
        }
        #expect(
            error { _ = try screen(display, "?window=Slides") }.contains("shows no window with"))
    }

    @Test("a screen that its server never gives is not recorded as one of two pixels")
    func refused() throws {
        let display = try LyingDisplay { request, bytes in
            request == Request.image ? .refuse : Self.honest(request, bytes)
        }
        let screen = try screen(display)
        #expect(error { _ = try screen.look(isForced: true) }.contains("does not give what it shows"))
    }

    @Test("a picture that is shorter than its size is not taken")
    func cut() throws {
        let display = try LyingDisplay { request, bytes in
            request == Request.image
                ? .answer(XBytes.reply(data: 24, [], rest: XBytes.zeros(64))) : Self.honest(request, bytes)
        }
        let screen = try screen(display)
        #expect(error { _ = try screen.look(isForced: true) }.contains("does not give what it shows"))
    }

    @Test("a screen that its server stops giving is lost, and not shown as it was for ever")
    func stopped() throws {
        let images = ConditionLock(0)
        let display = try LyingDisplay { request, bytes in
            guard request == Request.image else { return Self.honest(request, bytes) }
            let isFirst = images.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? Self.honest(request, bytes) : .refuse
        }
        let screen = try screen(display)
        _ = try screen.look(isForced: true)
        let told = error { for _ in 0..<30 { _ = try screen.look(isForced: true) } }
        #expect(told.contains("does not give what it shows"))
    }

    @Test("sizes without a picture are told", arguments: [(0, 0), (1, 360), (640, 15), (65535, 65535)])
    func tiny(width: Int, height: Int) throws {
        let display = try LyingDisplay { Self.honest($0, $1, size: (width, height)) }
        #expect(error { _ = try screen(display) }.contains("is \(width)x\(height) now"))
    }

    @Test("memory that is to be shared with a server goes back when that server goes meanwhile")
    func attaching() throws {
        let display = try LyingDisplay { request, bytes in
            request == Int(Self.sharing)
                ? .hangUp : Self.honest(request, bytes, extensions: ["MIT-SHM": Self.sharing])
        }
        let screen = try screen(display)
        #expect(error { _ = try screen.look(isForced: true) }.contains("has gone"))
        let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        #expect(!maps.contains("multicam-screen"))
    }

    @Test("a server with which memory is shared cannot take it away from under this process")
    func shrinking() {
        let descriptor = linux_make_memory("test")
        defer { close(descriptor) }
        #expect(ftruncate(descriptor, 8192) == 0)
        #expect(ftruncate(descriptor, 4096) == -1 && errno == EPERM)
    }
}
