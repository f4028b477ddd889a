internal import Glibc
internal import MulticamControl
internal import MulticamMedia
internal import MulticamStudio

/// The preview window, which shows a camera or the program of a session in another process.
package enum Preview {
    /// Shows a window until it is closed. This method blocks the calling thread, which must be the main thread.
    ///
    /// - Parameter arguments: The program's name, followed by the settings as encoded by `PreviewSettings`.
    /// - Returns: The exit status: 0 if the window was closed, 1 if no window can be opened or no session is running, 2
    ///   if the camera, program or display doesn't exist.
    package static func run(_ arguments: [String]) -> Int32 {
        guard arguments.count == 2, let settings = PreviewSettings.read(arguments[1]) else {
            return fail(PreviewError("Start this program with `multicam preview`.", status: 2))
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

    /// Returns the selected session, after checking that it has the requested camera or program.
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
                throw PreviewError(
                    "Process \(asked) does not belong to a session of the current user.", status: 1)
            }
            process = asked
        } else {
            guard let first = running.first else {
                throw PreviewError(
                    "No session of the current user is running. Start `multicam record` or `multicam studio` first.",
                    status: 1)
            }
            guard running.count == 1 else {
                let list = running.map { String($0) }.joined(separator: ", ")
                throw PreviewError(
                    "\(running.count) sessions are running (process IDs: \(list)). Select one, for example with `multicam preview --process \(first)`.",
                    status: 2)
            }
            process = first
        }
        // If the session is too busy to answer, the role is checked once the session answers.
        if let status = ControlClient().status(of: process) { try check(settings.role, status) }
        return process
    }

    private static func check(_ role: String?, _ status: ControlStatus) throws(PreviewError) {
        let roles = status.cameras.map { $0.role.printable(limit: 60) }.joined(separator: ", ")
        let offer = roles.isEmpty ? "The session has no cameras." : "Available cameras: \(roles)."
        if let role {
            guard status.cameras.contains(where: { $0.role == role }) else {
                throw PreviewError(
                    "`--camera \(role.printable(limit: 60))`: the session does not have a camera with this role. \(offer)",
                    status: 2)
            }
        } else if status.program == nil {
            throw PreviewError(
                "The session has no program. To show a camera, use `--camera ROLE`. \(offer)", status: 2
            )
        }
    }
}

/// The reason why no window is shown: a message for the user, and the exit status.
struct PreviewError: Error, Equatable, CustomStringConvertible {
    /// Message that explains what failed, where, why, and what to do.
    let description: String
    /// Exit status: 1 if no display is available or no session is running, 2 if the session doesn't have the requested
    /// source.
    let status: Int32

    init(_ description: String, status: Int32) { (self.description, self.status) = (description, status) }
}
