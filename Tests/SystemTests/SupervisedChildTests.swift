import Glibc
import MulticamMedia
import Testing

@testable import MulticamSystem

@Suite("Supervised child processes")
struct SupervisedChildTests {
    private static let policy = SupervisedChild.Policy(
        backoff: Backoff(from: .milliseconds(10), to: .milliseconds(20)))

    /// The exits and the output of a supervised shell script.
    private final class Exits: Sendable {
        private let exits = ConditionLock<[SupervisedChild.Exit]>([])
        private let lineCount = ConditionLock(0)

        /// Waits until a script has written a line.
        func waitForOutput() { lineCount.wait { $0 > 0 ? () : nil } }

        func appendLine() { lineCount.broadcast { $0 += 1 } }

        func append(_ exit: SupervisedChild.Exit) { exits.broadcast { $0.append(exit) } }

        /// Waits for a number of exits.
        func first(_ count: Int) throws -> [SupervisedChild.Exit] {
            try #require(
                exits.wait(until: MonotonicClock().now + .seconds(60)) {
                    $0.count >= count ? Array($0.prefix(count)) : nil
                })
        }

        var count: Int { exits.withLock(\.count) }
    }

    private func supervise(
        _ script: String, _ exits: Exits, _ policy: SupervisedChild.Policy = policy, restarts: Bool = true
    ) -> SupervisedChild {
        SupervisedChild(
            thread: "test", policy,
            SupervisedChild.Handler(
                start: {
                    do throws(ProcessError) {
                        let child = try ChildProcess("/bin/sh", ["-c", script])
                        child.readOutput { _ in exits.appendLine() }
                        return .started(child)
                    } catch {
                        return .end
                    }
                },
                exited: { exit in
                    exits.append(exit)
                    return restarts
                }))
    }

    @Test("a process that exits is started again, with its exit status reported each time")
    func restartAfterExit() throws {
        let exits = Exits()
        let child = supervise("exit 7", exits)
        #expect(try exits.first(3).allSatisfy { $0.status == 7 && !$0.isRequested && !$0.wasHung })
        child.end()
    }

    @Test("supervision ends when the handler doesn't want another process")
    func noRestart() throws {
        let exits = Exits()
        supervise("exit 1", exits, restarts: false).join()
        #expect(exits.count == 1)
    }

    @Test("a process that ignores the request to exit is killed")
    func killed() throws {
        let exits = Exits()
        var policy = Self.policy
        policy.exitTimeout = .milliseconds(100)
        let child = supervise("trap '' TERM; echo ready; while :; do sleep 1; done", exits, policy)
        exits.waitForOutput()
        child.end()
        child.join()
        let exit = try #require(try exits.first(1).first)
        #expect(exit.isRequested && exit.status > 128)
    }

    @Test("a process can be ended by closing its input")
    func endOfInput() throws {
        let exits = Exits()
        var policy = Self.policy
        (policy.exitRequest, policy.exitTimeout) = (.endOfInput, .seconds(60))
        let child = supervise("echo ready; read line; exit 3", exits, policy)
        exits.waitForOutput()
        child.end()
        #expect(try exits.first(1).map(\.status) == [3])
    }

    @Test("a process without heartbeats is killed and started again")
    func hung() throws {
        let exits = Exits()
        var policy = Self.policy
        policy.heartbeat = (usual: 1, first: 1)
        let child = supervise("while :; do sleep 1; done", exits, policy)
        #expect(try exits.first(2).allSatisfy { $0.wasHung && $0.status == 128 + SIGKILL })
        child.end()
    }

    @Test("a requested restart starts the next process without asking the handler")
    func requestedRestart() throws {
        let exits = Exits()
        let started = ConditionLock(0)
        let child = SupervisedChild(
            thread: "test", Self.policy,
            SupervisedChild.Handler(
                start: {
                    do throws(ProcessError) {
                        let child = try ChildProcess("/bin/sh", ["-c", "read line"])
                        started.broadcast { $0 += 1 }
                        return .started(child)
                    } catch {
                        return .end
                    }
                },
                exited: { exit in
                    exits.append(exit)
                    return false
                }))
        // The process may not be registered yet when `start` returns, so the request is repeated.
        while exits.count == 0 {
            child.restart()
            MonotonicClock().sleep(until: MonotonicClock().now + .milliseconds(10), unless: Cancellation())
        }
        started.wait { $0 >= 2 ? () : nil }
        #expect(try exits.first(1).first?.isRequested == true)
        child.end()
    }

    @Test("without a need for a process, supervision waits for the next request")
    func wake() throws {
        let attempts = ConditionLock(0)
        let child = SupervisedChild(
            thread: "test", Self.policy,
            SupervisedChild.Handler(
                start: {
                    attempts.broadcast { $0 += 1 }
                    return .idle
                },
                exited: { _ in true }))
        attempts.wait { $0 == 1 ? () : nil }
        child.wake()
        attempts.wait { $0 == 2 ? () : nil }
        child.end()
        child.join()
        #expect(attempts.withLock { $0 } == 2)
    }
}
