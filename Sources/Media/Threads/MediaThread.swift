import Glibc

/// A thread for work that blocks or computes for a long time, named for identification in `top -H` and
/// `perf`.
///
/// To end a thread, close the thread's input, and then call `join`.
package final class MediaThread: Sendable {
    private struct State {
        var isFinished = false
        var cpuTime = Nanoseconds.zero
    }

    /// Scheduling class of a thread relative to other threads.
    package enum Urgency: Sendable {
        /// The thread computes or waits for a disk and isn't time-critical.
        case normal
        /// The thread receives frames from a driver or acts on clock deadlines. Such a thread does little
        /// computation, and delaying the thread causes losses. Time-critical threads have priority over other
        /// threads if the system (`RLIMIT_NICE`, getrlimit(2)) or a service permits the priority
        /// (`ThreadPriorities`).
        case timeCritical
    }

    /// Name given when the thread was created; the kernel shows the first 15 bytes of the name.
    package let name: String
    private let monitor = ConditionLock(State())

    /// Starts the thread immediately.
    ///
    /// - Parameters:
    ///   - name: The thread's name. The kernel shows only the first 15 bytes of the name.
    ///   - urgency: The scheduling class of the thread.
    ///   - body: A closure that is called once on the new thread. If the initializer throws, the closure is
    ///     released without being called.
    /// - Throws: `ThreadError` if the system can't create a thread.
    package convenience init(
        name: String, urgency: Urgency = .normal, _ body: sending @escaping () -> Void
    ) throws(ThreadError) {
        self.init(named: name)
        try Self.create(makeThreadBody(urgency, ThreadBody(body)), named: name)
    }

    private init(named name: String) { self.name = name }

    /// Runs work on a new thread, or on the calling thread if the system can't create a thread. Use this
    /// method for short work that can't be omitted, such as stopping a device. If no thread can be created,
    /// the work delays the caller, and multiple devices are stopped one after another.
    ///
    /// - Returns: The thread, which has already finished if the work ran on the calling thread.
    package static func startOrRunInline(name: String, _ body: sending @escaping () -> Void)
        -> MediaThread
    {
        let thread = MediaThread(named: name)
        let body = ThreadBody(body)
        do throws(ThreadError) {
            try create(thread.makeThreadBody(.normal, body), named: name)
        } catch {
            body.run()
            thread.monitor.broadcast { $0.isFinished = true }
        }
        return thread
    }

    /// Runs work on a new thread as soon as the system can create a thread. Use this method for work that may
    /// start late, such as periodic readings or the consumer of a queue.
    ///
    /// - Returns: The thread, which may start later. If `join` is called before the thread has started,
    ///   `join` runs the work on the calling thread.
    @discardableResult
    package static func startWhenPossible(
        name: String, urgency: Urgency = .normal, _ body: sending @escaping () -> Void
    ) -> MediaThread {
        let thread = MediaThread(named: name)
        let work = thread.makeThreadBody(urgency, ThreadBody(body))
        do throws(ThreadError) {
            try create(work, named: name)
        } catch {
            ThreadReserve.shared.start(work, of: thread)
        }
        return thread
    }

    private func makeThreadBody(_ urgency: Urgency, _ body: ThreadBody) -> ThreadBody {
        let (name, monitor) = (name, monitor)
        return ThreadBody {
            Self.setKernelThreadName(name)
            Self.applyUrgency(urgency)
            body.run()
            let used = Self.cpuTimeOfCurrentThread
            monitor.broadcast { state in
                state.cpuTime = used
                state.isFinished = true
            }
        }
    }

    /// Stack size of a thread in bytes. A stack reserves address space, but only the pages that its thread
    /// touches use memory.
    package static let stackSize = 2 << 20

    /// Maximum time for attempts to create a thread. The kernel counts a finished thread against the limit
    /// until the thread has been removed, which takes a few milliseconds.
    private static let creationTimeout = Nanoseconds.milliseconds(60)

    /// Names of threads whose creation fails in tests, as if a system limit had been reached.
    package static let refusedNames = ConditionLock<Set<String>>([])

    /// Creates a detached system thread.
    static func create(_ body: ThreadBody, named name: String) throws(ThreadError) {
        if refusedNames.withLock({ $0.contains(name) }) {
            throw ThreadError(thread: name, limit: .threads)
        }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, stackSize)
        let box = Unmanaged.passRetained(body)
        var thread = pthread_t()
        let clock = MonotonicClock()
        let deadline = clock.now + creationTimeout
        while true {
            let status = pthread_create(
                &thread, &attributes,
                { box in
                    guard let box else { return nil }
                    Unmanaged<ThreadBody>.fromOpaque(box).takeRetainedValue().run()
                    return nil
                }, box.toOpaque())
            if status == 0 { return }
            guard clock.now < deadline else {
                box.release()
                throw ThreadError(thread: name, limit: .threadLimit(stackSize: stackSize))
            }
            usleep(5_000)
        }
    }

    /// Creates the reserve thread, which later starts the threads for `startWhenPossible`. Call this method early,
    /// while the system can still create threads.
    ///
    /// - Throws: `ThreadError` if the system can't create the reserve thread.
    package static func prepareReserve() throws(ThreadError) { try ThreadReserve.shared.prepare() }

    /// Checks whether the system can create `count` threads now, by briefly creating that many threads.
    /// Libraries that create their own threads (encoders, the sound server's client library, Swift's task
    /// runtime) may hang or abort if thread creation fails.
    ///
    /// - Throws: `ThreadError` if the system can't create that many threads.
    package static func checkAvailability(of count: Int, for name: String) throws(ThreadError) {
        let isOver = ConditionLock(false)
        var threads: [MediaThread] = []
        defer {
            isOver.broadcast { $0 = true }
            for thread in threads { thread.join() }
        }
        for _ in 0..<count {
            threads.append(try MediaThread(name: name) { isOver.wait { $0 ? () : nil } })
        }
    }

    /// Waits until the thread's body has returned. If the system hasn't created the thread yet, this method
    /// runs the body on the calling thread. Never call `join` from the thread itself or from a Swift task.
    package func join() {
        ThreadReserve.shared.dequeueWork(of: self)?.run()
        monitor.wait { $0.isFinished ? true : nil }
    }

    /// Waits like `join`, but at most until a deadline.
    ///
    /// - Parameter deadline: Time on `CLOCK_MONOTONIC`.
    /// - Returns: Whether the thread's body has returned.
    package func join(until deadline: ClockTime) -> Bool {
        ThreadReserve.shared.dequeueWork(of: self)?.run()
        return monitor.wait(until: deadline) { $0.isFinished ? true : nil } ?? false
    }

    /// CPU time used so far by the calling thread (`CLOCK_THREAD_CPUTIME_ID`).
    package static var cpuTimeOfCurrentThread: Nanoseconds {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Nanoseconds(time)
    }

    /// Priority advantage of a `timeCritical` thread in nice levels; sound servers request the same advantage.
    private static let niceAdvantage: Int32 = 11

    /// Runs code at ordinary priority, so that threads started by that code also have ordinary priority. A
    /// thread inherits the priority of the thread that creates it.
    ///
    /// - Parameter body: The code to run immediately, on the calling thread.
    /// - Returns: The result of `body`.
    /// - Throws: Any error thrown by `body`.
    package static func withNormalPriority<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (own, usual) = (priority(of: 0), priority(of: id_t(getpid())))
        // If a service raised this thread's priority, new threads don't inherit the priority, and this thread
        // couldn't restore its own priority afterwards.
        guard own < usual, sched_getscheduler(0) & resetOnFork == 0 else { return try body() }
        setpriority(kind, 0, usual)
        defer { setpriority(kind, 0, own) }
        return try body()
    }

    /// `SCHED_RESET_ON_FORK` (sched(7)), which Swift's C importer omits on systems where the macro depends on
    /// feature macros.
    private static let resetOnFork: Int32 = 0x4000_0000

    /// Sets the calling thread's priority. If the system refuses, the thread keeps its priority until a
    /// service raises the priority.
    private static func applyUrgency(_ urgency: Urgency) {
        switch urgency {
        case .normal: setpriority(kind, 0, priority(of: id_t(getpid())))
        case .timeCritical:
            if let nice = raisePriority() {
                if let currentThreadID {
                    ThreadPriorities.process.requestPriority(for: currentThreadID, nice: nice)
                }
            } else {
                ThreadPriorities.process.recordGrant()
            }
        }
    }

    /// Thread ID of the calling thread (`gettid(2)`, which Swift's importer omits); `nil` without `/proc`.
    static var currentThreadID: Int32? {
        var path = [CChar](repeating: 0, count: 64)
        let length = readlink("/proc/thread-self", &path, path.count)
        guard length > 0 else { return nil }
        let text = String(decoding: path[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.split(separator: "/").last.flatMap { Int32($0) }
    }

    /// Raises the calling thread's priority to the level for time-critical threads.
    ///
    /// - Returns: The nice value that the system refused, or `nil` if the nice value was set.
    static func raisePriority() -> Int32? {
        let nice = max(priority(of: id_t(getpid())) - niceAdvantage, -20)
        return setpriority(kind, 0, nice) == 0 ? nil : nice
    }

    /// Returns the nice value of the thread with this ID; an ID of 0 means the calling thread. On Linux, each
    /// thread has its own nice value (setpriority(2), C library/kernel differences).
    private static func priority(of thread: id_t) -> Int32 { getpriority(kind, thread) }

    private static var kind: __priority_which_t { __priority_which_t(PRIO_PROCESS.rawValue) }

    /// Sets the thread name in the kernel (proc(5), `/proc/[pid]/task/[tid]/comm`). The name is only a label:
    /// failing to set it, for example without `/proc`, is harmless.
    private static func setKernelThreadName(_ name: String) {
        guard let file = fopen("/proc/thread-self/comm", "w") else { return }
        fputs(String(name.utf8.prefix(15)) ?? "multicam", file)
        fclose(file)
    }
}

/// Passes a thread's body to the thread that runs it. The body runs only once, for the first caller.
final class ThreadBody: @unchecked Sendable {
    private let body: () -> Void
    private let isStarted = ConditionLock(false)

    init(_ body: sending @escaping () -> Void) {
        self.body = body
    }

    func run() {
        let isFirst = isStarted.withLock { isStarted in
            defer { isStarted = true }
            return !isStarted
        }
        if isFirst { body() }
    }
}

/// Runs work later if the system can't currently create a thread for it.
///
/// A single reserve thread is created when the process starts, while threads are available. Four times per
/// second, the reserve thread tries again to create the other threads.
final class ThreadReserve: Sendable {
    private struct Entry {
        let name: String
        let work: ThreadBody
        let owner: ObjectIdentifier
    }

    private struct State {
        var waiting: [Entry] = []
        var isPrepared = false
    }

    static let shared = ThreadReserve()

    private static let retryInterval = Nanoseconds.milliseconds(250)

    private let state = ConditionLock(State())

    /// Creates the reserve thread.
    ///
    /// - Throws: `ThreadError` if the system can't create the reserve thread.
    func prepare() throws(ThreadError) {
        let isPrepared = state.withLock { state in
            defer { state.isPrepared = true }
            return state.isPrepared
        }
        guard !isPrepared else { return }
        do throws(ThreadError) {
            _ = try MediaThread(name: "reserve") { [self] in
                while true { startNext() }
            }
        } catch {
            state.withLock { $0.isPrepared = false }
            throw error
        }
    }

    /// Starts a thread's work as soon as the system can create the thread.
    func start(_ work: ThreadBody, of thread: MediaThread) {
        let entry = Entry(name: thread.name, work: work, owner: ObjectIdentifier(thread))
        state.broadcast { $0.waiting.append(entry) }
        // Programs that use multicam as a library haven't created the reserve thread yet. If the reserve
        // thread can't be created, `join` runs the work.
        do throws(ThreadError) { try prepare() } catch {}
    }

    /// Returns the work of a thread that the system hasn't created yet; `nil` for other threads.
    func dequeueWork(of thread: MediaThread) -> ThreadBody? {
        let owner = ObjectIdentifier(thread)
        return state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.owner == owner }) else { return nil }
            return state.waiting.remove(at: index).work
        }
    }

    private func startNext() {
        let entry = state.wait { $0.waiting.first }
        do throws(ThreadError) {
            try MediaThread.create(entry.work, named: entry.name)
            state.withLock { state in state.waiting.removeAll { $0.work === entry.work } }
        } catch {
            MonotonicClock().sleep(until: MonotonicClock().now + Self.retryInterval, unless: Cancellation())
        }
    }
}

