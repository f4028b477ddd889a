internal import Glibc
internal import Media
internal import Processes
internal import SessionFolder

/// A program of multicam that works beside a session through its media socket: it begins with the first wish of its owner, and is started
/// again and told anew what is wanted when it dies or hangs; nobody waits for it. Secrets reach it on its standard input alone.
///
/// Safe to use from any thread. Its owner may hold a lock of its own when it calls `want`, `say` and `isEnding`.
final class HelperProcess: Sendable {
    private struct State {
        var child: ChildProcess?
        /// When the process last told something.
        var heard = ClockTime(nanoseconds: 0)
        var thread: MediaThread?
        /// Counts what was wanted, so that a thread that gave up sees that it is asked again.
        var wishes = 0
        /// How often in a row the process has died soon.
        var earlyDeaths = 0
        var isEnding = false
    }

    private let name: String
    private let threadName: String
    private let lack: String
    private let socket: String
    private let program: String?
    private let withheld: Set<String>
    private let say: @Sendable (String) -> Void
    private let clock = MonotonicClock()
    private let state = ConditionLock(State())
    private let ending = Cancellation()

    /// The pause before the process is started again the first time.
    private static let firstPause = Nanoseconds.milliseconds(200)
    /// The pause before the process is started again when it dies soon each time.
    private static let pause = Nanoseconds.seconds(1)
    /// A process that lives for so long has not died soon.
    private static let soundLife = Nanoseconds.seconds(10)
    /// A process that is to tell something each second hangs when it is silent for so long.
    private static let longestSilence = Nanoseconds.seconds(10)
    /// How long the process may take to leave at the end.
    private static let patience = Nanoseconds.milliseconds(1500)

    /// Prepares; no process is started yet.
    ///
    /// - Parameters:
    ///   - name: The program's name, such as `multicam-live`.
    ///   - thread: Name of the thread that waits for the process, at most 9 bytes.
    ///   - lack: The beginning of the sentence that says that the program is not there.
    ///   - socket: Path of the media socket.
    ///   - program: The program's path; `nil` where it was not found.
    ///   - withheld: Names of variables of this process that the process does not get.
    ///   - say: Receives what the process complains of, on any thread.
    init(
        _ name: String, thread: String, lack: String, socket: String, program: String?,
        withholding withheld: Set<String>, saying say: @escaping @Sendable (String) -> Void
    ) {
        (self.name, threadName, self.lack, self.socket) = (name, thread, lack, socket)
        (self.program, self.withheld, self.say) = (program, withheld, say)
    }

    /// Whether the end has begun; nothing more can be wanted.
    var isEnding: Bool { state.withLock(\.isEnding) }

    /// Has the process run, since something more is wanted. Its owner lives until `end`.
    func want(for owner: any HelperOwner) {
        state.broadcast { state in
            guard !state.isEnding else { return }
            state.wishes += 1
            guard state.thread == nil else { return }
            state.thread = MediaThread(name: threadName) { [self] in while run(for: owner) {} }
        }
    }

    /// Says a line to the process; without one it is lost, and `HelperOwner.withWishes` tells the next one.
    func say(_ line: String) { state.withLock { $0.child?.say(line) } }

    /// Ends the process; waits for it for at most some two seconds. Blocks; not for Swift tasks.
    func end() {
        let (child, thread) = state.broadcast { state in
            state.isEnding = true
            return (state.child, state.thread)
        }
        ending.cancel()
        child?.finish()
        let isOver = state.wait(until: clock.now + Self.patience) { $0.child == nil ? true : nil } ?? false
        if !isOver { state.withLock(\.child)?.signal(SIGKILL) }
        thread?.join()
    }

    /// Runs the process once, when something is wanted.
    ///
    /// - Returns: Whether to go on.
    private func run(for owner: any HelperOwner) -> Bool {
        let (wishes, isEnding) = state.withLock { ($0.wishes, $0.isEnding) }
        guard !isEnding else { return false }
        let began = clock.now
        let isSilent = ConditionLock(false)
        guard let child = start(for: owner, whenSilent: { isSilent.broadcast { $0 = true } }) else {
            // The program may be there when something more is wanted.
            return state.wait { state in state.isEnding ? false : state.wishes != wishes ? true : nil }
        }
        let watch = watch(child, owner)
        let status = child.wait()
        watch.cancel()
        // Its last lines are read, unless a program that it has started keeps the pipe open.
        isSilent.wait(until: clock.now + .seconds(1)) { $0 ? () : nil }
        let pause = state.broadcast { state -> Nanoseconds? in
            state.child = nil
            guard !state.isEnding else { return nil }
            state.earlyDeaths = clock.now - began > Self.soundLife ? 0 : state.earlyDeaths + 1
            return state.earlyDeaths > 1 ? Self.pause : Self.firstPause
        }
        guard let pause else { return false }
        let words = status > 128 ? "by signal \(status - 128)" : "with exit status \(status)"
        owner.processHasEnded("has ended \(words), and is started again.")
        clock.sleep(until: clock.now + pause, unless: ending)
        return true
    }

    /// Starts the process; `nil` where nothing is wanted, or it cannot be.
    private func start(
        for owner: any HelperOwner, whenSilent: @escaping @Sendable () -> Void
    ) -> ChildProcess? {
        var isWanted = false
        owner.withWishes { isWanted = !$0.isEmpty }
        guard isWanted else { return nil }
        do throws(ProcessError) {
            guard let program, access(program, X_OK) == 0 else {
                throw ProcessError(
                    "\(lack), \(program?.printable(limit: 1000) ?? name), is not there. Build it with `swift build`, or install the package "
                        + "multicam-studio.")
            }
            let child = try ChildProcess(program, ["--socket", socket], withholding: withheld.contains)
            // While nothing changes, so that what is wanted next is said after it.
            owner.withWishes { lines in
                state.broadcast { state in
                    (state.child, state.heard) = (child, clock.now)
                    for line in lines { child.say(line) }
                    if state.isEnding { child.finish() }
                }
            }
            child.readOutput(
                { [weak self, weak owner] line in
                    if self?.hears(child) ?? false { owner?.hear(line) }
                }, whenOver: whenSilent)
            child.readMessages { [name, say] line in say("\(name): \(line.printable(limit: 1000))") }
            return child
        } catch {
            owner.processIsMissing(error.description)
            return nil
        }
    }

    /// Whether a process that tells something is the present one, which lives then.
    private func hears(_ child: ChildProcess) -> Bool {
        state.withLock { state in
            guard state.child === child else { return false }
            state.heard = clock.now
            return true
        }
    }

    /// Kills the process when it is silent for too long.
    private func watch(_ child: ChildProcess, _ owner: any HelperOwner) -> Cancellation {
        let done = Cancellation()
        _ = MediaThread(name: "\(threadName):watch") { [state, clock] in
            while clock.sleep(until: clock.now + .seconds(1), unless: done) {
                let isTold = owner.isToldEachSecond
                let isSilent = state.withLock { state in
                    if !isTold { state.heard = clock.now }
                    return clock.now - state.heard > Self.longestSilence
                }
                if isSilent { child.signal(SIGKILL) }
            }
        }
        return done
    }
}
