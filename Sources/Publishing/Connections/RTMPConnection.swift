internal import CMulticamMedia
internal import MulticamEncoding
internal import MulticamMedia

/// Sends FLV over RTMP or RTMPS with libavformat. Each connection has a separate libavformat context, and
/// each call has a deadline.
final class RTMPConnection: LiveOutputConnection {
    static let content = PublishedContent.packets

    private let printable: String
    private let deadline: CallDeadline
    private let muxer: LiveMuxer
    private var output: UnsafeMutablePointer<AVIOContext>?
    private var isBroken = false

    /// Timeout for establishing a connection, from the first request until the server permits publishing.
    private static let connectTimeout = Nanoseconds.seconds(5)
    /// Timeout for passing an item to the operating system. If the network doesn't accept data for this long,
    /// the connection is considered lost.
    private static let sendTimeout = Nanoseconds.seconds(5)
    private static let closeTimeout = Nanoseconds.milliseconds(400)
    /// Requested size of the socket's send buffer in bytes. The kernel doubles this size. The buffer must be
    /// small, because buffered data adds delay and hides network congestion.
    private static let sendBuffer = "131072"

    /// Connects and requests permission to publish.
    init(_ request: ConnectionRequest) throws(PublishingError) {
        let address = request.address
        printable = address.printable
        deadline = CallDeadline(request.cancellation)
        muxer = try LiveMuxer(.flashVideo, request.streams, to: address.printable)
        try Self.probe(address, request.cancellation)
        let output = try Self.open(address, deadline)
        self.output = output
        do throws(PublishingError) {
            try muxer.begin(on: output)
        } catch {
            isBroken = true
            close()
            throw error
        }
    }

    /// Checks whether the server accepts TCP connections at any of the host's addresses.
    private static func probe(
        _ address: LiveOutputAddress, _ cancellation: Cancellation
    ) throws(PublishingError) {
        var failure = PublishingError.lost("the IP address of \(address.printable) was not found.")
        for host in try HostAddress.find(address.host, address.port, .stream) {
            do throws(PublishingError) {
                return try host.probe(named: address.printable, cancellation)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func open(
        _ address: LiveOutputAddress, _ deadline: CallDeadline
    ) throws(PublishingError) -> UnsafeMutablePointer<AVIOContext> {
        var options: OpaquePointer?
        av_dict_set(&options, "rtmp_live", "live", 0)
        av_dict_set(&options, "tcp_nodelay", "1", 0)
        av_dict_set(&options, "send_buffer_size", sendBuffer, 0)
        if address.isEncrypted { av_dict_set(&options, "tls_verify", "1", 0) }
        defer { av_dict_free(&options) }
        deadline.allow(connectTimeout)
        media_forget_messages()
        defer { media_forget_messages() }
        var output: UnsafeMutablePointer<AVIOContext>?
        var callback = deadline.callback
        let code = withExtendedLifetime(deadline) {
            avio_open2(&output, address.text, AVIO_FLAG_WRITE, &callback, &options)
        }
        if code >= 0, let output { return output }
        throw RTMPRefusal.error(of: String(cString: media_messages()), address.printable)
    }

    func send(_ item: PublishedItem) throws(PublishingError) {
        deadline.allow(Self.sendTimeout)
        do throws(PublishingError) {
            try muxer.write(item)
        } catch {
            isBroken = true
            throw error
        }
    }

    var statistics: ConnectionStatistics {
        var statistics = ConnectionStatistics()
        statistics.sentBytes = output?.pointee.bytes_written ?? 0
        return statistics
    }

    func close() {
        guard let output else { return }
        self.output = nil
        deadline.allow(Self.closeTimeout, isCancellable: false)
        // After an error, the last RTMP message may have been sent only partially, so no further data can be
        // sent.
        if !isBroken { muxer.finish() }
        avio_close(output)
    }
}

/// Derives the reason for a server's refusal from libavformat's log messages. The messages may contain the
/// stream key, so no part of them is shown to the user.
enum RTMPRefusal {
    /// Returns the error for a failed connection.
    ///
    /// - Parameters:
    ///   - messages: Log messages of libavformat's protocols, including debug messages.
    ///   - printable: The address without secrets.
    /// - Returns: An error with a message that doesn't contain any part of `messages`.
    static func error(of messages: String, _ printable: String) -> PublishingError {
        let text = messages.lowercased()
        func says(_ words: String...) -> Bool { words.contains { text.contains($0) } }
        if says("certificate", "owner does not match") {
            return .refused(
                "the certificate of \(printable) cannot be verified: it is for another host name, has expired, or its issuer is not trusted."
            )
        }
        // The server hasn't closed an earlier connection from this live output yet.
        if says("already publishing", "already exists", "already in use", "stream is busy") {
            return .lost(
                "\(printable) has not closed the previous connection yet and reports that the stream is already being published."
            )
        }
        if says("server error") {
            return says(
                "auth", "denied", "badname", "bad name", "invalid", "key", "forbidden", "not allowed",
                "reject", "no such", "not found")
                ? .refused(
                    "\(printable) rejected the application or the stream key. Correct them in the address.")
                : .ambiguous("\(printable) rejected the stream.")
        }
        // The last command sent to the server was `publish`, which contains the stream key.
        if says("sending publish command") {
            return .ambiguous(
                "\(printable) closed the connection after it received the stream key. The key is wrong, or the server is not accepting streams."
            )
        }
        return .lost("\(printable) closed the connection or did not complete the RTMP handshake.")
    }
}
