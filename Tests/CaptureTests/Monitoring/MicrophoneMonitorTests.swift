import Foundation
import Media
import Testing

@testable import Capture

@Suite("Hearing of microphones that come and go", .serialized)
struct MicrophoneMonitorTests {
    /// What was reported, to be waited for.
    private final class Reports: Sendable {
        enum Report: Equatable {
            case sources([String])
            case failure(DeviceError.Reason)
        }

        private let reports = ConditionLock<[Report]>([])

        func add(_ result: Result<[PulseSource], DeviceError>) {
            reports.broadcast { reports in
                switch result {
                case .success(let sources): reports.append(.sources(sources.map(\.name)))
                case .failure(let error): reports.append(.failure(error.reason))
                }
            }
        }

        /// Takes all reports up to the first that is equal to `report`; all that came within 20 s if there is none.
        func take(until report: Report) -> [Report] {
            let found = reports.wait(until: MonotonicClock().now + .seconds(20)) { reports -> [Report]? in
                guard let index = reports.firstIndex(of: report) else { return nil }
                defer { reports.removeFirst(index + 1) }
                return Array(reports[...index])
            }
            return found ?? reports.withLock { $0 }
        }
    }

    @Test("a source is told when it comes and when it goes; a dead server once, and the next one is found")
    func life() throws {
        let server = try PulseServer("load-module module-sine-source source_name=one")
        let reports = Reports()
        let monitor = MicrophoneMonitor(server: server.address) { reports.add($0) }
        #expect(reports.take(until: .sources(["one"])) == [.sources(["one"])])

        try server.control("load-module", "module-sine-source", "source_name=two")
        #expect(reports.take(until: .sources(["one", "two"])).last == .sources(["one", "two"]))
        try server.control("unload-module", "module-sine-source")
        #expect(reports.take(until: .sources([])).last == .sources([]))

        server.kill()
        let gone = Reports.Report.failure(.noSoundServer("it went away"))
        let told = reports.take(until: gone)
        #expect(told.last == gone)
        try server.start()
        // The next report is that of the new server: the old one's end was told once.
        #expect(reports.take(until: .sources(["one"])) == [.sources(["one"])])
        monitor.stop()
    }

    @Test("no server is told once, with the reason")
    func noServer() throws {
        let reports = Reports()
        let monitor = MicrophoneMonitor(server: "unix:/nonexistent/socket") { reports.add($0) }
        let reason = Reports.Report.failure(.noSoundServer("Connection refused"))
        #expect(reports.take(until: reason) == [reason])
        monitor.stop()
    }

    @Test("waiting for a server that took the call and does not answer can be ended from outside")
    func interruption() throws {
        let server = try DeafServer()
        let interruption = PulseInterruption()
        let failure = ConditionLock<DeviceError?>(nil)
        let thread = MediaThread(name: "caller") {
            do throws(DeviceError) {
                _ = try PulseConnection(
                    server: server.address, timeLimit: .seconds(1_000_000), interruption: interruption)
            } catch {
                failure.withLock { $0 = error }
            }
        }
        server.waitForCall()
        interruption.interrupt()
        // Returns only if the wait has ended.
        thread.join()
        #expect(failure.withLock { $0 } != nil)
    }
}
