internal import Media

/// A connection to a server, or a device that is open. One thread opens, uses and closes it; another connection follows when it is lost.
///
/// Calls may block while the network or the device lets them, but not for longer than some seconds, and they return at once when
/// the request's `cancellation` is given. No error, and nothing on standard error, may have a secret of the address in it.
package protocol DestinationConnection: AnyObject, SendableMetatype {
    /// What it takes.
    static var content: PublishedContent { get }

    /// Connects.
    ///
    /// - Parameter request: The address and what will be sent.
    /// - Throws: `PublishingError` that says whether to try again.
    init(_ request: DestinationRequest) throws(PublishingError)

    /// Sends an item. The first one of H.264 is a key frame.
    ///
    /// - Throws: `PublishingError` when the connection is lost or the destination refuses what comes.
    func send(_ item: PublishedItem) throws(PublishingError)

    /// Looks whether the connection lives. Called at least twice a second while there is nothing to send.
    ///
    /// - Throws: `PublishingError` when the connection is lost.
    func check() throws(PublishingError)

    /// What the connection measures. Called after `send` and `check`.
    var statistics: ConnectionStatistics { get }

    /// Says goodbye, within half a second. Nothing is called afterwards.
    func close()
}

extension DestinationConnection {
    /// Does nothing: the next `send` finds a loss.
    package func check() throws(PublishingError) {}
}
