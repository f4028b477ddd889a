import Foundation
import Glibc

/// A thread for work that blocks or computes long, named so that `top -H` and `perf` tell who is who.
///
/// End it by ending its input, then `join`. Foundation's `Thread.name` does not reach the kernel on Linux; this does.
public final class MediaThread: Sendable {
    private struct State {
        var isFinished = false
        var cpuTime = Nanoseconds.zero
    }

    /// What its work means to the recording.
    public enum Urgency: Sendable {
        /// Computes, or waits for a disk: has time.
        case ordinary
        /// Takes frames from a driver or decides by the clock: computes little, and what it does late is a loss. Goes before
        /// what others compute where the system allows it (`RLIMIT_NICE`, getrlimit(2)).
        case punctual
    }

    public let name: String
    private let monitor = ConditionLock(State())

    /// - Parameters:
    ///   - name: At most 15 bytes reach the kernel.
    ///   - urgency: How the processor is shared with others.
    ///   - body: Runs once on the new thread.
    public init(name: String, urgency: Urgency = .ordinary, _ body: sending @escaping () -> Void) {
        self.name = name
        let monitor = monitor
        let run = ThreadBody(body)
        let thread = Thread {
            Self.tellKernel(name)
            Self.takePlace(urgency)
            run.body()
            let used = Self.cpuTimeOfCurrentThread
            monitor.broadcast { state in
                state.cpuTime = used
                state.isFinished = true
            }
        }
        thread.stackSize = 2 << 20
        thread.start()
    }

    /// Waits until the body has returned. Never from the thread itself, never in a Swift task.
    public func join() {
        monitor.wait { $0.isFinished ? true : nil }
    }

    /// The processor time that the thread used in all; zero until it has finished.
    public var cpuTime: Nanoseconds { monitor.withLock { $0.cpuTime } }

    /// The processor time that the calling thread has used so far (`CLOCK_THREAD_CPUTIME_ID`).
    public static var cpuTimeOfCurrentThread: Nanoseconds {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Nanoseconds(time)
    }

    /// As much before others as sound servers ask for.
    private static let head: Int32 = 11

    /// Makes threads of libraries ordinary ones, since a thread begins with the priority of the one that made it.
    ///
    /// - Parameter body: Runs at once, on the calling thread.
    /// - Returns: What it returns.
    /// - Throws: What it throws.
    public static func ordinarily<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let own = priority(of: 0)
        takePlace(.ordinary)
        defer { setpriority(kind, 0, own) }
        return try body()
    }

    /// Refused where the system does not allow it: then all are alike, as they would be without asking.
    private static func takePlace(_ urgency: Urgency) {
        let usual = priority(of: id_t(getpid()))
        setpriority(kind, 0, urgency == .punctual ? max(usual - head, -20) : usual)
    }

    /// On Linux a priority is a thread's, and 0 the caller (setpriority(2), C library/kernel differences).
    private static func priority(of thread: id_t) -> Int32 { getpriority(kind, thread) }

    private static var kind: __priority_which_t { __priority_which_t(PRIO_PROCESS.rawValue) }

    /// Writes the name where the kernel keeps it (proc(5), `/proc/[pid]/task/[tid]/comm`). It is a label: failing to set
    /// it, as without `/proc`, changes nothing.
    private static func tellKernel(_ name: String) {
        guard let file = fopen("/proc/thread-self/comm", "w") else { return }
        fputs(String(name.utf8.prefix(15)) ?? "multicam", file)
        fclose(file)
    }
}

/// Carries the body to the new thread, which alone calls it, once.
private struct ThreadBody: @unchecked Sendable {
    let body: () -> Void

    init(_ body: sending @escaping () -> Void) {
        self.body = body
    }
}
