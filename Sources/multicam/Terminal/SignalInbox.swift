import Glibc
import Media

/// Takes the signals that steer a recording, to be worked through on a thread of its own.
///
/// Ctrl-C reaches the whole process group, and wrappers pass it on again: requests to stop within a second of each other
/// count once.
enum SignalInbox {
    enum Request: Sendable {
        /// The first is 1.
        case stop(count: Int)
        case mark
        case split
    }

    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]

    /// Catches the signals from here on, whichever thread they meet; they wait until somebody listens.
    ///
    /// Blocking them for `sigwait` would not do: threads of the runtime exist before, and take them with their default.
    /// A hang-up that our starter had us ignore stays ignored: that is what `nohup` is for.
    static func open() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            preconditionFailure("the first pipe of a process cannot be made: errno \(errno)")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for number in numbers {
            var action = sigaction()
            // Only what signal-safety(7) allows: one write.
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
        // Handlers cannot be compared as functions; their addresses can.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Starts listening. The handler runs on the inbox's thread, one request at a time.
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
                    handler(.stop(count: count))
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

// Both ends of the pipe between the signals' handler and the inbox's thread: set once, before the handler is installed,
// and open until the process ends. Plain globals, since a handler may not run an initialiser.
nonisolated(unsafe) private var readEnd: Int32 = -1
nonisolated(unsafe) private var writeEnd: Int32 = -1
