internal import CMedia
internal import Encoding
internal import Media

/// FLV over RTMP or RTMPS by libavformat: a context of its own for each connection, and a deadline for every call.
final class RTMPConnection: DestinationConnection {
    static let content = PublishedContent.packets

    private let printable: String
    private let deadline: CallDeadline
    private let muxer: LiveMuxer
    private var output: UnsafeMutablePointer<AVIOContext>?
    private var isBroken = false

    /// How long the server may take from the connection to the permission to publish.
    private static let greeting = Nanoseconds.seconds(5)
    /// How long an item may take until the system has it: a link that takes nothing for so long is lost.
    private static let sending = Nanoseconds.seconds(5)
    private static let farewell = Nanoseconds.milliseconds(400)
    /// Bytes that the system keeps of what was sent; it doubles the number. What waits there is late, and tells nothing of the link.
    private static let sendBuffer = "131072"

    /// Connects and asks to publish.
    init(_ request: DestinationRequest) throws(PublishingError) {
        let address = request.address
        printable = address.printable
        deadline = CallDeadline(request.cancellation)
        muxer = try LiveMuxer(.flashVideo, request.streams, to: address.printable)
        try Self.knock(address, request.cancellation)
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

    /// Looks for an address of the host at which somebody listens.
    private static func knock(
        _ address: DestinationAddress, _ cancellation: Cancellation
    ) throws(PublishingError) {
        var failure = PublishingError.lost("\(address.printable) has no address.")
        for host in try HostAddress.find(address.host, address.port, .stream) {
            do throws(PublishingError) {
                return try host.knock(named: address.printable, cancellation)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func open(
        _ address: DestinationAddress, _ deadline: CallDeadline
    ) throws(PublishingError) -> UnsafeMutablePointer<AVIOContext> {
        var options: OpaquePointer?
        av_dict_set(&options, "rtmp_live", "live", 0)
        av_dict_set(&options, "tcp_nodelay", "1", 0)
        av_dict_set(&options, "send_buffer_size", sendBuffer, 0)
        if address.isEncrypted { av_dict_set(&options, "tls_verify", "1", 0) }
        defer { av_dict_free(&options) }
        deadline.allow(greeting)
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
        deadline.allow(Self.sending)
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
        deadline.allow(Self.farewell, hears: false)
        // Half a message went out before an error; nothing can follow it.
        if !isBroken { muxer.finish() }
        avio_close(output)
    }
}
