import Foundation
import Media
import Testing

@testable import Capture

@Suite("Hearing of cameras that come and go")
struct CameraMonitorTests {
    /// Counts calls, to be waited for.
    private final class Calls: Sendable {
        private let count = ConditionLock(0)

        func add() { count.broadcast { $0 += 1 } }

        /// Whether more than `count` came within 120 s.
        func isMore(than count: Int) -> Bool {
            self.count.wait(until: MonotonicClock().now + .seconds(120)) { $0 > count ? true : nil } ?? false
        }

        var value: Int { count.withLock { $0 } }
    }

    @Test("a node that appears, gets other permissions or vanishes is told each time; other files are not")
    func nodes() throws {
        let folder = try TemporaryFolder()
        let calls = Calls()
        let monitor = try CameraMonitor(nodes: folder.path) {
            calls.add()
            return nil
        }
        try folder.write("null", in: ".", "")
        try folder.write("video7", in: ".", "")
        #expect(calls.isMore(than: 0))
        var before = calls.value
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: "\(folder.path)/video7")
        #expect(calls.isMore(than: before))
        before = calls.value
        try FileManager.default.removeItem(atPath: "\(folder.path)/video7")
        #expect(calls.isMore(than: before))
        monitor.stop()
        before = calls.value
        try folder.write("video8", in: ".", "")
        #expect(calls.value == before)
    }

    @Test("what asks to be called again is called when its time has come, without any news")
    func deadline() throws {
        let folder = try TemporaryFolder()
        let calls = Calls()
        let monitor = try CameraMonitor(nodes: folder.path) {
            calls.add()
            return MonotonicClock().now + .milliseconds(1)
        }
        try folder.write("video7", in: ".", "")
        #expect(calls.isMore(than: 20))
        monitor.stop()
    }

    @Test("it stops while nothing happens, and twice is once")
    func stop() throws {
        let monitor = try CameraMonitor { nil }
        monitor.stop()
        monitor.stop()
    }
}
