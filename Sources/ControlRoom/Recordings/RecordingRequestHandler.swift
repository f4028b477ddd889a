internal import CMulticamConfinement
internal import Glibc
internal import MulticamMedia
internal import MulticamSessionFolder

/// Reads recordings for the web loop, which must not wait for a disk or decode anything. Safe to use from any thread.
///
/// Frames, waveforms and file contents are each read by a separate thread, so that a waveform of several
/// hours doesn't delay frames. All these threads run at the lowest priority, so that browsing old recordings
/// can't affect a running recording.
final class RecordingRequestHandler: Sendable {
    private struct PendingRequest: Sendable {
        let ticket: Int
        let request: RecordingRequest
    }

    private enum FileTask: Sendable {
        case open(ticket: Int, RecordingRequest)
        case read(number: Int, any DownloadContent, count: Int, offset: Int64)
    }

    private let mailbox: WebMailbox<RoomMessage>
    private let frames = NewestFirstQueue<PendingRequest>(capacity: RecordingRequestHandler.mostWaiting)
    private let waves = NewestFirstQueue<PendingRequest>(capacity: RecordingRequestHandler.mostWaiting)
    private let files = BoundedQueue<FileTask>(capacity: 256)
    private let isRecording = ConditionLock(false)

    private static let mostWaiting = 32
    private static let lowestPriority: Int32 = 19
    /// Rate limit of all downloads together while a recording is running, in bytes per second.
    private static let bytesPerSecondWhileRecording = 32 << 20

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - folder: Path of the output folder.
    ///   - mailbox: Receives the answers.
    init(_ folder: String, _ mailbox: WebMailbox<RoomMessage>) {
        self.mailbox = mailbox
        for (name, orders) in [("frames", frames), ("waves", waves)] {
            MediaThread.startWhenPossible(name: name) {
                Self.lowerPriority()
                let media = RecordedMedia(folder)
                while let order = orders.next() {
                    let answer = media.response(to: order.request) { !orders.isFinished }
                    mailbox.post(.mediaResponse(ticket: order.ticket, answer))
                }
            }
        }
        let (files, isRecording) = (files, isRecording)
        MediaThread.startWhenPossible(name: "files") {
            Self.lowerPriority()
            var library = RecordingLibrary(folder)
            while let order = files.dequeue() {
                switch order {
                case .open(let ticket, let requested)
                where requested.content == .manifest || requested.content == .files:
                    mailbox.post(.mediaResponse(ticket: ticket, Self.json(requested, &library)))
                case .open(let ticket, let requested):
                    mailbox.post(.fileOpened(ticket: ticket, Self.open(requested, &library)))
                case .read(let number, let file, let count, let offset):
                    let isRecording = isRecording.withLock { $0 }
                    mailbox.post(
                        .fileRead(number: number, file.read(count, at: offset, dropsCache: isRecording)))
                    if isRecording {
                        usleep(useconds_t(count * 1_000_000 / Self.bytesPerSecondWhileRecording))
                    }
                }
            }
        }
    }

    deinit { close() }

    /// Asks the threads to end, without waiting for their end.
    func close() {
        frames.finish()
        waves.finish()
        files.finish()
    }

    /// Sets whether a recording is running, which limits the rate of downloads.
    func setRecording(_ isRecording: Bool) { self.isRecording.withLock { $0 = isRecording } }

    /// Enqueues a request. The answer arrives in the mailbox as `mediaResponse`, or as `fileOpened` if it is a file.
    func enqueue(_ requested: RecordingRequest, ticket: Int) {
        let dropped: PendingRequest?
        switch requested.content {
        case .frame: dropped = frames.enqueue(PendingRequest(ticket: ticket, request: requested))
        case .waveform: dropped = waves.enqueue(PendingRequest(ticket: ticket, request: requested))
        case .manifest, .program, .files, .file, .archive:
            dropped =
                files.tryEnqueue(.open(ticket: ticket, requested))
                ? nil : PendingRequest(ticket: ticket, request: requested)
        }
        guard let dropped else { return }
        mailbox.post(
            .mediaResponse(
                ticket: dropped.ticket, WebResponse(503, message: "Too many requests are waiting. Try again.")
            )
        )
    }

    /// Enqueues a request to read bytes of a file. The bytes arrive in the mailbox as `read`.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - count: Number of bytes.
    ///   - offset: Offset of the first byte.
    ///   - number: Number of the response that needs the bytes.
    func read(_ file: any DownloadContent, _ count: Int, at offset: Int64, for number: Int) {
        if !files.tryEnqueue(.read(number: number, file, count: count, offset: offset)) {
            mailbox.post(.fileRead(number: number, nil))
        }
    }

    private static func json(_ requested: RecordingRequest, _ library: inout RecordingLibrary)
        -> WebResponse
    {
        do throws(RecordingRefusal) {
            guard requested.content == .files else {
                return WebResponse(
                    200, json: WebJSON.text(["manifest": try library.manifest(requested.folder)]))
            }
            let recording = try library.recording(requested.folder)
            return WebResponse(
                200, json: WebJSON.text(try library.downloads(of: recording, named: requested.folder)))
        } catch {
            return WebResponse(error.status, message: error.text)
        }
    }

    private static func open(
        _ requested: RecordingRequest, _ library: inout RecordingLibrary
    ) -> Result<any DownloadContent, RecordingRefusal> {
        Result { () throws(RecordingRefusal) in
            let recording = try library.recording(requested.folder)
            switch requested.content {
            case .program(let part?): return try library.program(of: recording, part: part)
            case .program: return try library.program(of: recording)
            case .archive:
                return ZipArchive(try RecordingLibrary.open(recording.folder), named: requested.folder)
            case .file(let path):
                // Names from a request are compared with the list and never used as paths.
                let folder = try RecordingLibrary.open(recording.folder)
                guard let listed = SessionFile.list(in: folder).first(where: { $0.path == path }) else {
                    throw RecordingRefusal(status: 404, text: "This file is not part of the recording.")
                }
                return try recording.file(listed.path)
            case .manifest, .frame, .waveform, .files: throw .noFolder
            }
        }
    }

    /// Gives the calling thread the lowest priority for the processor and the disk. Linux has both per thread.
    private static func lowerPriority() {
        _ = confine_use_idle_disk_time()
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, lowestPriority)
    }
}

/// Queue of requests for a thread, newest first: a user who scrubs through a recording needs the frame at the current
/// position. Safe to use from any thread.
final class NewestFirstQueue<Order: Sendable>: Sendable {
    private struct State {
        var waiting: [Order] = []
        var isFinished = false
    }

    private let state = ConditionLock(State())
    private let capacity: Int

    /// Creates an empty queue.
    ///
    /// - Parameter capacity: Maximum number of waiting requests, at least one.
    init(capacity: Int) {
        precondition(capacity > 0, "the capacity must be at least 1")
        self.capacity = capacity
    }

    /// Adds a request. Never blocks.
    ///
    /// - Returns: The oldest request if it was removed because the queue is full.
    func enqueue(_ order: Order) -> Order? {
        state.signal { state in
            state.waiting.append(order)
            return state.waiting.count > capacity ? state.waiting.removeFirst() : nil
        }
    }

    /// Waits for a request. Returns `nil` after `finish` has been called.
    func next() -> Order? {
        state.wait { state in
            if state.isFinished { return .some(nil) }
            return state.waiting.popLast().map { .some($0) }
        }
    }

    /// Whether the queue has been finished.
    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Finishes the queue. Waiting requests are discarded.
    func finish() { state.broadcast { $0.isFinished = true } }
}
