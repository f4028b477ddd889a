import Foundation
import MulticamMedia
import Testing

@testable import MulticamSystem

@Suite("Child processes", .timeLimit(.minutes(240)))
struct ChildProcessTests {
    /// Starts a shell with a child that inherits its three streams and outlives it, like a debugger attached
    /// after a crash.
    private func shell(_ script: String) throws -> ChildProcess {
        // Without `<&0`, the standard input of a background process of a non-interactive shell would be
        // /dev/null.
        try ChildProcess("/bin/sh", ["-c", "sleep 600 <&0 & \(script)"])
    }

    /// Kills the processes started by the shell.
    private func end(_ child: ChildProcess) { kill(-child.processID, SIGKILL) }

    @Test("all output up to the exit is read, even if another process keeps the pipes open")
    func exit() throws {
        let child = try shell("echo one; echo two; echo three >&2; printf four; exit 3")
        let lines = ConditionLock<(output: [String], errors: [String], ended: Int)>(([], [], 0))
        let isOver: @Sendable () -> Void = { lines.broadcast { $0.ended += 1 } }
        child.readOutput({ line in lines.withLock { $0.output.append(line) } }, whenOver: isOver)
        child.readMessages({ line in lines.withLock { $0.errors.append(line) } }, whenOver: isOver)
        #expect(child.wait() == 3)
        let read = lines.wait { $0.ended == 2 ? $0 : nil }
        #expect(read.output == ["one", "two", "four"] && read.errors == ["three"])
        end(child)
    }

    @Test("an exited process releases its descriptors, even if another process keeps the pipes open")
    func release() throws {
        let group: Int32
        weak var released: ChildProcess?
        do {
            let child = try shell("exit 0")
            (group, released) = (child.processID, child)
            child.readOutput { _ in }
            child.readMessages { _ in }
            // The text is longer than the capacity of a pipe, so that the writing thread blocks.
            for _ in 0..<40 { child.send(String(repeating: "x", count: 10_000)) }
            #expect(child.wait() == 0)
        }
        while released != nil { usleep(1000) }
        kill(-group, SIGKILL)
    }

    @Test("a process receives all data written before the end of its input, regardless of the size")
    func input() throws {
        let child = try ChildProcess("/bin/sh", ["-c", "wc -c"])
        let count = ConditionLock<String?>(nil)
        child.readOutput { line in count.broadcast { $0 = line } }
        for _ in 0..<40 { child.send(String(repeating: "x", count: 9_999)) }
        child.closeInput()
        #expect(child.wait() == 0)
        #expect(count.wait { $0 }.trimmingCharacters(in: .whitespaces) == "400000")
    }
}
