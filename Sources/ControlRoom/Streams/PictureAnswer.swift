internal import CSoup
internal import FoundationEssentials
internal import Media

/// The answer to a request for a picture: one JPEG, or JPEGs one after the other (`multipart/x-mixed-replace`) as OBS and VLC show
/// them. Belongs to the thread of the web loop.
///
/// The next JPEG is sent when the last one has been written to the connection; those between are left out.
final class PictureAnswer {
    let key: StreamKey
    private let request: WebRequest
    private let isStream: Bool
    /// Chunks of the last JPEG that libsoup has not written to the connection yet.
    private var unwritten = 0
    private var hasSent = false
    private(set) var isFinished = false

    private var last = MonotonicClock().now

    private static let boundary = "frame"
    /// A camera that sends nothing for this long has no picture.
    private static let patience = Nanoseconds.seconds(3)

    /// Lets the request wait for the first frame.
    init(_ request: WebRequest, _ key: StreamKey, isStream: Bool, _ headers: [String: String]) {
        (self.request, self.key, self.isStream) = (request, key, isStream)
        var answer = WebAnswer(200, "image/jpeg", Data())
        answer.bytes = nil
        answer.headers = headers
        answer.headers["Content-Type"] =
            isStream ? "multipart/x-mixed-replace; boundary=\(Self.boundary)" : "image/jpeg"
        request.answer(answer)
        if isStream {
            soup_message_headers_set_encoding(
                soup_server_message_get_response_headers(request.message), SOUP_ENCODING_EOF)
            soup_message_body_set_accumulate(soup_server_message_get_response_body(request.message), 0)
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = soup_web_observe_message(
            request.message, "wrote-chunk", { _, context in PictureAnswer.of(context)?.wrote() }, context)
        _ = soup_web_observe_message(
            request.message, "finished", { _, context in PictureAnswer.of(context)?.isFinished = true },
            context)
        request.pause()
    }

    deinit {
        soup_web_forget(UnsafeMutableRawPointer(request.message), Unmanaged.passUnretained(self).toOpaque())
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> PictureAnswer? {
        context.map { Unmanaged<PictureAnswer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Ends the answer when no picture came for a while, or the other side has read none.
    func endIfLate(at now: ClockTime) {
        if now - last > Self.patience { end("This camera sends no picture now.") }
    }

    /// Ends the answer: with 503 and a sentence where no picture was sent yet.
    func end(_ sentence: String) {
        guard !isFinished else { return }
        isFinished = true
        if !hasSent { request.answer(WebAnswer(503, saying: sentence)) }
        if isStream {
            soup_message_body_complete(soup_server_message_get_response_body(request.message))
            // Who does not read would keep the connection for ever.
            if unwritten > 0 { request.disconnect() }
        }
        request.resume()
    }

    private func wrote() { unwritten = max(0, unwritten - 1) }

    /// Sends a JPEG.
    func send(_ bytes: SharedBytes) {
        guard !isFinished, unwritten == 0 else { return }
        (last, hasSent) = (MonotonicClock().now, true)
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
