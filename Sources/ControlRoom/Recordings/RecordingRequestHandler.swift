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
        case read(number: Int, RecordedFile, count: Int, offset: Int64)
    }

    private let mailbox: WebMailbox<RoomMessage>
    private let frames = NewestFirstQueue<PendingRequest>(capacity: RecordingRequestHandler.mostWaiting)
    private let waves = NewestFirstQueue<PendingRequest>(capacity: RecordingRequestHandler.mostWaiting)
    private let files = BoundedQueue<FileTask>(capacity: 256)

    private static let mostWaiting = 32
    private static let lowestPriority: Int32 = 19

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
        let files = files
        MediaThread.startWhenPossible(name: "files") {
            Self.lowerPriority()
            var shelf = RecordingLibrary(folder)
            while let order = files.dequeue() {
                switch order {
                case .open(let ticket, let requested) where requested.content == .manifest:
                    mailbox.post(.mediaResponse(ticket: ticket, Self.manifest(requested, shelf)))
                case .open(let ticket, let requested):
                    mailbox.post(.fileOpened(ticket: ticket, Self.open(requested, &shelf)))
                case .read(let number, let file, let count, let offset):
                    mailbox.post(.fileRead(number: number, file.read(count, at: offset)))
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

    /// Enqueues a request. The answer arrives in the mailbox as `mediaResponse`, or as `fileOpened` if it is a file.
    func enqueue(_ requested: RecordingRequest, ticket: Int) {
        let dropped: PendingRequest?
        switch requested.content {
        case .frame, .edits: dropped = frames.enqueue(PendingRequest(ticket: ticket, request: requested))
        case .waveform: dropped = waves.enqueue(PendingRequest(ticket: ticket, request: requested))
        case .manifest, .program, .edited:
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
    func read(_ file: RecordedFile, _ count: Int, at offset: Int64, for number: Int) {
        if !files.tryEnqueue(.read(number: number, file, count: count, offset: offset)) {
            mailbox.post(.fileRead(number: number, nil))
        }
    }

    private static func manifest(_ requested: RecordingRequest, _ shelf: RecordingLibrary) -> WebResponse {
        do throws(RecordingRefusal) {
            return WebResponse(200, json: WebJSON.text(["manifest": try shelf.manifest(requested.folder)]))
        } catch {
            return WebResponse(error.status, message: error.text)
        }
    }

    private static func open(
        _ requested: RecordingRequest, _ shelf: inout RecordingLibrary
    ) -> Result<RecordedFile, RecordingRefusal> {
        Result { () throws(RecordingRefusal) in
            let recording = try shelf.recording(requested.folder)
            switch requested.content {
            case .program(let part):
                guard let track = recording.manifest.tracks.first(where: { $0.kind == "program" }) else {
                    throw RecordingRefusal(status: 404, text: "This recording does not have a program.")
                }
                let files = RecordingLibrary.files(of: track)
                guard part <= files.count else {
                    throw RecordingRefusal(
                        status: 404,
                        text: "This program file does not exist. Number of program files: \(files.count).")
                }
                return try recording.file(files[part - 1].file)
            case .edited(let name): return try recording.file("edit/\(name)")
            case .manifest, .frame, .waveform, .edits: throw .noFolder
            }
        }
    }

    /// Gives the calling thread the lowest priority. Linux has a nice value per thread.
    private static func lowerPriority() {
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
