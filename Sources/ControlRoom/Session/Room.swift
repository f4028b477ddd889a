internal import Foundation
internal import Media
internal import SessionFolder
internal import Studio

/// The control room's server: what pages ask for, and what the recorder says, meet here. Belongs to the thread of the web loop.
// Collaborators: this is where the parts of the web process are put together.
final class Room {
    private let loop = WebLoop()
    private let mailbox: WebMailbox<RoomMessage>
    private let recorder: RecorderLink
    private let desk: CommandDesk
    private let supervisor: SupervisorLink
    private let settings: RoomSettings
    private var guardian: WebGuard
    private var server: WebServer?

    private var status = StatusBoard()
    private var levels = LevelBoard()
    private var isThere = false
    private var absence: String?
    private var pages: [ObjectIdentifier: PageLink] = [:]
    private var pictures: [PictureAnswer] = []
    private var sources: [StreamKey: StreamSource] = [:]
    private var setups: [StreamKey: StreamSetup] = [:]
    /// The program's packets since the last key frame: with them a page that opens shows the program at once.
    private var group: [StreamPiece] = []
    private var tickets: [Int: WebRequest] = [:]
    private var lastTicket = 0
    /// What is done for pages and takes long, by its number.
    private var jobs: [Int: PageOrder] = [:]

    private static let levelInterval = Nanoseconds.milliseconds(50)
    private static let mostPages = 64
    private static let mostTickets = 128
    private static let mostJobs = 4
    private static let longestGroup = 600

    /// Prepares to serve.
    ///
    /// - Parameters:
    ///   - settings: What the supervisor has said.
    ///   - supervisor: The pipe to it.
    /// - Throws: `WebError` when the system has no descriptor left.
    init(_ settings: RoomSettings, _ supervisor: SupervisorLink) throws(WebError) {
        do throws(DeviceError) {
            mailbox = try WebMailbox()
        } catch {
            throw WebError("the control room cannot start: \(error).")
        }
        (self.settings, self.supervisor) = (settings, supervisor)
        recorder = RecorderLink(settings.recorder, mailbox)
        desk = CommandDesk(mailbox)
        guardian = WebGuard(
            token: settings.token, readToken: settings.readToken, isEncrypted: settings.isEncrypted)
        guardian.port = settings.port
    }

    /// Serves until the supervisor is gone.
    ///
    /// - Throws: `WebError` when the address cannot be listened at.
    func serve() throws(WebError) {
        var path = settings.certificate
        if settings.isEncrypted, path == nil {
            path = try OwnCertificate.path(
                in: settings.stateFolder, names: MachineAddresses.names.sorted(),
                addresses: MachineAddresses.all)
        }
        let certificate = try path.map { path throws(WebError) in try WebCertificate(path) }
        let server = WebServer(
            certificate, guardian, respond: { [unowned self] in respond($0) },
            admit: { [unowned self] in admit($0, $1) })
        self.server = server
        let port = try server.listen(address: settings.address, port: settings.port)
        guardian.port = port
        supervisor.say(beginning(port, path))

        loop.whenReadable(mailbox.descriptor) { [unowned self] in
            for message in mailbox.take() { take(message) }
        }
        loop.whenReadable(supervisor.descriptor) { [unowned self] in
            guard let lines = supervisor.read() else { return loop.quit() }
            for line in lines { take(line) }
        }
        loop.every(Self.levelInterval) { [unowned self] in tellLevels() }
        loop.every(.seconds(1)) { [unowned self] in
            let now = MonotonicClock().now
            self.server?.endLateRequests(at: now)
            endPictures(at: now)
        }
        loop.run()
        recorder.close()
    }

    /// What the supervisor is told when the port is listened at: the address, and for phones the same as a code, with the
    /// certificate's fingerprint.
    private func beginning(_ port: Int, _ certificate: String?) -> SupervisorLine {
        let everywhere = ["0.0.0.0", "::"].contains(settings.address)
        let host = everywhere ? MachineAddresses.all.first ?? settings.address : settings.address
        let place = host.contains(":") ? "[\(host)]" : host
        let address =
            "\(settings.isEncrypted ? "https" : "http")://\(place):\(port)/#token=\(settings.token.text)"
        var line = SupervisorLine()
        (line.listening, line.address) = (port, address)
        if let certificate {
            let fingerprint = OwnCertificate.fingerprint(certificate)
            line.notes =
                QRCode.lines(address) + (fingerprint.map { ["SHA-256 of the certificate: \($0)"] } ?? [])
        }
        return line
    }

