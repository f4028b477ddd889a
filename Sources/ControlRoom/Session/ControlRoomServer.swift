internal import MulticamConfinement
internal import MulticamMedia
internal import MulticamQRCodes
internal import MulticamSessionFolder
internal import MulticamStudio
internal import MulticamSystem

/// The control room's server. Creates its components, and distributes messages from the recorder, the supervisor and
/// the pages to them. Used only on the web loop's thread.
final class ControlRoomServer {
    private let loop = WebLoop()
    private let mailbox: WebMailbox<RoomMessage>
    private let settings: RoomSettings
    private let supervisor: SupervisorConnection
    private let recorder: RecorderConnection
    private let recorderTracker = RecorderTracker()
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
        _ settings: RoomSettings, _ supervisor: SupervisorConnection, _ connector: RecorderConnector,
        _ said: [SupervisorMessage]
    ) throws(WebError) {
        do throws(DeviceError) {
            mailbox = try WebMailbox()
        } catch {
            throw WebError("the control room cannot start: \(error).")
        }
        (self.settings, self.supervisor) = (settings, supervisor)
        recorder = RecorderConnection(settings.recorder, mailbox, connector)
        streams = StreamRegistry(recorder)
        pages = PageRegistry(recorderTracker, streams)
        var guardian = WebAccessPolicy(
            token: settings.token, readToken: settings.readToken, phoneToken: settings.phoneToken,
            isEncrypted: settings.isEncrypted)
        guardian.port = settings.port
        recordings = RecordingRequestHandler(settings.recordings, mailbox)
        uploads = PhoneUploads { supervisor.send($0) }
        phones = PhoneRegistry(recorder.accessForPhones, uploads, awaitsStatus: settings.recorder != nil) {
            [mailbox] name, news in
            mailbox.post(.phone(name: name, news))
        }
        requests = HTTPRequestHandler(
            recorderTracker, recorder, CommandSender(mailbox, connector), supervisor, pictures, recordings,
            jobs,
            phones,
            guardian)
        pages.subscriptionsChanged = { [unowned self] in updateSubscriptions() }
        pages.previewRolesChanged = { [unowned self] in phones.update(previewRoles: $0) }
        pictures.keysChanged = { [unowned self] in updateSubscriptions() }
        for line in said { handle(line) }
    }

    /// Runs the server until the supervisor disconnects.
    ///
    /// - Parameter entrance: The certificate, and the notes about confinement.
    /// - Throws: `WebError` if the server can't listen on the address.
    func serve(_ entrance: ServerResources) throws(WebError) {
        let certificate = try entrance.certificate.map { path throws(WebError) in try WebCertificate(path) }
        let server = WebServer(
            certificate, requests.accessPolicy, respond: { [unowned self] in requests.respond($0) },
            admit: { [unowned self] link, request in
                request.head.path == WebServer.phonePath
                    ? phones.admit(link) : pages.admit(link, sending: jobs.running)
            })
        let port = try server.listen(address: settings.address, port: settings.port)
        requests.accessPolicy.port = port
        phones.invitation = entrance.invitation(settings, port)
        // Unneeded system calls are blocked before any data is read from a client.
        let notes =
            entrance.notes + [Confinement.restrictSystemCalls()].compactMap(\.self).map { "multicam: \($0)" }
        supervisor.send(entrance.listeningMessage(settings, port, notes: notes))

        loop.whenReadable(mailbox.descriptor) { [unowned self] in
            for message in mailbox.drain() { handle(message) }
        }
        loop.whenReadable(supervisor.descriptor) { [unowned self] in
            guard let lines = supervisor.read() else { return loop.quit() }
            for line in lines { handle(line) }
        }
        loop.every(Self.levelInterval) { [unowned self] in
            if pages.hasVisible, recorderTracker.isConnected {
                pages.broadcast(levels: streams.makeLevelsMessage())
            }
            phones.pollConnections(at: MonotonicClock().now)
        }
        loop.every(.milliseconds(250)) { server.closeExpiredRequests(at: MonotonicClock().now) }
        loop.every(.seconds(1)) { [unowned self] in
            let now = MonotonicClock().now
            pictures.endStalled(at: now)
            requests.endStalledFiles(at: now)
            pages.endStalled(at: now)
            pages.flushHidden()
            phones.checkPhones(at: now)
            supervisor.sendHeartbeat(at: now)
        }
        // On an overloaded machine, timers fire late even though the loop is working, so page messages count
        // as signs of life.
        pages.messageReceived = { [unowned self] in supervisor.sendHeartbeat(at: $0) }
        loop.run()
        phones.close()
        recorder.close()
        recordings.close()
    }

    // MARK: Events

    private func handle(_ line: SupervisorMessage) {
        if let news = line.recorder {
            recorderTracker.setAbsenceReason(news.process == nil ? news.text : nil)
            recorder.setRecorder(news.process, calibration: news.calibration)
            if news.process == nil {
                updatePhones()
                pages.broadcast(recorderTracker.presence)
            } else if let text = news.text {
                pages.broadcast(["type": "error", "text": .string(text.printable(limit: 400))])
            }
        }
        if let job = line.job { pages.broadcast(jobs.update(job)) }
        if let result = line.result, !uploads.handle(result) { requests.handle(result) }
    }

    private func handle(_ message: RoomMessage) {
        switch message {
        case .status(let text): handle(status: text)
        case .event(let text):
            if let message = recorderTracker.append(event: text) { pages.broadcast(message) }
        case .events(let texts): pages.broadcast(recorderTracker.replaceEvents(with: texts))
        case .recorderConnected:
            recorderTracker.recorderConnected()
            phones.recorderConnected(at: MonotonicClock().now)
            pages.broadcast(recorderTracker.presence)
        case .recorderDisconnected:
            recorderTracker.recorderDisconnected()
            streams.reset()
            updatePhones()
            pages.broadcast(recorderTracker.presence)
        case .streamReady(let key):
            let pieces = streams.dequeue(key)
            for piece in pieces { pages.send(piece, of: key) }
            pictures.send(pieces, of: key)
        case .streamRefused(let key, let text): pages.reportError(text, of: key)
        case .phone(let name, let news): phones.handle(news, of: name)
        case .answered(let ticket, let code, let json): requests.finish(ticket, WebResponse(code, json: json))
        case .mediaResponse(let ticket, let answer): requests.finish(ticket, answer)
        case .fileOpened(let ticket, let outcome): requests.send(outcome, ticket)
        case .fileRead(let number, let bytes): requests.forward(bytes, ofFile: number)
        }
    }

    private func handle(status text: String) {
        guard let (message, isOtherPhase) = recorderTracker.update(status: text) else { return }
        if isOtherPhase {
            streams.clearGroupOfPictures()
            pages.selectStreams()
        }
        recordings.setRecording(recorderTracker.isRecording)
        updateSubscriptions()
        updatePhones()
        pages.broadcast(status: message)
    }

    private func updatePhones() {
        phones.update(
            state: recorderTracker.status.state, cameras: recorderTracker.status.devices,
            isProgramPaused: recorderTracker.status.isProgramPaused,
            recording: recorderTracker.status.recording)
    }

    /// Subscribes to the streams that are watched and, if a page is visible, to the audio for its level meters.
    private func updateSubscriptions() {
        var levels: Set<StreamKey> = []
        if pages.hasVisible {
            levels.formUnion(recorderTracker.status.microphones.map { .audio(role: $0) })
            if recorderTracker.status.hasMix { levels.insert(.audio(role: "program")) }
        }
        // Streams for pictures have the lowest precedence, because their token doesn't grant access to the
        // control room.
        let (before, refused) = (refused, streams.updateSubscriptions([levels, pages.keys, pictures.keys]))
        self.refused = refused
        for key in refused.subtracting(before) { pages.reportError(StreamRegistry.refusal, of: key) }
        pictures.end(StreamRegistry.refusal, of: refused)
    }
}

