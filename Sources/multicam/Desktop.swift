import FoundationEssentials
import Glibc
import Media
import System

/// Opens the page in a browser if a desktop is available.
enum DesktopBrowser {
    private static let patience = Nanoseconds.seconds(20)

    /// Opens an address in the user's browser.
    ///
    /// The address contains a secret, and any user can read a process's arguments. The browser therefore opens a file
    /// that only this user can read, which redirects to the address.
    ///
    /// - Parameters:
    ///   - address: The page's address, including the token.
    ///   - folder: A folder that only this user can access.
    static func open(_ address: String, by folder: String) {
        let environment = ProcessInfo.processInfo.environment
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil,
            let opener = ProgramPath.named("xdg-open")
        else { return }
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
            child.finish()
            MediaThread.eventually(name: "browser") {
                _ = child.wait()
                // A browser that is still starting has yet to read the file.
                let clock = MonotonicClock()
                clock.sleep(until: clock.now + Self.patience, unless: Cancellation())
                unlink(file.path)
            }
        } catch {
            Output.message("Can't open the browser: \(error)")
        }
    }
}

/// Asks logind to block suspend and shutdown during a recording, and states the reason. Desktops show the reason to
/// users who try to suspend or shut down. systemd-inhibit(1) holds the lock, and releases it on request or when this
/// process ends for any reason.
///
/// Without logind, or if logind refuses, the recording runs anyway. On shutdown, the recorder then receives SIGTERM and
/// finishes.
final class InhibitorLock: Sendable {
    private let holder: ChildProcess

    /// Requests the lock. Returns immediately; the lock takes effect a few milliseconds later. Returns `nil` if no
    /// program can hold a lock.
    ///
    /// - Parameter reason: What this process does, to complete the phrase "multicam …".
    init?(_ reason: String) {
        guard let program = ProgramPath.named("systemd-inhibit") else { return nil }
        do throws(ProcessError) {
            // cat(1) ends when its input is closed, which happens when this process ends.
            let holder = try ChildProcess(
                program,
                [
                    "--what=shutdown:sleep:idle:handle-lid-switch", "--mode=block", "--who=multicam",
                    "--why=\(reason.printable(limit: 200))", "cat",
                ])
            self.holder = holder
            MediaThread.eventually(name: "inhibitor") { _ = holder.wait() }
        } catch {
            return nil
        }
    }

    /// Releases the lock. Returns immediately.
    func release() {
        // systemd-inhibit and its child have a separate process group.
        kill(-holder.process, SIGTERM)
    }
}