    // MARK: The supervisor and the recorder

    private func take(_ line: SupervisorLine) {
        if let news = line.recorder {
            absence = news.text
            recorder.follow(news.process)
            if news.process == nil { tellRecorder() }
        }
        if let result = line.result, let job = jobs.removeValue(forKey: result.ticket) {
            let told = WebJSON.object(result.output)
            tell(
                job: result.ticket, job,
                [
                    "done": true, "progress": 1, "ok": result.ok && told?["ok"] as? Bool ?? false,
                    "text": (told?["text"] as? String ?? result.output),
                ])
        } else if let result = line.result {
            finish(
                result.ticket,
                result.ok ? WebAnswer(200, json: result.output) : WebAnswer(409, saying: result.output))
        }
    }

    private func take(_ message: RoomMessage) {
        switch message {
        case .status(let text): take(status: text)
        case .event(let text):
            if let event = WebJSON.object(text) { tell(["type": "event", "event": event]) }
        case .recorderCame:
            isThere = true
            absence = nil
            tellRecorder()
        case .recorderLeft:
            isThere = false
            status.clear()
            group = []
            setups = [:]
            tellRecorder()
        case .fresh(let key): send(key)
        case .refused(let key, let text):
            for page in pages.values {
                for stream in page.streams.values where stream.key == key {
                    page.say([
                        "type": "error", "stream": Int(stream.number), "text": text.printable(limit: 400),
                    ])
                }
            }
        case .answered(let ticket, let code, let json): finish(ticket, WebAnswer(code, json: json))
        }
    }

    private func take(status text: String) {
        let (isNew, state) = (status.fields.isEmpty, status.state)
        guard let changes = status.take(text) else { return }
        if status.state != state || isNew {
            group = []
            for page in pages.values { page.choose(isRecording: isRecording) }
        }
        arrange()
        tell(isNew ? ["type": "state", "status": status.fields] : ["type": "change", "status": changes])
    }

    private var isRecording: Bool { status.state == "recording" }

    private func tellRecorder() {
        var message: [String: Any] = ["type": "recorder", "there": isThere]
        if let absence { message["text"] = absence.printable(limit: 400) }
        tell(message)
    }

    private func tell(_ message: [String: Any]) {
        guard !pages.isEmpty else { return }
        let text = WebJSON.text(of: message)
        for page in pages.values { page.link.send(text) }
    }

    // MARK: Streams

    /// Opens what pages watch, and closes what nobody watches any more.
    private func arrange() {
        var wanted = pages.values.reduce(into: Set<StreamKey>()) { $0.formUnion($1.keys) }
        wanted.formUnion(pictures.map(\.key))
        if !pages.isEmpty {
            wanted.formUnion(status.microphones.map { .audio(role: $0) })
            if status.hasMix { wanted.insert(.audio(role: "program")) }
        }
        for key in sources.keys where !wanted.contains(key) {
            recorder.close(key)
            sources[key] = nil
            setups[key] = nil
            if key == .packets { group = [] }
            if case .audio(let role) = key { levels.forget(role) }
        }
        for key in wanted where sources[key] == nil { sources[key] = recorder.open(key) }
    }

    private func send(_ key: StreamKey) {
        for piece in sources[key]?.take() ?? [] {
            if let setup = piece.setup, setup != setups[key] { setups[key] = setup }
            if key == .packets { remember(piece) }
            if case .audio(let role) = key {
                levels.take(piece, of: role, channels: max(setups[key]?.channels ?? 1, 1))
            }
            for page in pages.values { page.send(piece, of: key, setups[key], start: status.start) }
            for picture in pictures where picture.key == key { picture.send(piece.bytes) }
        }
        let count = pictures.count
        pictures.removeAll(where: \.isFinished)
        if pictures.count != count { arrange() }
    }

