import FileSystem
import FoundationEssentials
import Glibc
import Media
import Processes

/// Opens the page where there is a desktop.
enum DesktopBrowser {
    private static let patience = Nanoseconds.seconds(20)

    /// Opens an address in the user's browser.
    ///
    /// The address has a secret, and everybody may read a program's arguments: so the browser gets a file that only this user can read,
    /// which leads on.
    ///
    /// - Parameters:
    ///   - address: The page's address, with the token.
    ///   - folder: A folder of this user's alone.
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
            return Output.message("the browser was not opened: \(error)")
        }
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: Data(page.utf8), attributes: [.posixPermissions: 0o600])
        else { return }
        do throws(ProcessError) {
            let child = try ChildProcess(opener, [file.path])
            child.finish()
            _ = MediaThread(name: "browser") {
                _ = child.wait()
                // A browser that starts only now has yet to read it.
                let clock = MonotonicClock()
                clock.sleep(until: clock.now + Self.patience, unless: Cancellation())
                unlink(file.path)
            }
        } catch {
            Output.message("the browser was not opened: \(error)")
        }
    }
}
