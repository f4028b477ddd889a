internal import Glibc
internal import Media
internal import SessionFolder

/// Reads recordings for the web loop, which waits for no disk and decodes nothing. Safe to use from any thread.
///
/// Frames, waveforms and the bytes of files have a thread each, so that a waveform of hours keeps no frame waiting. All of them run
/// after everything else that wants the processor: a recording that runs does not notice who looks at an old one.
final class RecordingDesk: Sendable {
    private struct Order: Sendable {
        let ticket: Int
        let wish: RecordingWish
    }

    private enum FileOrder: Sendable {
        case open(ticket: Int, RecordingWish)
        case read(number: Int, RecordedFile, count: Int, offset: Int64)
    }

    private let mailbox: WebMailbox<RoomMessage>
    private let frames = NewestFirst<Order>(capacity: RecordingDesk.mostWaiting)
    private let waves = NewestFirst<Order>(capacity: RecordingDesk.mostWaiting)
    private let files = BoundedQueue<FileOrder>(capacity: 256)

    private static let mostWaiting = 32
    private static let lowestPriority: Int32 = 19

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - folder: Path of the output folder.
    ///   - mailbox: Where answers go.
    init(_ folder: String, _ mailbox: WebMailbox<RoomMessage>) {
        self.mailbox = mailbox
        for (name, orders) in [("frames", frames), ("waves", waves)] {
            _ = MediaThread(name: name) {
                Self.stepBack()
                let media = RecordedMedia(folder)
                while let order = orders.next() {
                    let answer = media.answer(order.wish) { !orders.isFinished }
                    mailbox.post(.made(ticket: order.ticket, answer))
                }
            }
        }
        let files = files
        _ = MediaThread(name: "files") {
            Self.stepBack()
            var shelf = RecordingShelf(folder)
            while let order = files.next() {
                switch order {
                case .open(let ticket, let wish) where wish.content == .manifest:
                    mailbox.post(.made(ticket: ticket, Self.manifest(wish, shelf)))
                case .open(let ticket, let wish):
                    mailbox.post(.opened(ticket: ticket, Self.open(wish, &shelf)))
                case .read(let number, let file, let count, let offset):
                    mailbox.post(.read(number: number, file.read(count, at: offset)))
                }
            }
        }
    }

    deinit { close() }

    /// Ends the threads soon.
    func close() {
        frames.finish()
        waves.finish()
        files.finish()
    }

    /// Has a wish fulfilled: the answer comes to the mailbox as `made`, a file as `opened`.
    func fulfil(_ wish: RecordingWish, ticket: Int) {
        let dropped: Order?
        switch wish.content {
        case .frame, .edits: dropped = frames.put(Order(ticket: ticket, wish: wish))
        case .waveform: dropped = waves.put(Order(ticket: ticket, wish: wish))
        case .manifest, .program, .edited:
            dropped =
                files.offer(.open(ticket: ticket, wish)) ? nil : Order(ticket: ticket, wish: wish)
        }
        guard let dropped else { return }
        mailbox.post(
            .made(ticket: dropped.ticket, WebAnswer(503, saying: "Too many wait for it: ask again.")))
    }

    /// Has bytes of a file read: they come to the mailbox as `read`.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - count: How many bytes are wanted.
    ///   - offset: Where they begin.
    ///   - number: The number of who wants them.
    func read(_ file: RecordedFile, _ count: Int, at offset: Int64, for number: Int) {
        if !files.offer(.read(number: number, file, count: count, offset: offset)) {
            mailbox.post(.read(number: number, nil))
        }
    }

    private static func manifest(_ wish: RecordingWish, _ shelf: RecordingShelf) -> WebAnswer {
        do throws(RecordingRefusal) {
            return WebAnswer(200, json: WebJSON.text(["manifest": try shelf.manifest(wish.folder)]))
        } catch {
            return WebAnswer(error.status, saying: error.text)
        }
    }

    private static func open(
        _ wish: RecordingWish, _ shelf: inout RecordingShelf
    ) -> Result<RecordedFile, RecordingRefusal> {
        Result { () throws(RecordingRefusal) in
            let recording = try shelf.recording(wish.folder)
            switch wish.content {
            case .program(let part):
                guard let track = recording.manifest.tracks.first(where: { $0.kind == "program" }) else {
                    throw RecordingRefusal(status: 404, text: "This recording has no program.")
                }
                let files = RecordingShelf.files(of: track)
                guard part <= files.count else {
                    throw RecordingRefusal(
                        status: 404, text: "The program of this recording has \(files.count) files.")
                }
                return try recording.file(files[part - 1].file)
            case .edited(let name): return try recording.file("edit/\(name)")
            case .manifest, .frame, .waveform, .edits: throw .noFolder
            }
        }
    }

    /// Lets the calling thread run when nobody else wants the processor. Linux has a nice value for each thread.
    private static func stepBack() {
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, lowestPriority)
    }
}