    /// Ends pictures of a camera that sends none: who waits for one may have left, of which a request that waits learns nothing.
    private func endPictures(at now: ClockTime) {
        let count = pictures.count
        for picture in pictures { picture.endIfLate(at: now) }
        pictures.removeAll(where: \.isFinished)
        if pictures.count != count { arrange() }
    }

    private func remember(_ piece: StreamPiece) {
        if piece.isKey { group = [] }
        if group.count < Self.longestGroup { group.append(piece) }
    }

    private func tellLevels() {
        guard !pages.isEmpty, isThere else { return }
        tell(["type": "levels", "at_ns": MonotonicClock().now.nanoseconds, "levels": levels.tell()])
    }

    // MARK: Pages

    private func admit(_ link: WebSocketLink, _ request: WebRequest) {
        guard pages.count < Self.mostPages else {
            return link.close(1013, "\(Self.mostPages) pages are open already, which is the most.")
        }
        let page = PageLink(link)
        pages[ObjectIdentifier(page)] = page
        link.received = { [unowned self, unowned page] in take($0, from: page) }
        link.closed = { [unowned self, unowned page] in
            pages[ObjectIdentifier(page)] = nil
            arrange()
        }
        page.say([
            "type": "hello", "version": MulticamVersion.current, "now_ns": MonotonicClock().now.nanoseconds,
        ])
        tellRecorder()
        if !status.fields.isEmpty { page.say(["type": "state", "status": status.fields]) }
        arrange()
    }

    private func take(_ text: String, from page: PageLink) {
        guard page.mayGoOn(at: MonotonicClock().now) else {
            return page.link.close(1008, "The page says too much.")
        }
        guard let request = PageLink.request(text) else {
            return page.say([
                "type": "error",
                "text": "the message is not understood: expected an object of JSON with `type`.",
            ])
        }
        switch request.type {
        case "watch":
            let roles = request.of == "audio" ? status.microphones + ["program"] : status.cameras
            if request.of != "program", let role = request.role, !status.fields.isEmpty, !roles.contains(role)
            {
                return page.say([
                    "type": "error", "stream": Int(request.stream ?? 0),
                    "text": "there is no \(role.printable(limit: 60)) in this session.",
                ])
            }
            if let problem = page.watch(request, isRecording: isRecording) {
                return page.say(["type": "error", "stream": Int(request.stream ?? 0), "text": problem])
            }
            arrange()
            if page.streams[request.stream ?? 0]?.key == .packets,
                page.streams[request.stream ?? 0]?.isNew ?? false
            {
                for piece in group { page.send(piece, of: .packets, setups[.packets], start: status.start) }
            }
        case "unwatch":
            page.unwatch(request.stream ?? 0)
            arrange()
        case "seen": page.note(seen: request.sequence ?? 0, of: request.stream ?? 0)
        case "ping":
            page.say(["type": "pong", "at": request.at ?? 0, "now_ns": MonotonicClock().now.nanoseconds])
        default:
            page.say(["type": "error", "text": "`type` is watch, unwatch, seen or ping."])
        }
    }

    // MARK: Requests

