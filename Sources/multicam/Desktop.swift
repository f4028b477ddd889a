import FoundationEssentials
import Glibc
import MulticamMedia
import MulticamSystem

/// Opens the control room in a browser if a desktop is available.
enum DesktopBrowser {
    private static let redirectFileLifetime = Nanoseconds.seconds(20)

    /// Opens an address in the user's browser.
    ///
    /// The address contains a secret token, and all users of the computer can read the arguments of a
    /// process. The browser therefore opens a file that redirects to the address and that only this user can
    /// read.
    ///
    /// - Parameters:
    ///   - address: The address of the control room, including the token.
    ///   - folder: A folder that only this user can access.
    static func open(_ address: String, redirectFolder folder: String) {
        guard let opener = DesktopFolder.opener else { return }
        let file = URL(fileURLWithPath: folder).appending(path: "studio-\(getpid()).html")
        let page =
            "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=\(address)\"><a href=\"\(address)\">multicam</a>"
        do throws(FileError) {
            try FolderCreation.make(folder, permissions: 0o700)
        } catch {
            return Output.message("Can't open the browser: \(error)")
        }
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: Data(page.utf8), attributes: [.posixPermissions: 0o600])
        else { return }
        do throws(ProcessError) {
            let child = try ChildProcess(opener, [file.path])
            child.closeInput()
            MediaThread.startWhenPossible(name: "browser") {
                _ = child.wait()
                // The file is kept for some time, because the browser may still be starting.
                let clock = MonotonicClock()
                clock.sleep(until: clock.now + Self.redirectFileLifetime, unless: Cancellation())
                unlink(file.path)
            }
        } catch {
            Output.message("Can't open the browser: \(error)")
        }
    }
}

/// Opens folders in the desktop's file manager.
enum DesktopFolder {
    /// Path of the program that opens files and addresses; `nil` if there is no desktop or the program isn't installed.
    static var opener: String? {
        let environment = ProcessInfo.processInfo.environment
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return nil }
        return ProgramPath.named("xdg-open")
    }

    /// Whether folders can be opened.
    static var isAvailable: Bool { opener != nil }

    /// Time in which xdg-open reports a failure. On some desktops, xdg-open exits only when the file manager is closed.
    private static let failureTime = Nanoseconds.seconds(2)

    /// Opens a folder. The file manager continues to run when this process has ended, so it isn't connected to this process's
    /// pipes and doesn't inherit the variable that identifies a task of the studio.
    ///
    /// - Returns: `false` if the program that opens files is missing or reports a failure within two seconds.
    static func open(_ path: String) -> Bool {
        guard let opener else { return false }
        do throws(ProcessError) {
            let child = try ChildProcess(
                "/bin/sh",
                [
                    "-c", #"exec "$0" "$1" </dev/null >/dev/null 2>&1"#, opener,
                    URL(fileURLWithPath: path).standardizedFileURL.path,
                ], withholding: { $0 == "MULTICAM_JOB" })
            child.closeInput()
            let status = ConditionLock<Int32?>(nil)
            MediaThread.startWhenPossible(name: "opener") {
                let code = child.wait()
                status.broadcast { $0 = code }
            }
            return status.wait(until: MonotonicClock().now + failureTime) { $0 } ?? 0 == 0
        } catch {
            return false
        }
    }
}

/// A lock that asks logind to block suspend and shutdown during a recording. Desktops show the reason for the
/// lock to users who try to suspend or shut down the computer. A systemd-inhibit(1) process holds the lock
/// until `release` is called or this process ends for any reason.
///
/// A recording doesn't depend on this lock. Without the lock, the recorder receives SIGTERM on shutdown and
/// finishes the recording.
final class InhibitorLock: Sendable {
    private let holder: ChildProcess

    /// Requests the lock and returns immediately. The lock takes effect a few milliseconds later. The result
    /// is `nil` if systemd-inhibit isn't available.
    ///
    /// - Parameter reason: The activity of this process, as the rest of a phrase that starts with "multicam".
    init?(_ reason: String) {
        guard let program = ProgramPath.named("systemd-inhibit") else { return nil }
        do throws(ProcessError) {
            // systemd-inhibit runs cat(1), which ends when its input is closed. The input is closed when this
            // process ends.
            let holder = try ChildProcess(
                program,
                [
                    "--what=shutdown:sleep:idle:handle-lid-switch", "--mode=block", "--who=multicam",
                    "--why=\(reason.printable(limit: 200))", "cat",
                ])
            self.holder = holder
            MediaThread.startWhenPossible(name: "inhibitor") { _ = holder.wait() }
        } catch {
            return nil
        }
    }

    /// Releases the lock and returns immediately.
    func release() {
        // systemd-inhibit and its child process are in a separate process group.
        kill(-holder.processID, SIGTERM)
    }
}
