import Glibc
import Media

/// Receives the signals that steer a recording, and handles them on a thread of its own.
///
/// Ctrl-C reaches the whole process group, and wrappers pass it on again: stop signals within one second count once.
enum SignalInbox {
    enum Request: Sendable {
        /// The number of stop signals so far, from 1, and whether this one is Ctrl-C (SIGINT).
        case stop(count: Int, isInterrupt: Bool)
        case mark
        case split
    }

    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]

    /// Catches the signals from now on, on whichever thread they arrive; they wait until `listen`.
    ///
    /// Blocking them for `sigwait` would not work: threads of the runtime exist earlier, and would take them with their default
    /// action. SIGHUP stays ignored when the parent process has it ignored, as `nohup` does.
    static func open() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            preconditionFailure("the first pipe of a process cannot be made: errno \(errno)")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for number in numbers {
            var action = sigaction()
            // The handler does only what signal-safety(7) allows: one write.
            action.__sigaction_handler.sa_handler = { number in
                let saved = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(writeEnd, &byte, 1)
                errno = saved
            }
            action.sa_flags = SA_RESTART
            if number == SIGHUP, isIgnored(number) { continue }
            sigaction(number, &action, nil)
        }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        // Functions cannot be compared; their addresses can.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Starts the inbox's thread, which calls the handler with one request at a time.
    static func listen(_ handler: @escaping @Sendable (Request) -> Void) {
        let end = readEnd
        _ = MediaThread(name: "signals") {
            let clock = MonotonicClock()
            var count = 0
            var last = ClockTime(nanoseconds: 0)
            while let number = next(from: end) {
                if number == SIGUSR1 {
                    handler(.mark)
                } else if number == SIGUSR2 {
                    handler(.split)
                } else if count == 0 || clock.now - last >= .seconds(1) {
                    last = clock.now
                    count += 1
                    handler(.stop(count: count, isInterrupt: number == SIGINT))
                }
            }
        }
    }

    private static func next(from end: Int32) -> Int32? {
        var byte: UInt8 = 0
        while true {
            let count = read(end, &byte, 1)
            if count == 1 { return Int32(byte) }
            guard count < 0, errno == EINTR else { return nil }
        }
    }
}

// Both ends of the pipe from the signal handler to the inbox's thread: set once, before the handler is installed, and open until
// the process ends. They are plain globals, because a handler must not run an initializer.
nonisolated(unsafe) private var readEnd: Int32 = -1
nonisolated(unsafe) private var writeEnd: Int32 = -1