    private func respond(_ request: WebRequest) {
        guard !request.isAnswered else { return }
        switch (request.head.method, request.head.path) {
        case ("POST", "/api/v1/login"): answer(request, login)
        case ("GET", "/api/v1/status"):
            answer(request, isThere ? WebAnswer(200, json: WebJSON.text(of: status.fields)) : nobody)
        case ("GET", "/api/v1/tally"): answer(request, WebAnswer(200, json: status.tally))
        case ("POST", "/api/v1/command"): command(request)
        case ("POST", "/api/v1/start"):
            var line = SupervisorLine()
            line.start = true
            supervisor.say(line)
            answer(request, WebAnswer(200, json: #"{"ok":true}"#))
        case (_, let path) where path.hasPrefix("/api/") && !WebGuard.isPicture(path):
            guard let order = PageOrder(request.head, { request.body }) else {
                return answer(request, WebAnswer(404, saying: "Nothing is at this address."))
            }
            self.order(order, request)
        case ("GET", _) where WebGuard.isPicture(request.head.path): picture(request)
        case ("GET", _), ("HEAD", _):
            guard let asset = PageAsset.at(request.head.path) else {
                return answer(request, WebAnswer(404, saying: "Nothing is at this address."))
            }
            answer(request, WebAnswer(200, asset.type, Data(asset.bytes)))
        default:
            answer(
                request,
                WebAnswer(
                    405, saying: "Nothing at this address takes \(request.head.method.printable(limit: 20)).")
            )
        }
    }

    private func answer(_ request: WebRequest, _ answer: WebAnswer) {
        var answer = answer
        answer.headers.merge(guardian.headers) { mine, _ in mine }
        request.answer(answer)
    }

    private var nobody: WebAnswer {
        WebAnswer(
            503, saying: absence?.printable(limit: 400) ?? "No recorder runs: it is starting, or has ended.")
    }

    private var login: WebAnswer {
        struct Entry: Encodable {
            let ok = true
            let read_token: AccessToken
        }
        var answer = WebAnswer(200, json: WebJSON.text(Entry(read_token: settings.readToken)))
        let secure = guardian.isEncrypted ? "; Secure" : ""
        answer.headers["Set-Cookie"] =
            "\(guardian.cookieName)=\(settings.token.text); Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000\(secure)"
        return answer
    }

    private func command(_ request: WebRequest) {
        guard let words = CommandDesk.words(request.body) else {
            return answer(
                request,
                WebAnswer(
                    400,
                    saying:
                        #"The request is not understood: expected {"command":"swap"}, with the words of `multicam ctl`."#
                ))
        }
        guard let process = recorder.process else { return answer(request, nobody) }
        if let ticket = wait(request) { desk.send(words, to: process, ticket: ticket) }
    }

    private func order(_ order: PageOrder, _ request: WebRequest) {
        if order.isJob { return start(order, request) }
        guard let ticket = wait(request) else { return }
        say(order, ticket)
    }

    /// Answers a job's number at once; all pages are told when it is done.
    private func start(_ order: PageOrder, _ request: WebRequest) {
        guard jobs.count < Self.mostJobs else {
            return answer(request, WebAnswer(503, saying: "Too many jobs are under way: ask again."))
        }
        lastTicket += 1
        jobs[lastTicket] = order
        answer(request, WebAnswer(200, json: WebJSON.text(of: ["ok": true, "job": lastTicket])))
        tell(job: lastTicket, order, ["done": false, "ok": true, "text": ""])
        say(order, lastTicket)
    }

    private func tell(job: Int, _ order: PageOrder, _ fields: [String: Any]) {
        let base: [String: Any] = [
            "type": "job", "job": job, "command": order.task.rawValue,
            "folder": (order.name ?? "").printable(),
        ]
        tell(base.merging(fields) { _, new in new })
    }

    private func say(_ order: PageOrder, _ ticket: Int) {
        var line = SupervisorLine()
        line.order = SupervisorLine.Order(
            ticket: ticket, task: order.task, name: order.name, text: order.text)
        supervisor.say(line)
    }

    /// Lets a request wait for its answer.
    private func wait(_ request: WebRequest) -> Int? {
        guard tickets.count < Self.mostTickets else {
            answer(request, WebAnswer(503, saying: "Too many requests are under way: ask again."))
            return nil
        }
        lastTicket += 1
        tickets[lastTicket] = request
        request.pause()
        return lastTicket
    }

    private func finish(_ ticket: Int, _ result: WebAnswer) {
        guard let request = tickets.removeValue(forKey: ticket) else { return }
        answer(request, result)
        request.resume()
    }

    private func picture(_ request: WebRequest) {
        let width = request.head.query["width"].flatMap { Int($0) } ?? 1920
        guard let wish = PictureWish(request.head.path, width: width),
            wish.role.map({ status.cameras.contains($0) }) ?? status.hasProgram
        else {
            return answer(
                request,
                WebAnswer(
                    404,
                    saying: "No such picture: /api/v1/cameras/ROLE.jpg, .mjpg, /api/v1/program.jpg, .mjpg."))
        }
        guard pictures.count < Self.mostPages else {
            return answer(request, WebAnswer(503, saying: "Too many pictures are under way: ask again."))
        }
        let picture = PictureAnswer(request, wish.key, isStream: wish.isStream, guardian.headers)
        pictures.append(picture)
        arrange()
    }
}
