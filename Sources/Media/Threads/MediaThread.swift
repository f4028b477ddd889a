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

    public let name: String
    private let monitor = Monitor(State())

    /// - Parameters:
    ///   - name: At most 15 bytes reach the kernel.
    ///   - body: Runs once on the new thread.
    public init(name: String, _ body: sending @escaping () -> Void) {
        self.name = name
        let monitor = monitor
        let run = ThreadBody(body)
        let thread = Thread {
            Self.tellKernel(name)
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
        return Nanoseconds(Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

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