/// The system refused to create a thread.
public struct ThreadError: Error, Sendable, Equatable {
    /// Name of the thread that couldn't be created.
    package let thread: String
    /// The limit that was reached.
    package let limit: MachineLimit

    /// Creates an error from the parts of its message.
    package init(thread: String, limit: MachineLimit) {
        self.thread = thread
        self.limit = limit
    }
}

extension ThreadError: CustomStringConvertible {
    /// The complete message for the user: the thread, the limit, and how to raise it.
    public var description: String {
        "starting the thread `\(thread.printable())` failed: \(limit.explanation)"
    }
}

/// Concurrent processing of several items, for work that waits for devices.
package enum Parallel {
    /// Calls `body` for each item, and waits for all calls to return. The calls run on separate threads if
    /// the system can create enough threads. Don't call this method from a Swift task.
    ///
    /// - Parameters:
    ///   - items: The items to process; a single item is processed on the calling thread.
    ///   - name: The name of the threads.
    ///   - body: The work for one item; the closure may block.
    /// - Returns: The results in the order of `items`.
    package static func map<Item: Sendable, Outcome: Sendable>(
        _ items: [Item], threadName name: String, _ body: @escaping @Sendable (Item) -> Outcome
    ) -> [Outcome] {
        guard items.count > 1 else { return items.map(body) }
        let outcomes = ConditionLock<[Int: Outcome]>([:])
        let threads = items.enumerated().map { index, item in
            MediaThread.startOrRunInline(name: name) {
                let outcome = body(item)
                outcomes.withLock { $0[index] = outcome }
            }
        }
        threads.forEach { $0.join() }
        return outcomes.withLock { outcomes in items.indices.compactMap { outcomes[$0] } }
    }
}
