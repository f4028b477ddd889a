internal import MulticamStudio
internal import MulticamSystem

/// The control room's web process. The process serves the page and its API, and is a client of the recorder like any
/// other program.
package enum ControlRoom {
    /// Runs the web server with the settings received from the supervisor on standard input, until the
    /// supervisor disconnects. Blocks the calling thread, which becomes the web loop's thread.
    ///
    /// - Returns: The exit status: 0 if the supervisor ended the process, 1 if the server couldn't start.
    package static func run() -> Int32 {
        let supervisor = SupervisorConnection()
        var said: [SupervisorMessage] = []
        while !said.contains(where: { $0.settings != nil }) {
            guard let lines = supervisor.read() else { return 1 }
            said += lines
        }
        guard let settings = said.lazy.compactMap(\.settings).first else { return 1 }
        do throws(WebError) {
            // Before this point, the process has only one thread. After this point, the process can't open other files
            // or ports.
            let entrance = try ServerResources(settings)
            let connector = RecorderConnector(OwnedDescriptor(owning: RecorderConnector.descriptor))
            try ControlRoomServer(settings, supervisor, connector, said).serve(entrance)
            return 0
        } catch {
            var line = SupervisorMessage()
            line.failed = error.description
            supervisor.send(line)
            return 1
        }
    }
}
