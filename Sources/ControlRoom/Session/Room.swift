internal import Media
internal import SessionFolder
internal import Studio

/// The control room's server: puts its parts together, and lets them know what comes from recorder, supervisor and pages. Belongs to the
/// thread of the web loop.
// Collaborators: this is where the parts of the web process are put together.
final class Room {
    private let loop = WebLoop()
    private let mailbox: WebMailbox<RoomMessage>
    private let settings: RoomSettings
    private let supervisor: SupervisorLink
    private let recorder: RecorderLink
    private let board = RecorderBoard()
    private let streams: StreamBoard
    private let pages: PageBoard
    private let pictures = PictureBoard()
    private let requests: RequestDesk
    private let recordings: RecordingDesk
    private let jobs = JobList()
    private let phones: PhoneBoard
    private let uploads: PhoneUploads
    /// Streams that pages were told to be too many.
    private var refused: Set<StreamKey> = []

    private static let levelInterval = Nanoseconds.milliseconds(50)

    /// Prepares to serve.
    ///
    /// - Parameters:
    ///   - settings: What the supervisor has said.
    ///   - supervisor: The pipe to it.
    ///   - connector: Connects to the recorder.
    ///   - said: What else the supervisor has said so far.
    /// - Throws: `WebError` when the system has no descriptor left.
    init(
        _ settings: RoomSettings, _ supervisor: SupervisorLink, _ connector: RecorderConnector,
        _ said: [SupervisorLine]
    ) throws(WebError) {
        do throws(DeviceError) {
            mailbox = try WebMailbox()
        } catch {
            throw WebError("the control room cannot start: \(error).")
        }
        (self.settings, self.supervisor) = (settings, supervisor)
        recorder = RecorderLink(settings.recorder, mailbox, connector)
        streams = StreamBoard(recorder)
        pages = PageBoard(board, streams)
        var guardian = WebGuard(
            token: settings.token, readToken: settings.readToken, phoneToken: settings.phoneToken,
            isEncrypted: settings.isEncrypted)
        guardian.port = settings.port
        recordings = RecordingDesk(settings.recordings, mailbox)
        uploads = PhoneUploads { supervisor.say($0) }
        phones = PhoneBoard(recorder.forPhones, uploads) { [mailbox] name, news in
            mailbox.post(.phone(name: name, news))
        }
        requests = RequestDesk(
            board, recorder, CommandDesk(mailbox, connector), supervisor, pictures, recordings, jobs, phones,
            guardian)
        pages.changed = { [unowned self] in arrange() }
        pages.changedNext = { [unowned self] in phones.take(next: $0) }
        pictures.changed = { [unowned self] in arrange() }
        for line in said { take(line) }
    }

    /// Serves until the supervisor is gone.
    ///
    /// - Parameter entrance: The certificate, and what is told of the confinement so far.
    /// - Throws: `WebError` when the address cannot be listened at.
    func serve(_ entrance: RoomEntrance) throws(WebError) {
        let certificate = try entrance.certificate.map { path throws(WebError) in try WebCertificate(path) }
        let server = WebServer(
            certificate, requests.guardian, respond: { [unowned self] in requests.respond($0) },
            admit: { [unowned self] link, request in
                request.head.path == WebServer.phonePath
                    ? phones.admit(link) : pages.admit(link, telling: jobs.running)
            })
        let port = try server.listen(address: settings.address, port: settings.port)
        requests.guardian.port = port
        phones.invitation = entrance.invitation(settings, port)
        // Nothing has been read from anybody yet.
        let notes = entrance.notes + [Confinement.ofCalls()].compactMap(\.self)
        supervisor.say(entrance.beginning(settings, port, notes: notes))

        loop.whenReadable(mailbox.descriptor) { [unowned self] in
            for message in mailbox.take() { take(message) }
        }
        loop.whenReadable(supervisor.descriptor) { [unowned self] in
            guard let lines = supervisor.read() else { return loop.quit() }
            for line in lines { take(line) }
        }
        loop.every(Self.levelInterval) { [unowned self] in
            if !pages.isEmpty, board.isThere { pages.tell(streams.tellLevels()) }
            phones.follow(at: MonotonicClock().now)
        }
        loop.every(.seconds(1)) { [unowned self] in
            let now = MonotonicClock().now
            server.endLateRequests(at: now)
            pictures.endLate(at: now)
            requests.endLateFiles(at: now)
            pages.endStalled(at: now)
            phones.look(at: now)
            supervisor.sayAlive(at: now)
        }
        // On a machine that has no time the loop comes to its timers late, but it works.
        pages.works = { [unowned self] in supervisor.sayAlive(at: $0) }
        loop.run()
        phones.close()
        recorder.close()
        recordings.close()
    }

    // MARK: What comes

    private func take(_ line: SupervisorLine) {
        if let news = line.recorder {
            board.explain(news.process == nil ? news.text : nil)
            recorder.follow(news.process, calibration: news.calibration)
            if news.process == nil {
                pages.tell(board.presence)
            } else if let text = news.text {
                pages.tell(["type": "error", "text": .string(text.printable(limit: 400))])
            }
        }
        if let job = line.job { pages.tell(jobs.take(job)) }
        if let result = line.result, !uploads.take(result) { requests.take(result) }
    }

    private func take(_ message: RoomMessage) {
        switch message {
        case .status(let text): take(status: text)
        case .event(let text):
            if let message = board.take(event: text) { pages.tell(message) }
        case .events(let texts): pages.tell(board.take(events: texts))
        case .recorderCame:
            board.come()
            pages.tell(board.presence)
        case .recorderLeft:
            board.leave()
            streams.forgetAll()
            tellPhones()
            pages.tell(board.presence)
        case .fresh(let key):
            let pieces = streams.take(key)
            for piece in pieces { pages.send(piece, of: key) }
            pictures.send(pieces, of: key)
        case .refused(let key, let text): pages.tell(text, of: key)
        case .phone(let name, let news): phones.take(news, of: name)
        case .answered(let ticket, let code, let json): requests.finish(ticket, WebAnswer(code, json: json))
        case .made(let ticket, let answer): requests.finish(ticket, answer)
        case .opened(let ticket, let outcome): requests.send(outcome, ticket)
        case .read(let number, let bytes): requests.take(bytes, ofFile: number)
        }
    }

    private func take(status text: String) {
        guard let (message, isOtherPhase) = board.take(status: text) else { return }
        if isOtherPhase {
            streams.forgetGroup()
            pages.choose()
        }
        arrange()
        tellPhones()
        pages.tell(message)
    }

    private func tellPhones() {
        if !phones.isEmpty {
            phones.take(board.status.state, board.status.devices, recording: board.status.recording)
        }
    }

    /// Takes from the recorder what somebody watches, and where a page is open the audio whose levels it shows.
    private func arrange() {
        var levels: Set<StreamKey> = []
        if !pages.isEmpty {
            levels.formUnion(board.status.microphones.map { .audio(role: $0) })
            if board.status.hasMix { levels.insert(.audio(role: "program")) }
        }
        // Pictures last: for them a token is enough that opens nothing else.
        let (before, refused) = (refused, streams.arrange([levels, pages.keys, pictures.keys]))
        self.refused = refused
        for key in refused.subtracting(before) { pages.tell(StreamBoard.refusal, of: key) }
        pictures.end(StreamBoard.refusal, of: refused)
    }
}
