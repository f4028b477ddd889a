internal import Control
internal import Glibc
internal import Media
internal import Studio

/// The window for a monitor: a camera or the program of a session that runs in another process.
public enum Preview {
    /// Shows a window until it is closed. Blocks the calling thread, which must be the main one.
    ///
    /// - Parameter arguments: The program's name, then the settings as `PreviewSettings` writes them.
    /// - Returns: The exit status: 0 when the window was closed, 1 where none can be opened or no session runs, 2 for a camera, program or
    ///   display that is not there.
    public static func run(_ arguments: [String]) -> Int32 {
        guard arguments.count == 2, let settings = PreviewSettings.read(arguments[1]) else {
            return fail(PreviewError("`multicam preview` starts this program.", status: 2))
        }
        do throws(PreviewError) {
            var settings = settings
            settings.process = try session(settings)
            try PreviewWindow(settings).run()
            return 0
        } catch {
            return fail(error)
        }
    }

    private static func fail(_ error: PreviewError) -> Int32 {
        let line = "multicam: \(error.description.printable(limit: 1000))\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
        return error.status
    }

    /// The session that is meant, once it is known to have what is to be shown.
    private static func session(_ settings: PreviewSettings) throws(PreviewError) -> Int32 {
        let running: [Int32]
        do throws(ControlError) {
            running = try ControlClient().processes()
        } catch {
            throw PreviewError(error.description, status: 1)
        }
        let process: Int32
        if let asked = settings.process {
            guard running.contains(asked) else {
                throw PreviewError("process \(asked) runs no session of this user's.", status: 1)
            }
            process = asked
        } else {
            guard let first = running.first else {
                throw PreviewError(
                    "no session of this user's runs, so there is nothing to show: start `multicam record` or `multicam studio`.",
                    status: 1)
            }
            guard running.count == 1 else {
                let list = running.map { String($0) }.joined(separator: ", ")
                throw PreviewError(
                    "\(running.count) sessions run, as processes \(list): say which one is meant, for example `multicam preview --process \(first)`.",
                    status: 2)
            }
            process = first
        }
        // A session that is too busy to answer is shown when it does.
        if let status = ControlClient().status(of: process) { try check(settings.role, status) }
        return process
    }

    private static func check(_ role: String?, _ status: ControlStatus) throws(PreviewError) {
        let roles = status.cameras.map { $0.role.printable(limit: 60) }.joined(separator: ", ")
        let offer = roles.isEmpty ? "it has no camera." : "its cameras are \(roles)."
        if let role {
            guard status.cameras.contains(where: { $0.role == role }) else {
                throw PreviewError(
                    "`--camera \(role.printable(limit: 60))`: the session has no such camera; \(offer)",
                    status: 2)
            }
        } else if status.program == nil {
            throw PreviewError(
                "the session has no program; show a camera with `--camera ROLE`: \(offer)", status: 2)
        }
    }
}
