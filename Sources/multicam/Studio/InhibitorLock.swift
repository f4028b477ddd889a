import Glibc
import Media
import Processes

/// Asks logind not to suspend the computer or switch it off while something is recorded, and says why: desktops show that to whoever
/// tries. systemd-inhibit(1) holds the lock, and gives it back when it is told to or when this process ends, however it ends.
///
/// A computer without logind, or a user whom it refuses, records all the same: switched off, the recorder gets SIGTERM and finishes.
final class InhibitorLock: Sendable {
    private let holder: ChildProcess

    /// Takes the lock. Returns at once; the lock is there some milliseconds later. `nil` where no program can hold a lock.
    ///
    /// - Parameter reason: What this process does, to continue “multicam …”.
    init?(_ reason: String) {
        guard let program = ProgramPath.named("systemd-inhibit") else { return nil }
        do throws(ProcessError) {
            // cat(1) ends when its input does: when this process has ended.
            let holder = try ChildProcess(
                program,
                [
                    "--what=shutdown:sleep:idle:handle-lid-switch", "--mode=block", "--who=multicam",
                    "--why=\(reason.printable(limit: 200))", "cat",
                ])
            self.holder = holder
            _ = MediaThread(name: "inhibitor") { _ = holder.wait() }
        } catch {
            return nil
        }
    }

    /// Gives the lock back. Returns at once.
    func release() {
        // systemd-inhibit and what it runs are a process group of their own.
        kill(-holder.process, SIGTERM)
    }
}
