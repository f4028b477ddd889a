import Glibc
import MulticamKit
import MulticamMedia
import MulticamSessionFolder
import MulticamSystem

/// Receives the signals that control a recording and handles them on a separate thread.
///
/// Ctrl-C sends SIGINT to the whole process group, and wrapper programs may forward the signal again. Several
/// stop signals within one second are therefore counted as one.
enum SignalHandler {
    enum Request: Sendable {
        /// A request to stop. `count` is the number of stop signals received, starting at 1. `isInterrupt` is
        /// `true` for SIGINT (Ctrl-C).
        case stop(count: Int, isInterrupt: Bool)
        case mark
        case split
    }

    /// Number of threads of the Swift runtime, plus the threads that a recording needs before its devices are
    /// started.
    private static let requiredThreadCount = 16

    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]

    /// Installs the signal handlers. Signals that arrive on any thread are queued until `start` is called.
    ///
    /// Blocking the signals and receiving them with `sigwait` wouldn't work, because threads of the Swift
    /// runtime already exist and would perform the default action. If the parent process ignores SIGHUP, as
    /// `nohup` does, SIGHUP remains ignored.
    ///
    /// Commands that handle signals also run Swift tasks. If the Swift runtime can't create a thread, it
    /// waits forever, which also blocks the handling of signals. This method therefore checks that enough
    /// threads can be created for both purposes.
    ///
    /// - Throws: `ProcessError` if no file descriptor is available or too few threads can be created.
    static func install() throws(ProcessError) {
        do throws(ThreadError) {
            try MediaThread.checkAvailability(of: requiredThreadCount, for: "start")
        } catch {
            throw ProcessError("Can't start: \(error.limit.explanation)")
        }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw ProcessError("Can't receive signals: \(MachineLimit.explanation(errno: errno))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for number in numbers {
            var action = sigaction()
            // The signal handler only calls `write`, which is permitted according to signal-safety(7).
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
        // Swift can't compare functions, so their addresses are compared.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Starts the thread that calls the handler. Requests are passed to the handler one at a time.
    static func start(_ handler: @escaping @Sendable (Request) -> Void) {
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
            // If the thread can't be started, the default action is restored, so that stop signals end the
            // process.
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

// Both ends of the pipe from the signal handler to the handling thread. The descriptors are set once, before
// the signal handler is installed, and stay open until the process ends. Global variables store the
// descriptors, because a signal handler must not run an initializer.
nonisolated(unsafe) private var readEnd: Int32 = -1
nonisolated(unsafe) private var writeEnd: Int32 = -1

extension SessionController {
    /// Starts handling signals. If a stop signal arrives before the session exists, the session is stopped as
    /// soon as it is created.
    func handleSignals() {
        SignalHandler.start { [self] request in
            switch request {
            case .stop(1, _): stop()
            case .stop(2, _):
                guard stopUrgently() else { return }
                Output.message(
                    "Closing the files without waiting for the encoders. Everything encoded so far is saved.")
            case .stop:
                Output.message(Self.abortMessage(folder: folderPath))
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

    /// Returns the message for an aborted recording, which states the data that was kept.
    private static func abortMessage(folder: String?) -> String {
        guard let folder else { return "Aborted. Nothing was recorded." }
        let path = folder.printable(limit: 4096).shellQuoted()
        return
            "Aborted. Everything except about the last second is saved. To repair the files, run `multicam recover \(path)`."
    }
}

extension SessionEvent {
    /// Path of the session folder in a `started` event; `nil` for other events.
    var folder: String? {
        if case .started(let started) = content { started.folder } else { nil }
    }
}
