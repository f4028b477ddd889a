internal import CSoup
internal import FoundationEssentials
internal import Media

/// The answer to a request for a file: its bytes, or a part of them, in pieces. Belongs to the thread of the web loop.
///
/// Two pieces at most lie in memory, however slowly the other side reads. Who reads nothing for a minute is cut off; a browser asks
/// again for what it still wants.
final class FileAnswer {
    /// By this number pieces find their way here.
    let number: Int
    private(set) var isFinished = false
    private let request: WebRequest
    private let file: RecordedFile
    private let ask: (RecordedFile, _ count: Int, _ offset: Int64) -> Void
    /// The bytes that are not asked for yet.
    private var rest: Range<Int64>
    /// Pieces that were asked for or wait to be written.
    private var asked = 0
    private var unwritten = 0
    private var last = MonotonicClock().now

    private static let pieceBytes: Int64 = 1 << 18
    private static let mostPieces = 2
    private static let patience = Nanoseconds.seconds(60)

    /// Begins to answer.
    ///
    /// - Parameters:
    ///   - request: The request, which waits.
    ///   - file: The file.
    ///   - number: The answer's number.
    ///   - headers: Headers that each answer has.
    ///   - ask: Has bytes of the file read; they come back by `take`.
    init(
        _ request: WebRequest, _ file: RecordedFile, number: Int, headers: [String: String],
        ask: @escaping (RecordedFile, _ count: Int, _ offset: Int64) -> Void
    ) {
        (self.request, self.file, self.number, self.ask) = (request, file, number, ask)
        // A part of an earlier state does not fit to another part of this one.
        let isSame = request.head.ifRange.map { $0 == file.tag } ?? true
        let range = ByteRange(isSame ? request.head.range : nil, of: file.byteCount)
        var answer = WebAnswer(200, file.type, Data())
        answer.bytes = nil
        answer.headers = headers
        answer.headers["Content-Type"] = file.type
        answer.headers["Accept-Ranges"] = "bytes"
        answer.headers["ETag"] = file.tag
        switch range {
        case .whole: rest = 0..<file.byteCount
        case .part(let part):
            rest = part
            answer.status = 206
            answer.headers["Content-Range"] =
                "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.byteCount)"
        case .none:
            rest = 0..<0
            answer = WebAnswer(416, saying: "The file has \(file.byteCount) bytes.")
            answer.headers = headers
            answer.headers["Content-Range"] = "bytes */\(file.byteCount)"
        }
        request.answer(answer)
        guard !rest.isEmpty else {
            isFinished = true
            request.resume()
            return
        }
        let sent = soup_server_message_get_response_headers(request.message)
        soup_message_headers_set_encoding(sent, SOUP_ENCODING_CONTENT_LENGTH)
        soup_message_headers_set_content_length(sent, goffset(rest.count))
        soup_message_body_set_accumulate(soup_server_message_get_response_body(request.message), 0)
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = soup_web_observe_message(
            request.message, "wrote-chunk", { _, context in FileAnswer.of(context)?.wrote() }, context)
        _ = soup_web_observe_message(
            request.message, "finished", { _, context in FileAnswer.of(context)?.isFinished = true }, context)
        askForMore()
    }

    deinit {
        soup_web_forget(UnsafeMutableRawPointer(request.message), Unmanaged.passUnretained(self).toOpaque())
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> FileAnswer? {
        context.map { Unmanaged<FileAnswer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Takes the next bytes; `nil` when they cannot be read, which ends the connection: the other side knows how many are missing.
    func take(_ bytes: Data?) {
        guard !isFinished else { return }
        asked -= 1
        guard let bytes, !bytes.isEmpty else { return end() }
        let body = soup_server_message_get_response_body(request.message)
        bytes.withUnsafeBytes {
            soup_message_body_append(body, SOUP_MEMORY_COPY, $0.baseAddress, gsize($0.count))
        }
        unwritten += 1
        // libsoup sleeps when it has written all that it had.
        if unwritten == 1 { request.resume(isWhole: false) }
        askForMore()
    }

    /// Ends the connection when the other side has read nothing for a while.
    func endIfLate(at now: ClockTime) {
        if !isFinished, now - last > Self.patience { end() }
    }

    private func wrote() {
        last = MonotonicClock().now
        unwritten = max(0, unwritten - 1)
        askForMore()
    }

    private func askForMore() {
        // A file that has become shorter gives fewer bytes than were asked for; then the next piece is missing, too.
        guard !isFinished, asked == 0, unwritten < Self.mostPieces, !rest.isEmpty else { return }
        let count = min(Self.pieceBytes, Int64(rest.count))
        asked += 1
        ask(file, Int(count), rest.lowerBound)
        rest = rest.lowerBound + count..<rest.upperBound
    }

    private func end() {
        isFinished = true
        request.disconnect()
        request.resume()
    }
}
