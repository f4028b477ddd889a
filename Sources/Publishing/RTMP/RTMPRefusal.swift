internal import Media

/// Reads from libavformat's messages why a server did not let this process publish. The messages may have the key in them, so nothing of
/// them is shown.
enum RTMPRefusal {
    /// The error for messages of a connection that was not made.
    ///
    /// - Parameters:
    ///   - messages: What libavformat's protocols said, debugging messages included.
    ///   - printable: The address without secrets.
    /// - Returns: An error whose sentence has nothing of the messages.
    static func error(of messages: String, _ printable: String) -> PublishingError {
        let text = messages.lowercased()
        func says(_ words: String...) -> Bool { words.contains { text.contains($0) } }
        if says("certificate", "owner does not match") {
            return .refused(
                "the certificate of \(printable) cannot be verified: it is for another name, is too old, or nobody known has signed it."
            )
        }
        // While an earlier connection of this publication is not forgotten there.
        if says("already publishing", "already exists", "already in use", "stream is busy") {
            return .lost(
                "\(printable) still has the connection from before: it says that somebody publishes already.")
        }
        if says("server error") {
            return says(
                "auth", "denied", "badname", "bad name", "invalid", "key", "forbidden", "not allowed",
                "reject", "no such", "not found")
                ? .refused(
                    "\(printable) refuses the application or the stream key: correct them in the address.")
                : .doubtful("\(printable) refuses to take the stream.")
        }
        // The last thing that this end said was the stream's name.
        if says("sending publish command") {
            return .doubtful(
                "\(printable) has closed the connection when it was told the stream key: the key is wrong, or the server does not take streams now."
            )
        }
        return .lost("\(printable) does not speak RTMP with this computer, or has closed the connection.")
    }
}
