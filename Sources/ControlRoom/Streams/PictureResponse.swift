internal import CMulticamSoup
internal import FoundationEssentials
internal import MulticamMedia

/// Response to a request for a picture: one JPEG, or a sequence of JPEGs (`multipart/x-mixed-replace`) for programs
/// such as OBS and VLC. Used only on the web loop's thread.
///
/// The next JPEG is sent when the previous one has been written to the connection. Frames in between are dropped.
final class PictureResponse {
    let key: StreamKey
    private let request: WebRequest
    private let isStream: Bool
    /// Number of chunks of the last JPEG that libsoup hasn't written to the connection yet.
    private var unwritten = 0
    private var hasSent = false
    private(set) var isFinished = false

    private var lastSendTime = MonotonicClock().now

    private static let boundary = "frame"
    /// Time without a frame after which a camera counts as having no picture.
    private static let stallTimeout = Nanoseconds.seconds(3)

    /// Pauses the request until the first frame arrives.
    init(_ request: WebRequest, _ key: StreamKey, isStream: Bool, _ headers: [String: String]) {
        (self.request, self.key, self.isStream) = (request, key, isStream)
        var answer = WebResponse(200, "image/jpeg", Data())
        answer.bytes = nil
        answer.headers = headers
        answer.headers["Content-Type"] =
            isStream ? "multipart/x-mixed-replace; boundary=\(Self.boundary)" : "image/jpeg"
        request.respond(with: answer)
        if isStream {
            soup_message_headers_set_encoding(
                soup_server_message_get_response_headers(request.message), SOUP_ENCODING_EOF)
            soup_message_body_set_accumulate(soup_server_message_get_response_body(request.message), 0)
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = soup_web_observe_message(
            request.message, "wrote-chunk", { _, context in PictureResponse.of(context)?.chunkWritten() },
            context)
        _ = soup_web_observe_message(
            request.message, "finished", { _, context in PictureResponse.of(context)?.isFinished = true },
            context)
        request.pause()
    }

    deinit {
        soup_web_forget(UnsafeMutableRawPointer(request.message), Unmanaged.passUnretained(self).toOpaque())
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> PictureResponse? {
        context.map { Unmanaged<PictureResponse>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Ends the response if no frame has arrived for 3 seconds, or if the client hasn't read any frame during
    /// this time.
    func endIfStalled(at now: ClockTime) {
        if now - lastSendTime > Self.stallTimeout { end("This camera is not delivering frames.") }
    }

    /// Ends the response. If no picture has been sent yet, the status is 503 with a message.
    func end(_ sentence: String) {
        guard !isFinished else { return }
        isFinished = true
        if !hasSent { request.respond(with: WebResponse(503, message: sentence)) }
        if isStream {
            soup_message_body_complete(soup_server_message_get_response_body(request.message))
            // A client that doesn't read would otherwise keep the connection open forever.
            if unwritten > 0 { request.disconnect() }
        }
        request.resume()
    }

    private func chunkWritten() { unwritten = max(0, unwritten - 1) }

    /// Sends a JPEG.
    func send(_ bytes: SharedBytes) {
        guard !isFinished, unwritten == 0 else { return }
        (lastSendTime, hasSent) = (MonotonicClock().now, true)
        let body = soup_server_message_get_response_body(request.message)
        if isStream {
            let head =
                "--\(Self.boundary)\r\nContent-Type: image/jpeg\r\nContent-Length: \(bytes.count)\r\n\r\n"
            soup_message_body_append(body, SOUP_MEMORY_COPY, head, gsize(head.utf8.count))
            unwritten = 3
        }
        soup_message_body_append(body, SOUP_MEMORY_COPY, bytes.start, gsize(bytes.count))
        if isStream {
            soup_message_body_append(body, SOUP_MEMORY_COPY, "\r\n", 2)
        } else {
            isFinished = true
        }
        request.resume(isWhole: !isStream)
    }
}

/// A request for a picture, parsed from its path.
struct PictureRequest {
    /// The camera's role; `nil` for the program.
    let role: String?
    /// Whether the request is for a sequence of frames.
    let isStream: Bool
    let key: StreamKey

    /// Frame rate of a sequence, in frames per second.
    private static let rate = 30

    /// Parses a path.
    ///
    /// - Parameters:
    ///   - path: `/api/v1/cameras/ROLE.jpg`, `.mjpg`, or `/api/v1/program.jpg`, `.mjpg`.
    ///   - width: Maximum width in pixels.
    init?(_ path: String, width: Int) {
        isStream = path.hasSuffix(".mjpg")
        guard let end = path.lastIndex(of: ".") else { return nil }
        let name = path[..<end]
        if name == "/api/v1/program" {
            role = nil
        } else if name.hasPrefix("/api/v1/cameras/") {
            role = String(name.dropFirst("/api/v1/cameras/".count))
        } else {
            return nil
        }
        key = .frames(of: role, width: width, rate: Self.rate)
    }
}

/// The picture requests in progress, for single frames and for sequences. Used only on the web loop's thread.
final class PictureRegistry {
    private var pictures: [PictureResponse] = []
    /// Called when the set of requested pictures changes.
    var keysChanged: () -> Void = {}

    private static let mostPictures = 64

    /// Streams that the requested pictures come from.
    var keys: Set<StreamKey> { Set(pictures.map(\.key)) }

    /// Pauses a request until its picture is available.
    ///
    /// - Returns: The response that refuses the request; `nil` if the request is waiting.
    func add(_ request: WebRequest, _ requested: PictureRequest, _ headers: [String: String]) -> WebResponse?
    {
        guard pictures.count < Self.mostPictures else {
            return WebResponse(503, message: "Too many picture requests are in progress. Try again.")
        }
        pictures.append(PictureResponse(request, requested.key, isStream: requested.isStream, headers))
        keysChanged()
        return nil
    }

    /// Sends the pieces of a stream to the requests that are waiting for them.
    func send(_ pieces: [StreamPiece], of key: StreamKey) {
        for picture in pictures where picture.key == key { for piece in pieces { picture.send(piece.bytes) } }
        removeFinished()
    }

    /// Ends the responses for cameras that send no frames. The client may have disconnected, and a paused request isn't
    /// notified of the disconnection.
    func endStalled(at now: ClockTime) {
        for picture in pictures { picture.endIfStalled(at: now) }
        removeFinished()
    }

    /// Ends the responses for streams that couldn't be opened, with a message that explains why.
    func end(_ sentence: String, of keys: Set<StreamKey>) {
        for picture in pictures where keys.contains(picture.key) { picture.end(sentence) }
        removeFinished()
    }

    private func removeFinished() {
        let count = pictures.count
        pictures.removeAll(where: \.isFinished)
        if pictures.count != count { keysChanged() }
    }
}
