internal import CMulticamSoup
internal import FoundationEssentials
internal import Glibc
internal import MulticamMedia
internal import MulticamSystem

/// Response to a request for a file or a part of it, sent in pieces. Used only on the web loop's thread.
///
/// At most two pieces are in memory, however slowly the client reads. A client that doesn't read any data for
/// a minute is disconnected. Browsers request the rest of the file again if they need it.
final class FileResponse {
    /// Number that identifies this response when pieces are delivered.
    let number: Int
    private(set) var isFinished = false
    private let request: WebRequest
    private let file: any DownloadContent
    private let requestBytes: (any DownloadContent, _ count: Int, _ offset: Int64) -> Void
    /// Range of bytes that haven't been requested yet.
    private var rest: Range<Int64>
    /// Number of pieces requested but not yet written.
    private var requestedPieces = 0
    private var unwritten = 0
    /// Time when the client last read a piece, or when a piece was last ready for it.
    private var lastProgress = MonotonicClock().now

    private static let pieceBytes: Int64 = 1 << 18
    private static let mostPieces = 2
    private static let stallTimeout = Nanoseconds.seconds(60)

    /// Starts the response.
    ///
    /// - Parameters:
    ///   - request: The paused request.
    ///   - file: The file.
    ///   - number: The number of this response.
    ///   - headers: Headers of every response.
    ///   - requestBytes: Requests bytes of the file, which are delivered to `receive`.
    init(
        _ request: WebRequest, _ file: any DownloadContent, number: Int, headers: [String: String],
        requestBytes: @escaping (any DownloadContent, _ count: Int, _ offset: Int64) -> Void
    ) {
        (self.request, self.file, self.number, self.requestBytes) = (request, file, number, requestBytes)
        // Parts of different versions of the file don't fit together.
        let isSame = file.tag != nil && (request.head.ifRange.map { $0 == file.tag } ?? true)
        let isHead = request.head.method == "HEAD"
        // The standard defines ranges only for GET.
        let range = ByteRange(isSame && !isHead ? request.head.range : nil, of: file.byteCount)
        var answer = WebResponse(200, file.type, Data())
        answer.bytes = nil
        answer.headers = headers
        answer.headers["Content-Type"] = file.type
        answer.headers["Accept-Ranges"] = file.tag == nil ? "none" : "bytes"
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
            answer = WebResponse(416, message: "Range not satisfiable: the file has \(file.byteCount) bytes.")
            answer.headers = headers
            answer.headers["Content-Range"] = "bytes */\(file.byteCount)"
        }
        request.respond(with: answer)
        guard !rest.isEmpty else {
            isFinished = true
            request.resume()
            return
        }
        let sent = soup_server_message_get_response_headers(request.message)
        soup_message_headers_set_encoding(sent, SOUP_ENCODING_CONTENT_LENGTH)
        soup_message_headers_set_content_length(sent, goffset(rest.count))
        guard !isHead else {
            isFinished = true
            request.resume()
            return
        }
        soup_message_body_set_accumulate(soup_server_message_get_response_body(request.message), 0)
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = soup_web_observe_message(
            request.message, "wrote-chunk", { _, context in FileResponse.of(context)?.chunkWritten() },
            context)
        _ = soup_web_observe_message(
            request.message, "finished", { _, context in FileResponse.of(context)?.isFinished = true },
            context)
        requestMore()
    }

    deinit {
        soup_web_forget(UnsafeMutableRawPointer(request.message), Unmanaged.passUnretained(self).toOpaque())
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> FileResponse? {
        context.map { Unmanaged<FileResponse>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Receives the next bytes; `nil` if they couldn't be read. If bytes can't be read, the connection is closed, and
    /// the client knows how many bytes are missing.
    func receive(_ bytes: Data?) {
        guard !isFinished else { return }
        requestedPieces -= 1
        lastProgress = MonotonicClock().now
        guard let bytes, !bytes.isEmpty else { return end() }
        let body = soup_server_message_get_response_body(request.message)
        bytes.withUnsafeBytes {
            soup_message_body_append(body, SOUP_MEMORY_COPY, $0.baseAddress, gsize($0.count))
        }
        unwritten += 1
        // libsoup pauses the response when it has written all bytes that it was given.
        if unwritten == 1 { request.resume(isWhole: false) }
        requestMore()
    }

    /// Closes the connection if the client has read nothing for a minute. The time that the disk needs for a piece doesn't
    /// count.
    func endIfStalled(at now: ClockTime) {
        if !isFinished, requestedPieces == 0, now - lastProgress > Self.stallTimeout { end() }
    }

    private func chunkWritten() {
        lastProgress = MonotonicClock().now
        unwritten = max(0, unwritten - 1)
        requestMore()
    }

    private func requestMore() {
        // If the file has become shorter, a piece has fewer bytes than requested, and the next piece can't be read.
        guard !isFinished, requestedPieces == 0, unwritten < Self.mostPieces, !rest.isEmpty else { return }
        let count = min(Self.pieceBytes, Int64(rest.count))
        requestedPieces += 1
        requestBytes(file, Int(count), rest.lowerBound)
        rest = rest.lowerBound + count..<rest.upperBound
    }

    private func end() {
        isFinished = true
        request.disconnect()
        request.resume()
    }
}

/// The bytes that a request's `Range` header selects (RFC 9110, section 14).
enum ByteRange: Equatable {
    /// The whole file.
    case whole
    /// A part of the file, at least one byte.
    case part(Range<Int64>)
    /// A range outside the file.
    case none

    /// Parses the header.
    ///
    /// - Parameters:
    ///   - header: The header's value, such as `bytes=0-499`, `bytes=500-` or `bytes=-500`; `nil` if the
    ///     header is absent. As the standard requires, another unit, several ranges, or an invalid range
    ///     selects the whole file.
    ///   - count: Size of the file in bytes.
    init(_ header: String?, of count: Int64) {
        self = .whole
        guard let header, header.lowercased().hasPrefix("bytes=") else { return }
        let text = header.dropFirst("bytes=".count).filter { $0 != " " }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, !text.contains(",") else { return }
        func number(_ digits: Substring) -> Int64? {
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
            // The number has more digits than any file size.
            return Int64(digits) ?? .max
        }
        switch (number(ends[0]), number(ends[1])) {
        case (let first?, let last?) where first <= last:
            self = first < count ? .part(first..<(min(last, count - 1) + 1)) : .none
        case (let first?, nil) where ends[1].isEmpty:
            self = first < count ? .part(first..<count) : .none
        case (nil, let length?) where ends[0].isEmpty:
            self = length > 0 && count > 0 ? .part(max(0, count - length)..<count) : .none
        default: return
        }
    }
}

/// The content of a response that is sent in pieces. Safe to use from any thread, but one thread at a time.
protocol DownloadContent: Sendable {
    /// Number of bytes.
    var byteCount: Int64 { get }
    /// Identifies this version of the content: any change to the content also changes the tag. The value is `nil` if the
    /// content can only be read from the start to the end.
    var tag: String? { get }
    /// Media type.
    var type: String { get }

    /// Reads bytes. Blocks until the disk has delivered the bytes.
    ///
    /// - Parameters:
    ///   - count: Number of bytes.
    ///   - offset: Offset of the first byte.
    ///   - dropsCache: Whether the bytes are removed from the page cache, so that a large download doesn't displace data of
    ///     other programs.
    /// - Returns: `count` bytes; fewer bytes or `nil` if they can't be read.
    func read(_ count: Int, at offset: Int64, dropsCache: Bool) -> Data?
}

/// A file of a recording, open for reading. Safe to use from any thread.
final class RecordedFile: DownloadContent {
    /// Size of the file in bytes when it was opened.
    let byteCount: Int64
    /// Identifies this version of the file.
    var tag: String? { version }
    /// The tag, which every file has.
    let version: String
    /// Time of the last modification, in seconds since 1970.
    let modified: Int
    /// Media type of the content.
    let type: String
    private let descriptor: OwnedDescriptor

    /// Opens a file in a folder without following symbolic links, so that a recording from another computer can't refer
    /// to a file outside its folder. Returns `nil` if no such regular file exists or it can't be read.
    ///
    /// - Parameters:
    ///   - path: A path within the folder; see `isSafeRelativePath`.
    ///   - folder: Path of the session folder.
    convenience init?(_ path: String, in folder: String) {
        do throws(FileError) {
            self.init(path, in: try ContainedFolder(opening: folder))
        } catch {
            return nil
        }
    }

    /// Opens a file in a folder that is held open.
    init?(_ path: String, in folder: ContainedFolder) {
        do throws(FileError) {
            descriptor = try folder.file(path).openForReading()
        } catch {
            return nil
        }
        var facts = stat()
        guard fstat(descriptor.number, &facts) == 0 else { return nil }
        byteCount = Int64(facts.st_size)
        modified = facts.st_mtim.tv_sec
        version = "\"\(facts.st_ino)-\(facts.st_size)-\(facts.st_mtim.tv_sec)-\(facts.st_mtim.tv_nsec)\""
        type =
            switch path.split(separator: ".").last {
            case "mp4": "video/mp4"
            case "mov": "video/quicktime"
            case "m4a": "audio/mp4"
            case "wav": "audio/wav"
            case "jpg": "image/jpeg"
            case "json", "otio": "application/json"
            case "fcpxml", "mlt": "application/xml"
            default: "application/octet-stream"
            }
    }

    /// A path that reopens exactly this file.
    var path: String { "/proc/self/fd/\(descriptor.number)" }

    /// Reads bytes of the file. Blocks until the disk has delivered the bytes.
    ///
    /// - Returns: At most `count` bytes, fewer at the end of the file; `nil` if the file can't be read.
    func read(_ count: Int, at offset: Int64, dropsCache: Bool = false) -> Data? {
        var bytes = Data(count: count)
        let got = bytes.withUnsafeMutableBytes { buffer in
            while true {
                let got = pread(descriptor.number, buffer.baseAddress, buffer.count, off_t(offset))
                if got >= 0 || errno != EINTR { return got }
            }
        }
        if dropsCache, got > 0 {
            posix_fadvise(descriptor.number, off_t(offset), off_t(got), POSIX_FADV_DONTNEED)
        }
        return got > 0 ? bytes.prefix(got) : nil
    }
}
