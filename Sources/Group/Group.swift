internal import Glibc

/// Several machines as one session: the process that talks to the other computers of a group. It starts recorders and asks them over their
/// control sockets; nothing that it does can hurt a recording.
public enum Group {
    /// Does what `multicam` asks for. Blocks the calling thread, which must be the main one and the only one.
    ///
    /// - Parameter arguments: The program's name, a word such as `serve`, and words of the form KEY=VALUE.
    /// - Returns: The exit status.
    public static func run(_ arguments: [String]) -> Int32 {
        StopSignals.hold()
        do throws(GroupError) {
            return try GroupTask(Array(arguments.dropFirst())).run()
        } catch {
            Talk.say(error.description)
            return error.status
        }
    }
}
