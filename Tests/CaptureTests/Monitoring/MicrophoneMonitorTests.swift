import Foundation
import MulticamMedia
import Testing

@testable import MulticamCapture

@Suite("Monitoring of microphones", .serialized)
struct MicrophoneMonitorTests {
    /// Collects reports, and lets a test wait for them.
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

        /// Removes and returns all reports up to the first one that equals `report`, or all reports that
        /// arrive within 20 s.
        func dequeue(until report: Report) -> [Report] {
            let found = reports.wait(until: MonotonicClock().now + .seconds(20)) { reports -> [Report]? in
                guard let index = reports.firstIndex(of: report) else { return nil }
                defer { reports.removeFirst(index + 1) }
                return Array(reports[...index])
            }
            return found ?? reports.withLock { $0 }
        }
    }

    @Test("reports appearing and disappearing sources, reports a lost server once, and finds the next")
    func life() throws {
        let server = try PulseServer("load-module module-sine-source source_name=one")
        let reports = Reports()
        let monitor = MicrophoneMonitor(server: server.address) { reports.add($0) }
        #expect(reports.dequeue(until: .sources(["one"])) == [.sources(["one"])])

        try server.control("load-module", "module-sine-source", "source_name=two")
        #expect(reports.dequeue(until: .sources(["one", "two"])).last == .sources(["one", "two"]))
        try server.control("unload-module", "module-sine-source")
        #expect(reports.dequeue(until: .sources([])).last == .sources([]))

        server.kill()
        let gone = Reports.Report.failure(.noSoundServer("the connection was lost"))
        let told = reports.dequeue(until: gone)
        #expect(told.last == gone)
        try server.start()
        // The next report comes from the new server. The loss of the old server was reported only once.
        #expect(reports.dequeue(until: .sources(["one"])) == [.sources(["one"])])
        monitor.stop()
    }

    @Test("reports a missing server once, with the reason")
    func noServer() throws {
        let reports = Reports()
        let monitor = MicrophoneMonitor(server: "unix:/nonexistent/socket") { reports.add($0) }
        let reason = Reports.Report.failure(.noSoundServer("Connection refused"))
        #expect(reports.dequeue(until: reason) == [reason])
        monitor.stop()
    }

    @Test("can interrupt the wait for a server that accepts the connection but never answers")
    func interruption() throws {
        let server = try UnresponsiveServer()
        let interruption = PulseInterruption()
        let failure = ConditionLock<DeviceError?>(nil)
        let thread = MediaThread.startWhenPossible(name: "caller") {
            do throws(DeviceError) {
                _ = try PulseConnection(
                    server: server.address, timeLimit: .seconds(1_000_000), interruption: interruption)
            } catch {
                failure.withLock { $0 = error }
            }
        }
        server.waitForConnection()
        interruption.interrupt()
        // This call returns only if the wait has ended.
        thread.join()
        #expect(failure.withLock { $0 } != nil)
    }
}
