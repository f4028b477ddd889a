/// Live output: the process that takes what a session records from its media socket, and sends it to servers and devices.
public enum Publishing {
    /// Publishes what standard input asks for, until that ends. Blocks the calling thread, which must be the main one.
    ///
    /// - Parameter arguments: The program's name, `--socket` and the path of the media socket.
    /// - Returns: The exit status: 0 when standard input has ended, 2 for other arguments.
    public static func run(_ arguments: [String]) -> Int32 { 2 }
}
