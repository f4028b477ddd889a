import Glibc
import Media
import MulticamKit
import SessionFolder
import System

/// Receives the signals that control a recording and handles them on a separate thread.
///
/// Ctrl-C reaches the whole process group, and wrappers forward it again. Stop signals within one second therefore
/// count once.
enum SignalInbox {
    enum Request: Sendable {
        /// The number of stop signals so far, starting at 1, and whether this signal is Ctrl-C (SIGINT).
        case stop(count: Int, isInterrupt: Bool)
        case mark
        case split
    }

    /// Number of the runtime's threads plus those that a recording needs before its devices.
    private static let threads = 16

    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]

    /// Starts catching the signals, on any thread. The signals are queued until `listen` is called.
    ///
    /// Blocking the signals for `sigwait` wouldn't work: the runtime's threads already exist and would
    /// execute the default action. SIGHUP remains ignored if the parent process ignores it, as `nohup` does.
    ///
    /// Commands that catch signals also run Swift tasks. If the runtime can't create a thread, it waits
    /// forever and blocks the signal handlers too. There must be threads for both purposes.
    ///
    /// - Throws: `ProcessError` if no file descriptor is available, or there are too few threads.
    static func open() throws(ProcessError) {
        do throws(ThreadError) {
            try MediaThread.check(threads, for: "start")
        } catch {
            throw ProcessError("Can't start: \(error.limit.explanation)")
        }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw ProcessError("Can't receive signals: \(MachineLimit.sentences(errno: errno))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for number in numbers {
            var action = sigaction()
            // The handler only calls `write` once, as signal-safety(7) permits.
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
        // Functions can't be compared, but their addresses can.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Starts the thread, which calls the handler with one request at a time.
    static func listen(_ handler: @escaping @Sendable (Request) -> Void) {
        let end = readEnd
        do throws(ThreadError) {
            _ = try MediaThread(name: "signals") {
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
        } catch {
            // No thread would receive the signals. With the default action, stop signals end the process.
            for number in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(number) { signal(number, SIG_DFL) }
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

// Both ends of the pipe from the signal handler to the thread. The descriptors are set once, before the handler is
// installed, and stay open until the process ends. They are stored in global variables, because a signal handler must
// not run an initializer.
nonisolated(unsafe) private var readEnd: Int32 = -1
nonisolated(unsafe) private var writeEnd: Int32 = -1

extension SessionSteering {
    /// Starts listening for signals. A stop signal that arrives before the session exists stops the session once it
    /// exists.
    func listen() {
        SignalInbox.listen { [self] request in
            switch request {
            case .stop(1, _): stop()
            case .stop(2, _):
                guard stopUrgently() else { return }
                Output.message(
                    "Closing the files without waiting for the encoders. Everything encoded so far is saved.")
            case .stop:
                Output.message(Self.lastWord(folder: folderPath))
                _exit(ExitStatus.aborted.rawValue)
            case .mark:
                guard !mark("signal") else { return }
                Output.message("No marker was set, because nothing is being recorded.")
            case .split:
                guard !split() else { return }
                Output.message("The files were not split, because nothing is being recorded.")
            }
        }
    }

    /// Returns the message about the data that is kept from an aborted recording.
    private static func lastWord(folder: String?) -> String {
        guard let folder else { return "Aborted. Nothing was recorded." }
        let path = folder.printable(limit: 4096).shellQuoted()
        return
            "Aborted. Everything except about the last second is saved. To repair the files, run `multicam recover \(path)`."
    }
}

extension SessionEvent {
    /// The session folder's path in a `started` event; `nil` for other events.
    var folder: String? {
        if case .started(let started) = content { started.folder } else { nil }
    }
}
