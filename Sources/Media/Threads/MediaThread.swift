import Glibc

/// A thread for work that blocks or computes long, named so that `top -H` and `perf` tell who is who.
///
/// End it by ending its input, then `join`.
public final class MediaThread: Sendable {
    private struct State {
        var isFinished = false
        var cpuTime = Nanoseconds.zero
    }

    /// How the kernel shares the processor between this thread and others.
    public enum Urgency: Sendable {
        /// The thread computes, or waits for a disk: it has time.
        case ordinary
        /// The thread takes frames from a driver or decides by the clock: it computes little, and what it does late is a
        /// loss. It runs before the others where the system allows it (`RLIMIT_NICE`, getrlimit(2)).
        case punctual
    }

    /// The name that the thread was started with; the kernel shows its first 15 bytes.
    public let name: String
    private let monitor = ConditionLock(State())

    /// Starts the thread at once.
    ///
    /// - Parameters:
    ///   - name: At most 15 bytes reach the kernel.
    ///   - urgency: How the processor is shared with other threads.
    ///   - body: Runs once on the new thread.
    public init(name: String, urgency: Urgency = .ordinary, _ body: sending @escaping () -> Void) {
        self.name = name
        let monitor = monitor
        let run = ThreadBody(body)
        Self.start(
            ThreadBody {
                Self.tellKernel(name)
                Self.takePlace(urgency)
                run.body()
                let used = Self.cpuTimeOfCurrentThread
                monitor.broadcast { state in
                    state.cpuTime = used
                    state.isFinished = true
                }
            })
    }

    /// Stack of a thread in bytes.
    private static let stackSize = 2 << 20

    /// How long a thread is waited for where the system has none left for now.
    private static let patience = Nanoseconds.seconds(10)

    /// Starts a detached thread of the system.
    private static func start(_ body: ThreadBody) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, stackSize)
        let box = Unmanaged.passRetained(body)
        var thread = pthread_t()
        let clock = MonotonicClock()
        let deadline = clock.now + patience
        while true {
            let status = pthread_create(
                &thread, &attributes,
                { box in
                    guard let box else { return nil }
                    Unmanaged<ThreadBody>.fromOpaque(box).takeRetainedValue().body()
                    return nil
                }, box.toOpaque())
            if status == 0 { return }
            // EAGAIN: too many threads of the user or the group of processes run; some of them end.
            precondition(clock.now < deadline, "the system gives no thread")
            usleep(20_000)
        }
    }

    /// Waits until the body has returned. Never call it from the thread itself or in a Swift task.
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

    /// The number of nice levels by which a `punctual` thread is preferred: as many as sound servers ask for.
    private static let head: Int32 = 11

    /// Runs code at ordinary priority, so that threads which libraries start in it are ordinary ones: a thread begins with
    /// the priority of the thread that made it.
    ///
    /// - Parameter body: Runs at once, on the calling thread.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    public static func ordinarily<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let own = priority(of: 0)
        takePlace(.ordinary)
        defer { setpriority(kind, 0, own) }
        return try body()
    }

    /// Sets the calling thread's priority. Where the system refuses, the thread keeps the priority it has.
    private static func takePlace(_ urgency: Urgency) {
        let usual = priority(of: id_t(getpid()))
        setpriority(kind, 0, urgency == .punctual ? max(usual - head, -20) : usual)
    }

    /// The nice value of a thread; 0 is the caller. On Linux each thread has its own (setpriority(2), C library/kernel
    /// differences).
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
private final class ThreadBody: @unchecked Sendable {
    let body: () -> Void

    init(_ body: sending @escaping () -> Void) {
        self.body = body
    }
}