/// Resources that the web process creates or looks up before it is confined.
struct ServerResources {
    /// Path of a PEM file with certificate and key; `nil` if connections aren't encrypted.
    let certificate: String?
    /// Fingerprint of the certificate, in readable form.
    private let fingerprint: String?
    /// Host address that is shown to users.
    private let host: String
    /// Notes for the user about file access: why the process may still open files, or why it can't read recordings.
    let notes: [String]

    /// Prepares everything that needs files or host names, and then drops access to them. Starts the reserve thread after that,
    /// because access remains for threads that exist already.
    ///
    /// - Throws: `WebError` if no certificate can be created, or if the system can't create threads.
    init(_ settings: RoomSettings) throws(WebError) {
        var path = settings.certificate
        let (names, addresses) = (MachineAddresses.names.sorted(), MachineAddresses.all)
        if settings.isEncrypted, path == nil {
            path = try SelfSignedCertificate.path(
                in: settings.stateFolder, names: names, addresses: addresses)
        }
        certificate = path
        fingerprint = path.flatMap { SelfSignedCertificate.fingerprint($0) }
        let everywhere = ["0.0.0.0", "::"].contains(settings.address)
        host = everywhere ? addresses.first ?? settings.address : settings.address
        // The folder must exist before confinement, because it couldn't be read later otherwise.
        let shortcoming = Self.make(settings.recordings)
        Confinement.limitMemory()
        let scheduling = Confinement.restrictScheduling()
        let freedom = Confinement.restrictFiles(
            readable: [path].compactMap(\.self), folders: [settings.recordings], port: settings.port)
        notes =
            [shortcoming].compactMap(\.self)
            + [scheduling, freedom].compactMap(\.self).map { "multicam: \($0)" }
        do throws(ThreadError) {
            try MediaThread.prepareReserve()
        } catch {
            throw WebError("the control room cannot start: \(error.limit.explanation)")
        }
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
    func listeningMessage(_ settings: RoomSettings, _ port: Int, notes: [String]) -> SupervisorMessage {
        let address = "\(baseURL(settings, port))/#token=\(settings.token.text)"
        var line = SupervisorMessage()
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
            address: "\(baseURL(settings, port))/phone#token=\(settings.phoneToken.text)",
            isReachable: settings.isEncrypted && !settings.address.hasPrefix("127.")
                && settings.address != "::1")
    }

    private func baseURL(_ settings: RoomSettings, _ port: Int) -> String {
        "\(settings.isEncrypted ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
