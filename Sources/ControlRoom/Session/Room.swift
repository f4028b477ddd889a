internal import Media
internal import QRCodes
internal import SessionFolder
internal import Studio
internal import System

/// The control room's server. Creates its components, and distributes messages from the recorder, the supervisor and
/// the pages to them. Used only on the web loop's thread.
final class Room {
    private let loop = WebLoop()
    private let mailbox: WebMailbox<RoomMessage>
    private let settings: RoomSettings
    private let supervisor: SupervisorLink
    private let recorder: RecorderLink
    private let board = RecorderTracker()
    private let streams: StreamRegistry
    private let pages: PageRegistry
    private let pictures = PictureRegistry()
    private let requests: HTTPRequestHandler
    private let recordings: RecordingRequestHandler
    private let jobs = JobList()
    private let phones: PhoneRegistry
    private let uploads: PhoneUploads
    /// Streams that were refused because of the limit. The pages that watch these streams have been notified.
    private var refused: Set<StreamKey> = []

    private static let levelInterval = Nanoseconds.milliseconds(50)

    /// Prepares the server.
    ///
    /// - Parameters:
    ///   - settings: Settings from the supervisor.
    ///   - supervisor: The pipe to the supervisor.
    ///   - connector: Connects to the recorder.
    ///   - said: Messages already received from the supervisor.
    /// - Throws: `WebError` if the system has run out of file descriptors.
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
        streams = StreamRegistry(recorder)
        pages = PageRegistry(board, streams)
        var guardian = WebGuard(
            token: settings.token, readToken: settings.readToken, phoneToken: settings.phoneToken,
            isEncrypted: settings.isEncrypted)
        guardian.port = settings.port
        recordings = RecordingRequestHandler(settings.recordings, mailbox)
        uploads = PhoneUploads { supervisor.say($0) }
        phones = PhoneRegistry(recorder.forPhones, uploads, awaitsStatus: settings.recorder != nil) {
            [mailbox] name, news in
            mailbox.post(.phone(name: name, news))
        }
        requests = HTTPRequestHandler(
            board, recorder, CommandSender(mailbox, connector), supervisor, pictures, recordings, jobs,
            phones,
            guardian)
        pages.changed = { [unowned self] in arrange() }
        pages.changedNext = { [unowned self] in phones.take(next: $0) }
        pictures.changed = { [unowned self] in arrange() }
        for line in said { take(line) }
    }

    /// Runs the server until the supervisor disconnects.
    ///
    /// - Parameter entrance: The certificate, and the notes about confinement.
    /// - Throws: `WebError` if the server can't listen on the address.
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
        // Unneeded system calls are blocked before any data is read from a client.
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
        loop.every(.milliseconds(250)) { server.endLateRequests(at: MonotonicClock().now) }
        loop.every(.seconds(1)) { [unowned self] in
            let now = MonotonicClock().now
            pictures.endLate(at: now)
            requests.endLateFiles(at: now)
            pages.endStalled(at: now)
            phones.look(at: now)
            supervisor.sayAlive(at: now)
        }
        // On an overloaded machine, timers fire late even though the loop is working, so page messages count
        // as signs of life.
        pages.works = { [unowned self] in supervisor.sayAlive(at: $0) }
        loop.run()
        phones.close()
        recorder.close()
        recordings.close()
    }

    // MARK: Events

    private func take(_ line: SupervisorLine) {
        if let news = line.recorder {
            board.explain(news.process == nil ? news.text : nil)
            recorder.follow(news.process, calibration: news.calibration)
            if news.process == nil {
                tellPhones()
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
            phones.recorderCame(at: MonotonicClock().now)
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
        phones.take(board.status.state, board.status.devices, recording: board.status.recording)
    }

    /// Subscribes to the streams that are watched and, if a page is open, to the audio for its level meters.
    private func arrange() {
        var levels: Set<StreamKey> = []
        if !pages.isEmpty {
            levels.formUnion(board.status.microphones.map { .audio(role: $0) })
            if board.status.hasMix { levels.insert(.audio(role: "program")) }
        }
        // Streams for pictures have the lowest precedence, because their token doesn't grant access to the
        // control room.
        let (before, refused) = (refused, streams.arrange([levels, pages.keys, pictures.keys]))
        self.refused = refused
        for key in refused.subtracting(before) { pages.tell(StreamRegistry.refusal, of: key) }
        pictures.end(StreamRegistry.refusal, of: refused)
    }
}

/// Resources that the web process creates or looks up before it is confined.
struct RoomEntrance {
    /// Path of a PEM file with certificate and key; `nil` if connections aren't encrypted.
    let certificate: String?
    /// Fingerprint of the certificate, in readable form.
    private let fingerprint: String?
    /// Host address that is shown to users.
    private let host: String
    /// Notes for the user about file access: why the process may still open files, or why it can't read recordings.
    let notes: [String]

    /// Prepares everything that needs files or host names, and then drops access to them.
    ///
    /// - Throws: `WebError` if no certificate can be created.
    init(_ settings: RoomSettings) throws(WebError) {
        var path = settings.certificate
        let (names, addresses) = (MachineAddresses.names.sorted(), MachineAddresses.all)
        if settings.isEncrypted, path == nil {
            path = try OwnCertificate.path(in: settings.stateFolder, names: names, addresses: addresses)
        }
        certificate = path
        fingerprint = path.flatMap { OwnCertificate.fingerprint($0) }
        let everywhere = ["0.0.0.0", "::"].contains(settings.address)
        host = everywhere ? addresses.first ?? settings.address : settings.address
        // The folder must exist before confinement, because it couldn't be read later otherwise.
        let shortcoming = Self.make(settings.recordings)
        Confinement.ofMemory()
        let scheduling = Confinement.ofScheduling()
        let freedom = Confinement.ofFiles(
            readable: [path].compactMap(\.self), folders: [settings.recordings], port: settings.port)
        notes = [shortcoming, scheduling, freedom].compactMap(\.self)
    }

    /// Creates the output folder, as the first recording would.
    ///
    /// - Returns: The reason why the folder doesn't exist, as a sentence; `nil` on success.
    private static func make(_ folder: String) -> String? {
        do throws(FileError) {
            try FolderCreation.make(folder)
            return nil
        } catch {
            return
                "multicam: the folder \(folder.printable(limit: 1000)) cannot be created, so the page cannot list the recordings."
        }
    }

    /// Returns the message that notifies the supervisor that the server is listening. The message contains the address.
    /// If connections are encrypted, the message's notes contain the address as a QR code and the certificate's
    /// fingerprint.
    ///
    /// - Parameters:
    ///   - settings: Settings from the supervisor.
    ///   - port: The listening port.
    ///   - notes: Additional sentences for the user.
    /// - Returns: The line for the supervisor.
    func beginning(_ settings: RoomSettings, _ port: Int, notes: [String]) -> SupervisorLine {
        let address = "\(place(settings, port))/#token=\(settings.token.text)"
        var line = SupervisorLine()
        (line.listening, line.address) = (port, address)
        line.notes = notes
        if certificate != nil {
            line.notes? +=
                QRCode.lines(address) + (fingerprint.map { ["SHA-256 of the certificate: \($0)"] } ?? [])
        }
        return line
    }

    /// Returns the link that phones open to become cameras.
    func invitation(_ settings: RoomSettings, _ port: Int) -> PhoneInvitation {
        PhoneInvitation(
            address: "\(place(settings, port))/phone#token=\(settings.phoneToken.text)",
            isReachable: settings.isEncrypted && !settings.address.hasPrefix("127.")
                && settings.address != "::1")
    }

    private func place(_ settings: RoomSettings, _ port: Int) -> String {
        "\(settings.isEncrypted ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
