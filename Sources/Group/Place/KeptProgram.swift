internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Processes

/// A program of the system that runs for as long as this one, and is started again when it ends. Safe to use from any thread.
final class KeptProgram: Sendable {
    private struct State {
        var child: ChildProcess?
        var isEnding = false
    }

    private let name: String
    private let pidFile: String
    private let state = ConditionLock(State())
    private let ending = Cancellation()
    private let over = Cancellation()

    /// The pause before it is started again.
    private static let pause = Nanoseconds.seconds(1)

    /// Starts a program, after one that an earlier process has left running.
    ///
    /// - Parameters:
    ///   - name: The program's name.
    ///   - arguments: What follows it.
    ///   - pidFile: The file into which it writes its number.
    ///   - package: The package that has it.
    ///   - say: Gets sentences for people, on any thread.
    /// - Throws: `GroupError` when the program is not installed.
    init(
        _ name: String, _ arguments: [String], pidFile: String, package: String,
        saying say: @escaping @Sendable (String) -> Void
    ) throws(GroupError) {
        (self.name, self.pidFile) = (name, pidFile)
        guard let program = Self.path(of: name) else {
            throw GroupError("\(name) is not installed: install the package \(package).")
        }
        Self.endFormer(name, pidFile)
        _ = MediaThread(name: "kept:\(name)") { [self] in
            while run(program, arguments, say) {}
            over.cancel()
        }
    }

    /// Where a program is; daemons lie where `PATH` of a user may not lead.
    static func path(of name: String) -> String? {
        ProgramPath.named(name)
            ?? ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin"].map { "\($0)/\(name)" }.first {
                access($0, X_OK) == 0
            }
    }

    /// Ends the process that a file names, where it is that program.
    private static func endFormer(_ name: String, _ pidFile: String) {
        guard let bytes = FileManager.default.contents(atPath: pidFile),
            let process = Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)),
            process > 1
        else { return }
        let isSame = { () -> Bool in
            guard let bytes = FileManager.default.contents(atPath: "/proc/\(process)/comm") else {
                return false
            }
            return String(decoding: bytes, as: UTF8.self) == name.prefix(15) + "\n"
        }
        let clock = MonotonicClock()
        let deadline = clock.now + .seconds(5)
        while isSame(), clock.now < deadline {
            kill(process, SIGTERM)
            clock.sleep(until: clock.now + .milliseconds(50), unless: Cancellation())
        }
    }

    /// Runs the program once.
    ///
    /// - Returns: Whether to start it again.
    private func run(_ program: String, _ arguments: [String], _ say: @escaping @Sendable (String) -> Void)
        -> Bool
    {
        let clock = MonotonicClock()
        let last = ConditionLock("")
        do throws(ProcessError) {
            let child = try ChildProcess(program, arguments)
            child.readOutput { _ in }
            // What it says all the time is not for people; its last words are, when it ends.
            child.readMessages { line in last.withLock { $0 = line } }
            child.finish()
            let isEnding = state.withLock { state in
                state.child = child
                return state.isEnding
            }
            if isEnding { child.signal(SIGTERM) }
            let status = child.wait()
            let goesOn = state.withLock { state in
                state.child = nil
                return !state.isEnding
            }
            guard goesOn else { return false }
            let words = last.withLock { $0 }.printable(limit: 300)
            say("\(name) has ended with status \(status), and is started again. \(words)")
        } catch {
            say(error.description)
        }
        return clock.sleep(until: clock.now + Self.pause, unless: ending)
    }

    /// Has the program read its configuration anew.
    func reload() { state.withLock(\.child)?.signal(SIGHUP) }

    /// Ends the program, and waits for that for at most two seconds.
    func end() {
        let child = state.withLock { state in
            state.isEnding = true
            return state.child
        }
        ending.cancel()
        child?.signal(SIGTERM)
        if !over.wait(until: MonotonicClock().now + .seconds(2)) { state.withLock(\.child)?.signal(SIGKILL) }
    }
}
