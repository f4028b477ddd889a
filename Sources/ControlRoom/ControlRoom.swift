internal import FileSystem
internal import Studio

/// The web process of the control room: serves the page and its API, and is a client of the recorder, like any other program.
public enum ControlRoom {
    /// Serves as the supervisor at the other end of standard input says, until it is gone. Blocks the calling thread, which is the web
    /// loop's from then on.
    ///
    /// - Returns: The exit status: 0 when the supervisor has ended it, 1 when nothing could be served.
    public static func run() -> Int32 {
        let supervisor = SupervisorLink()
        var said: [SupervisorLine] = []
        while !said.contains(where: { $0.settings != nil }) {
            guard let lines = supervisor.read() else { return 1 }
            said += lines
        }
        guard let settings = said.lazy.compactMap(\.settings).first else { return 1 }
        do throws(WebError) {
            // What is made before has no thread, and what comes after no rights.
            let entrance = try RoomEntrance(settings)
            let connector = RecorderConnector(OwnedDescriptor(owning: RecorderConnector.descriptor))
            try Room(settings, supervisor, connector, said).serve(entrance)
            return 0
        } catch {
            var line = SupervisorLine()
            line.failed = error.description
            supervisor.say(line)
            return 1
        }
    }
}
