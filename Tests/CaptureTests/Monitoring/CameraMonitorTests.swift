import Foundation
import MulticamMedia
import Testing

@testable import MulticamCapture

@Suite("Monitoring of camera nodes")
struct CameraMonitorTests {
    /// Counts calls, and lets a test wait for them.
    private final class Calls: Sendable {
        private let count = ConditionLock(0)

        func add() { count.broadcast { $0 += 1 } }

        /// Whether more than `count` calls arrive within 120 s.
        func isMore(than count: Int) -> Bool {
            self.count.wait(until: MonotonicClock().now + .seconds(120)) { $0 > count ? true : nil } ?? false
        }

        var value: Int { count.withLock { $0 } }
    }

    @Test("reports when a node appears, changes its permissions, or disappears, and ignores other files")
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

    @Test("calls again at the requested time, even without a change")
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

    @Test("can be stopped while idle, and stopped twice")
    func stop() throws {
        let monitor = try CameraMonitor { nil }
        monitor.stop()
        monitor.stop()
    }
}
