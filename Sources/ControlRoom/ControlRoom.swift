internal import FileSystem
internal import Foundation
internal import Studio

/// The web process of the control room: serves the page and its API, and is a client of the recorder, like any other program.
public enum ControlRoom {
    /// Serves as the supervisor at the other end of standard input says, until it is gone. Blocks the calling thread, which is the web
    /// loop's from then on.
    ///
    /// - Returns: The exit status: 0 when the supervisor has ended it, 1 when nothing could be served.
    public static func run() -> Int32 {
        let supervisor = SupervisorLink()
        var settings: RoomSettings?
        while settings == nil {
            guard let lines = supervisor.read() else { return 1 }
            settings = lines.lazy.compactMap(\.settings).first
        }
        guard let settings else { return 1 }
        do throws(WebError) {
            // What is made before has no thread, and what comes after no rights.
            let entrance = try RoomEntrance(settings)
            let connector = RecorderConnector(OwnedDescriptor(owning: RecorderConnector.descriptor))
            try Room(settings, supervisor, connector).serve(entrance)
            return 0
        } catch {
            var line = SupervisorLine()
            line.failed = error.description
            supervisor.say(line)
            return 1
        }
    }
}
