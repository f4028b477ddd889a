internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSystem

/// A system program that runs during this process's lifetime and is restarted when it exits. Safe to use from any
/// thread.
final class SupervisedProgram: Sendable {
    private let supervision: SupervisedChild

    /// Delay before the program is restarted.
    private static let restartDelay = Nanoseconds.seconds(1)

    /// Starts a program after terminating any instance left running by an earlier process.
    ///
    /// - Parameters:
    ///   - name: The program's name.
    ///   - arguments: The program's arguments.
    ///   - pidFile: The program's PID file.
    ///   - package: The package that contains the program.
    ///   - messageHandler: Receives human-readable messages, on any thread.
    /// - Throws: `GroupError` if the program isn't installed.
    init(
        _ name: String, _ arguments: [String], pidFile: String, package: String,
        messageHandler: @escaping @Sendable (String) -> Void
    ) throws(GroupError) {
        guard let program = Self.path(of: name) else {
            throw GroupError("\(name) is not installed. Install the package \(package).")
        }
        Self.endFormer(name, pidFile)
        // The program's messages aren't shown while the program is running. The last message is reported when the program
        // exits.
        let lastMessage = ConditionLock("")
        supervision = SupervisedChild(
            thread: "kept:\(name)",
            SupervisedChild.Policy(backoff: Backoff(from: Self.restartDelay, to: Self.restartDelay)),
            SupervisedChild.Handler(
                start: {
                    lastMessage.withLock { $0 = "" }
                    do throws(ProcessError) {
                        let child = try ChildProcess(program, arguments)
                        child.readOutput { _ in }
                        child.readMessages { line in lastMessage.withLock { $0 = line } }
                        child.closeInput()
                        return .started(child)
                    } catch {
                        messageHandler(error.description)
                        return .retry
                    }
                },
                exited: { exit in
                    guard !exit.isRequested else { return true }
                    let words = lastMessage.withLock { $0 }.printable(limit: 300)
                    messageHandler(
                        "\(name) exited with status \(exit.status) and is being restarted. \(words)")
                    return true
                }))
    }

    /// Searches for a program and returns its path. The search is needed because daemons are often installed
    /// in folders that aren't in a user's `PATH`.
    static func path(of name: String) -> String? {
        ProgramPath.named(name)
            ?? ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin"].map { "\($0)/\(name)" }.first {
                access($0, X_OK) == 0
            }
    }

    /// Reads a process ID from a PID file, and terminates the process if it is an instance of the program.
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

    /// Restarts the program immediately with its current configuration.
    func restart() { supervision.restart() }

    /// Terminates the program and waits up to three seconds for it to exit.
    func end() { supervision.end() }
}
